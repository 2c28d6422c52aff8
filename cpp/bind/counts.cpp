// Bindings of counts, plans and single objectives.
#include <array>
#include <cmath>

#include "bind/bind.hpp"
#include "counts/term_fit.hpp"
#include "counts/tilted_corpus.hpp"

namespace treewright::bind {

namespace {

auto bind_expectation(const BoundForest& forest, const BoundCountTable& counts,
                      const In<double>& scores, const CompiledObjective& objective) {
  const double* score = checked(forest, scores);
  std::vector<double> mass(static_cast<std::size_t>(forest.core.parts()), 0.0);
  double log_z = 0, value = 0;
  {
    const nb::gil_scoped_release release;
    interruptible([&](const StopFlag& stop) {
      Workspace work;
      if (const auto* plan = std::get_if<TiltedOrExact>(&objective.plan)) {
        const auto found =
            tilted_log_sum(forest.core, counts.of(forest), plan->tilted, score, work, mass.data());
        if (found) {
          log_z = require_weight(local_probabilities(forest.core, score, work));
          value = std::exp(*found - log_z);
          for (double& each : mass) each *= value;
          return;
        }
      }
      log_z = require_weight(local_probabilities(forest.core, score, work));
      value = add_masses(forest.core, &counts.of(forest), objective, work, stop, mass.data());
    });
  }
  return std::make_tuple(log_z, value, give(std::move(mass)));
}

// Without the exact plan.
auto bind_tilted(const BoundForest& forest, const BoundCountTable& counts, const In<double>& scores,
                 const TiltedOrExact& plan) {
  const double* score = checked(forest, scores);
  std::vector<double> mass(static_cast<std::size_t>(forest.core.parts()), 0.0);
  std::optional<double> value;
  TiltedReport report;
  {
    const nb::gil_scoped_release release;
    Workspace work;
    value = tilted_log_sum(forest.core, counts.of(forest), plan.tilted, score, work, mass.data(),
                           &report);
  }
  using Found = std::tuple<double, Out<double>, std::size_t, double, double, std::size_t>;
  if (!value) return std::optional<Found>{};
  return std::optional<Found>{{*value, give(std::move(mass)), report.terms, report.error,
                               report.kept_edges, report.columns}};
}

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Intervals of counts, the first values and the last ones.
std::vector<Outside::Interval> intervals(const Table& ends, double centre) {
  if (ends.shape(0) != 2) throw std::invalid_argument("intervals have two ends");
  std::vector<Outside::Interval> out;
  for (std::size_t i = 0; i < ends.shape(1); ++i)
    out.push_back({ends.data()[i] - centre, ends.data()[ends.shape(1) + i] - centre});
  return out;
}

// Of log r on a rectangle of counts from `lows`, and at most as large on rectangles outside of it.
// Moments: rates along n and d, and the logarithm of E[exp(rate (x - centre))], [moments][3].
auto bind_fit_terms(const Table& log_rest, std::pair<std::int32_t, std::int32_t> lows,
                    bool n_within_d, std::pair<double, double> centre,
                    const std::array<double, 3>& covariance,
                    const std::vector<std::array<double, 3>>& moments, double tolerance,
                    const Table& outer_n, const Table& outer_d, const Table& outer_log_rest) {
  using Found = std::tuple<Out<double>, Out<double>, Out<double>, double>;
  const GoalTable table{lows.first,
                        lows.second,
                        static_cast<std::int32_t>(log_rest.shape(0)),
                        static_cast<std::int32_t>(log_rest.shape(1)),
                        log_rest.data(),
                        n_within_d};
  const auto& [var_n, cov, var_d] = covariance;
  const Expansion plane{centre.first, centre.second, 0, 0, 0, 0, 0, 0};
  std::vector<LogMoment> known;
  for (const auto& [rate_n, rate_d, log] : moments) known.push_back({rate_n, rate_d, log});
  Outside outside{intervals(outer_n, plane.n),
                  intervals(outer_d, plane.d),
                  {outer_log_rest.data(), outer_log_rest.data() + outer_log_rest.size()}};
  if (outside.log_rest.size() != outside.n.size() * outside.d.size())
    throw std::invalid_argument("one bound for each rectangle");
  FittedSum sum;
  bool found = false;
  {
    const nb::gil_scoped_release release;
    RestTable rest(table, plane, known, std::move(outside));
    found =
        TermFit(rest, Frame(plane.n, plane.d, var_n, cov, var_d), kWidestFit).solve(tolerance, sum);
  }
  if (!found) return std::optional<Found>{};
  return std::optional<Found>{{give(std::move(sum.rate_n)), give(std::move(sum.rate_d)),
                               give(std::move(sum.coefficient)), sum.error}};
}

// Sentences of a corpus. Python keeps forests and counts alive.
class BoundTiltedCorpus {
 public:
  using Item = std::tuple<const BoundForest*, const BoundCountTable*, In<double>>;
  BoundTiltedCorpus(const std::vector<Item>& items, double slope_n, double slope_d) {
    std::vector<CorpusSentence> sentences;
    for (const auto& [forest, counts, scores] : items) {
      if (forest == nullptr || counts == nullptr)
        throw std::invalid_argument("a sentence needs a forest and counts");
      sentences.push_back({&forest->core, &counts->of(*forest), checked(*forest, scores)});
    }
    const nb::gil_scoped_release release;
    corpus_.emplace(sentences, slope_n, slope_d);
  }

  double log_total() const { return corpus_->log_total(); }
  double rounding_steps() const { return corpus_->rounding_steps(); }
  auto law() const {
    const CountMoments& x = corpus_->law();
    return std::make_tuple(x.n, x.d, x.nn, x.nd, x.dd);
  }
  auto log_moments(const In<double>& rate_n, const In<double>& rate_d) {
    if (rate_n.size() != rate_d.size()) throw std::invalid_argument("rates come in pairs");
    std::vector<double> out;
    {
      const nb::gil_scoped_release release;
      out = corpus_->log_moments(copy(rate_n), copy(rate_d));
    }
    return give(std::move(out));
  }
  auto masses(const In<double>& coefficient, const In<double>& shift) {
    std::vector<std::vector<double>> found;
    {
      const nb::gil_scoped_release release;
      found = corpus_->masses(copy(coefficient), copy(shift));
    }
    std::vector<Out<double>> out;
    for (auto& each : found) out.push_back(give(std::move(each)));
    return out;
  }

 private:
  std::optional<TiltedCorpus> corpus_;
};

// What a sweep leaves at the goal, without its adjoint.
template <class Sweep>
auto goal_values(const BoundForest& forest, const In<double>& scores, Sweep sweep) {
  const double* score = checked(forest, scores);
  decltype(sweep(std::declval<Workspace&>(), std::declval<const StopFlag&>())) out;
  {
    const nb::gil_scoped_release release;
    interruptible([&](const StopFlag& stop) {
      Workspace work;
      require_weight(local_probabilities(forest.core, score, work));
      out = sweep(work, stop);
    });
  }
  return out;
}

auto bind_split_best(const BoundForest& forest, const BoundCountTable& counts,
                     const In<double>& scores, std::optional<std::size_t> cell) {
  const double* score = checked(forest, scores);
  std::vector<double> best;
  Derivation derivation;
  {
    const nb::gil_scoped_release release;
    interruptible([&](const StopFlag& stop) {
      derivation = split_viterbi(
          forest.core, counts.of(forest), score,
          [&](const std::vector<double>& cells) {
            best = cells;
            if (cell && *cell >= cells.size()) throw std::invalid_argument("no such cell");
            return cell.value_or(0);
          },
          stop);
    });
  }
  const auto columns = static_cast<std::size_t>(counts.of(forest).goal_range().columns());
  return std::make_pair(give_table(std::move(best), columns), give(std::move(derivation.edges)));
}

auto bind_evaluate(const BoundForest& forest, const BoundForest* gold,
                   const BoundCountTable* counts, const CompiledObjective& objective,
                   const In<double>& scores) {
  const double* score = checked(forest, scores);
  std::vector<double> gradient(static_cast<std::size_t>(forest.core.parts()), 0.0);
  double value = 0;
  {
    const nb::gil_scoped_release release;
    interruptible([&](const StopFlag& stop) {
      Workspace work;
      value = evaluate(forest.core, gold ? &gold->core : nullptr, counts_of(forest, counts),
                       objective, score, work, stop, gradient.data());
    });
  }
  return std::make_pair(value, give(std::move(gradient)));
}

}  // namespace

void bind_plans(nb::module_& m) {
  nb::class_<TermPlan>(m, "TermPlan", "sum_k coefficient[k] * exp(rate_n[k] n + rate_d[k] d).")
      .def(
          "__init__",
          [](TermPlan* self, bool is_complex, ComplexVector rate_n, ComplexVector rate_d,
             ComplexVector coefficient) {
            if (rate_n.size() != rate_d.size() || rate_n.size() != coefficient.size())
              throw std::invalid_argument("rates and coefficients differ in length");
            new (self)
                TermPlan{is_complex, std::move(rate_n), std::move(rate_d), std::move(coefficient)};
          },
          "complex"_a, "rate_n"_a, "rate_d"_a, "coefficient"_a);
  nb::class_<SplitPlan>(m, "SplitPlan", "Any g on the goal's (n, d) cells, row-major.")
      .def(
          "__init__", [](SplitPlan* self, const In<double>& g) { new (self) SplitPlan{copy(g)}; },
          "g"_a);
  nb::class_<SlicedPlan>(m, "SlicedPlan", "sum_k coefficient[d][k] * exp(rate[k] n).")
      .def(
          "__init__",
          [](SlicedPlan* self, bool is_complex, ComplexVector rate, ComplexVector coefficient) {
            if (rate.empty()) throw std::invalid_argument("a sliced plan needs a term");
            new (self) SlicedPlan{is_complex, std::move(rate), std::move(coefficient)};
          },
          "complex"_a, "rate"_a, "coefficient"_a);
  nb::class_<MarginPlan>(m, "MarginPlan", "A loss offset[d] - slope[d] * n.")
      .def(
          "__init__",
          [](MarginPlan* self, const In<double>& offset, const In<double>& slope) {
            new (self) MarginPlan{copy(offset), copy(slope)};
          },
          "offset"_a, "slope"_a);
  nb::class_<CellPlan>(m, "CellPlan", "A loss on the goal's (n, d) cells, row-major.")
      .def(
          "__init__",
          [](CellPlan* self, const In<double>& loss, bool slack) {
            new (self) CellPlan{slack, copy(loss)};
          },
          "loss"_a, "slack"_a);
  nb::class_<TiltedOrExact>(m, "TiltedPlan",
                            "A positive g by exponential tilting, or by the exact plan where that "
                            "is out of reach.")
      .def(
          "__init__",
          [](TiltedOrExact* self, const In<double>& log_g, bool n_within_d,
             std::pair<double, double> start, double tolerance,
             std::variant<TermPlan, SplitPlan, SlicedPlan> exact) {
            new (self) TiltedOrExact{
                {copy(log_g), n_within_d, start.first, start.second, tolerance}, std::move(exact)};
          },
          "log_g"_a, "n_within_d"_a, "start"_a, "tolerance"_a, "exact"_a);
  using Plan = std::variant<TermPlan, SplitPlan, SlicedPlan, TiltedOrExact, MarginPlan, CellPlan>;
  nb::class_<CompiledObjective>(m, "CompiledObjective",
                                "An objective on one forest, compiled to numbers.")
      .def(
          "__init__",
          [](CompiledObjective* self, const std::string& side, double constant,
             std::optional<In<double>> cost, std::optional<Plan> plan) {
            const auto kind = side == "log-sum" ? Side::kLogSum
                              : side == "risk"  ? Side::kRisk
                              : side == "max"   ? Side::kMax
                                                : throw std::invalid_argument("unknown side");
            new (self)
                CompiledObjective{kind, constant, cost ? copy(*cost) : std::vector<double>{}, {}};
            if (plan) std::visit([&](auto& each) { self->plan = std::move(each); }, *plan);
          },
          "side"_a, "constant"_a = 0.0, "cost"_a = nb::none(), "plan"_a = nb::none());
}

void bind_counts(nb::module_& m) {
  nb::class_<BoundCountTable>(m, "CountTable", "The counts n and d of a forest's parts.")
      .def(nb::init<const BoundForest&, In<std::int16_t>, In<std::int16_t>>(), "forest"_a, "n"_a,
           "d"_a, nb::keep_alive<1, 2>())
      .def_prop_ro(
          "goal_range",
          [](const BoundCountTable& c) {
            const auto& r = c.core.goal_range();
            return std::make_tuple(r.n_low, r.n_high, r.d_low, r.d_high);
          },
          "The lowest and highest n and d of the goal's derivations.")
      .def_prop_ro(
          "rounding_steps", [](const BoundCountTable& c) { return c.core.rounding_steps(); },
          "Bounds the relative rounding error of real terms, in units of roundoff.");
  m.def(
      "node_ranges",
      [](const BoundForest& f, const BoundCountTable& c) {
        std::vector<std::int32_t> out;
        for (const auto& r : c.of(f).node_ranges(f.core))
          out.insert(out.end(), {r.n_low, r.n_high, r.d_low, r.d_high});
        return give_table(std::move(out), 4);
      },
      "forest"_a, "counts"_a, "n_low, n_high, d_low, d_high of every node.");
  m.def(
      "cell_costs",
      [](const BoundForest& f, const BoundCountTable& c) {
        const auto costs = cell_costs(f.core, c.of(f));
        return std::make_tuple(costs.split, costs.sliced_per_term, costs.split_cells,
                               costs.sliced_cells);
      },
      "forest"_a, "counts"_a, "Products of split and of sliced (a term), and their cells.");
  m.def(
      "term_values",
      [](const BoundForest& f, const BoundCountTable& c, const In<double>& s,
         const TermPlan& plan) {
        return goal_values(f, s, [&](Workspace& work, const StopFlag&) {
          return term_values(all_edges(f.core, work), c.of(f), plan, work);
        });
      },
      "forest"_a, "counts"_a, "scores"_a, "plan"_a,
      "E[exp(rate_n[k] n + rate_d[k] d)] of each term.");
  m.def(
      "split_law",
      [](const BoundForest& f, const BoundCountTable& c, const In<double>& s) {
        auto law = goal_values(f, s, [&](Workspace& work, const StopFlag& stop) {
          return split_law(f.core, c.of(f), work, stop);
        });
        return give_table(std::move(law), static_cast<std::size_t>(c.core.goal_range().columns()));
      },
      "forest"_a, "counts"_a, "scores"_a, "P(n, d) on the goal's grid.");
  m.def(
      "sliced_values",
      [](const BoundForest& f, const BoundCountTable& c, const In<double>& s,
         const SlicedPlan& plan) {
        return goal_values(f, s, [&](Workspace& work, const StopFlag& stop) {
          return sliced_values(f.core, c.of(f), plan, work, stop);
        });
      },
      "forest"_a, "counts"_a, "scores"_a, "plan"_a, "[d][term]: E[exp(rate n); d].");
  m.def(
      "split_best", bind_split_best, "forest"_a, "counts"_a, "scores"_a, "cell"_a = nb::none(),
      "The best score in each (n, d) cell, and the derivation of one cell (of the first if None).");
  m.def("tilted_log_sum", bind_tilted, "forest"_a, "counts"_a, "scores"_a, "plan"_a,
        "log sum of w g, the marginals of w g, terms, certified error, share of edges, values of d "
        "kept apart; or None.");
  m.def("fit_terms", bind_fit_terms, "log_rest"_a, "lows"_a, "n_within_d"_a, "centre"_a,
        "covariance"_a, "moments"_a, "tolerance"_a, "outer_n"_a, "outer_d"_a, "outer_log_rest"_a,
        "A sum of exponentials of the counts from a centre, with rates along n and d and "
        "coefficients [terms] each, and a bound on its mean error under a law with these moments; "
        "or None.");
  nb::class_<BoundTiltedCorpus>(m, "TiltedCorpus",
                                "Sentences whose counts add up, tilted by a plane of the sums.")
      .def(nb::init<const std::vector<BoundTiltedCorpus::Item>&, double, double>(), "sentences"_a,
           "slope_n"_a, "slope_d"_a, nb::keep_alive<1, 2>(),
           "Forests, counts and scores, and the slopes that go into the scores.")
      .def_prop_ro("log_total", &BoundTiltedCorpus::log_total,
                   "log of the sum of the tilted weights.")
      .def_prop_ro("rounding_steps", &BoundTiltedCorpus::rounding_steps,
                   "Bounds the relative rounding error of a moment, in units of roundoff.")
      .def("law", &BoundTiltedCorpus::law,
           "Means of n and d, variance of n, covariance, variance of d.")
      .def("log_moments", &BoundTiltedCorpus::log_moments, "rate_n"_a, "rate_d"_a,
           "log E[exp(rate x)] of each pair of rates.")
      .def("masses", &BoundTiltedCorpus::masses, "coefficient"_a, "shift"_a,
           "E[uses * sum_k c_k exp(rate_k x - shift_k)] of every sentence's parts, with the rates "
           "of the last moments.");
  m.def("expectation", bind_expectation, "forest"_a, "counts"_a, "scores"_a, "objective"_a,
        "log Z, E[g] and every part's E[g * uses].");
  m.def("evaluate", bind_evaluate, "forest"_a, "gold"_a.none(), "counts"_a.none(), "objective"_a,
        "scores"_a, "An objective's value and its gradient over the scores.");
}

}  // namespace treewright::bind
