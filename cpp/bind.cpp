// The module: forests, sweeps, objectives and generic builders. Checks arrays once, releases the
// GIL, calls the core.
#include "bind.hpp"

namespace treewright::bind {

namespace {

auto bind_restrict(const BoundForest& forest, const In<std::uint8_t>& keep) {
  if (keep.size() != static_cast<std::size_t>(forest.core.edges()))
    throw std::invalid_argument("keep must have one entry an edge");
  std::vector<Index> node_of, edge_of;
  ForestArrays out = restrict_edges(forest.core, view(keep), node_of, edge_of);
  return std::make_tuple(give(std::move(out.first_edge)), give(std::move(out.left)),
                         give(std::move(out.right)), give(std::move(out.part)),
                         give(std::move(node_of)), give(std::move(edge_of)));
}

auto bind_marginals(const BoundForest& forest, const In<double>& scores) {
  const double* score = checked(forest, scores);
  Workspace work;
  std::vector<double> part(static_cast<std::size_t>(forest.core.parts()), 0.0);
  std::vector<double> edge(static_cast<std::size_t>(forest.core.edges()), 0.0);
  double log_z;
  {
    const nb::gil_scoped_release release;
    log_z = local_probabilities(forest.core, score, work);
    if (log_z != Log::zero()) add_marginals(forest.core, work, 1.0, part.data(), edge.data());
    work.node.resize(static_cast<std::size_t>(forest.core.nodes()) + 1, 0.0);
    work.node.erase(work.node.begin());
  }
  return std::make_tuple(log_z, give(std::move(work.node)), give(std::move(edge)),
                         give(std::move(part)));
}

auto bind_log_inside(const BoundForest& forest, const In<double>& scores) {
  const double* score = checked(forest, scores);
  Workspace work;
  unlocked([&] { return local_probabilities(forest.core, score, work); });
  work.log_inside.erase(work.log_inside.begin());
  return give(std::move(work.log_inside));
}

template <class S>
auto bind_inside(const BoundForest& forest, const In<double>& scores) {
  const double* score = checked(forest, scores);
  return give(unlocked([&] { return per_node(forest.core, inside(forest.core, score, S{})); }));
}

template <class S>
auto bind_outside(const BoundForest& forest, const In<double>& scores) {
  const double* score = checked(forest, scores);
  return give(unlocked([&] {
    return per_node(forest.core, outside(forest.core, score, S{}, inside(forest.core, score, S{})));
  }));
}

auto give_scaled(const Forest& forest, const NodeValues<ScaledReal::Value>& values) {
  std::vector<double> mantissa;
  std::vector<std::int64_t> exponent;
  for (Index v = 0; v < forest.nodes(); ++v) {
    mantissa.push_back(values[v].m);
    exponent.push_back(values[v].k);
  }
  return std::make_pair(give(std::move(mantissa)), give(std::move(exponent)));
}

auto bind_scaled_inside(const BoundForest& forest, const In<double>& scores) {
  const double* score = checked(forest, scores);
  return give_scaled(forest.core,
                     unlocked([&] { return inside(forest.core, score, ScaledReal{}); }));
}

auto bind_scaled_outside(const BoundForest& forest, const In<double>& scores) {
  const double* score = checked(forest, scores);
  return give_scaled(forest.core, unlocked([&] {
                       const auto in = inside(forest.core, score, ScaledReal{});
                       return outside(forest.core, score, ScaledReal{}, in);
                     }));
}

auto bind_count_inside(const BoundForest& forest, const In<double>& scores, std::uint64_t prime) {
  const double* score = checked(forest, scores);
  if (prime < 2 || prime >= (1ull << 62)) throw std::invalid_argument("prime outside 2 to 2^62");
  return give(unlocked(
      [&] { return per_node(forest.core, inside(forest.core, score, CountModulo{prime})); }));
}

auto bind_viterbi(const BoundForest& forest, const In<double>& scores) {
  const double* score = checked(forest, scores);
  return give(unlocked([&] { return viterbi(forest.core, score); }));
}

auto bind_kbest(const BoundForest& forest, const In<double>& scores, std::size_t k) {
  const double* score = checked(forest, scores);
  std::vector<DerivationTuple> out;
  for (auto& found : unlocked([&] { return kbest(forest.core, score, k); }))
    out.push_back(give(std::move(found)));
  return out;
}

auto bind_sample(const BoundForest& forest, const In<double>& scores, std::size_t k,
                 std::uint64_t seed) {
  const double* score = checked(forest, scores);
  std::vector<Out<Index>> out;
  auto found = unlocked([&] {
    Workspace work;
    require_weight(local_probabilities(forest.core, score, work));
    return sample(forest.core, work, k, seed);
  });
  for (auto& edges : found) out.push_back(give(std::move(edges)));
  return out;
}

double bind_entropy(const BoundForest& forest, const In<double>& scores) {
  const double* score = checked(forest, scores);
  return unlocked([&] {
    Workspace work;
    require_weight(local_probabilities(forest.core, score, work));
    return entropy(forest.core, score, work);
  });
}

double bind_divergence(const BoundForest& forest, const In<double>& p, const In<double>& q) {
  const double *p_score = checked(forest, p), *q_score = checked(forest, q);
  return unlocked([&] {
    Workspace p_work, q_work;
    require_weight(local_probabilities(forest.core, p_score, p_work));
    local_probabilities(forest.core, q_score, q_work);
    return divergence(forest.core, p_score, p_work, q_score, q_work);
  });
}

auto bind_expectation(const BoundForest& forest, const BoundCounts& counts,
                      const In<double>& scores, const Program& program) {
  const double* score = checked(forest, scores);
  std::vector<double> mass(static_cast<std::size_t>(forest.core.parts()), 0.0);
  double log_z = 0, value = 0;
  {
    const nb::gil_scoped_release release;
    interruptible([&](const StopFlag& stop) {
      Workspace work;
      log_z = require_weight(local_probabilities(forest.core, score, work));
      value = add_masses(forest.core, &counts.core, program, work, stop, mass.data());
    });
  }
  return std::make_tuple(log_z, value, give(std::move(mass)));
}

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

auto bind_split_best(const BoundForest& forest, const BoundCounts& counts, const In<double>& scores,
                     std::optional<std::size_t> cell) {
  const double* score = checked(forest, scores);
  std::vector<double> best;
  Derivation derivation;
  {
    const nb::gil_scoped_release release;
    interruptible([&](const StopFlag& stop) {
      derivation = split_viterbi(
          forest.core, counts.core, score,
          [&](const std::vector<double>& cells) {
            best = cells;
            if (cell && *cell >= cells.size()) throw std::invalid_argument("no such cell");
            return cell.value_or(0);
          },
          stop);
    });
  }
  const auto columns = static_cast<std::size_t>(counts.core.goal_range().columns());
  return std::make_pair(give_table(std::move(best), columns), give(std::move(derivation.edges)));
}

auto bind_evaluate(const BoundForest& forest, const BoundForest* gold, const BoundCounts* counts,
                   const Program& program, const In<double>& scores) {
  const double* score = checked(forest, scores);
  std::vector<double> gradient(static_cast<std::size_t>(forest.core.parts()), 0.0);
  double value = 0;
  {
    const nb::gil_scoped_release release;
    interruptible([&](const StopFlag& stop) {
      Workspace work;
      value = evaluate(forest.core, gold ? &gold->core : nullptr, counts ? &counts->core : nullptr,
                       program, score, work, stop, gradient.data());
    });
  }
  return std::make_pair(value, give(std::move(gradient)));
}

using BoundItem = std::tuple<const BoundForest*, const BoundForest*, const BoundCounts*,
                             const BoundFeatures*, const Program*>;

using Items = nb::typed<nb::list, nb::object>;

// A prepared batch: the items' addresses, checked once. Python's list keeps the objects.
class Batch {
 public:
  Batch(Items items, std::int64_t features) : kept_(items), features_(features) {
    for (nb::handle handle : items) {
      const auto [forest, gold, counts, features_of, program] = nb::cast<BoundItem>(handle);
      if (forest == nullptr || features_of == nullptr || program == nullptr)
        throw std::invalid_argument("an item needs a forest, features and a program");
      features_of->core.check(forest->core.parts(), features);
      items_.push_back({&forest->core, gold ? &gold->core : nullptr,
                        counts ? &counts->core : nullptr, &features_of->core, program});
    }
  }

  auto run(const In<double>& weights, unsigned threads) const {
    std::vector<double> gradient(weights.size(), 0.0);
    auto value =
        evaluate(items_, weights, threads, [&](std::size_t i, const std::vector<double>& local) {
          const auto& vocabulary = items_[i].features->vocabulary;
          for (std::size_t k = 0; k < local.size(); ++k) gradient[vocabulary[k]] += local[k];
        });
    return std::make_pair(give(std::move(value)), give(std::move(gradient)));
  }

  auto run_on(const In<std::int64_t>& numbers, const In<double>& weights, unsigned threads) {
    std::vector<Item> chosen;
    for (const std::int64_t i : view(numbers)) {
      if (i < 0 || i >= static_cast<std::int64_t>(items_.size()))
        throw std::invalid_argument("the batch has no example " + std::to_string(i));
      chosen.push_back(items_[static_cast<std::size_t>(i)]);
    }
    SparseSum sum;
    std::swap(sum, sum_);  // a second thread that comes here meanwhile makes its own
    if (sum.uses.empty()) sum = SparseSum(static_cast<std::size_t>(features_));
    auto value =
        evaluate(chosen, weights, threads, [&](std::size_t i, const std::vector<double>& local) {
          sum.add(chosen[i].features->vocabulary, local);
        });
    std::vector<double> gradient;
    std::vector<Index> uses, touched;
    sum.take(gradient, uses);
    touched.swap(sum.touched);
    std::swap(sum, sum_);
    return std::make_tuple(give(std::move(value)), give(std::move(touched)),
                           give(std::move(gradient)), give(std::move(uses)));
  }

  auto uses() const {
    std::vector<Index> count(static_cast<std::size_t>(features_), 0);
    for (const Item& item : items_)
      for (const Index feature : item.features->vocabulary)
        ++count[static_cast<std::size_t>(feature)];
    return give(std::move(count));
  }

  std::size_t size() const { return items_.size(); }

 private:
  std::vector<double> evaluate(
      std::span<const Item> items, const In<double>& weights, unsigned threads,
      const std::function<void(std::size_t, const std::vector<double>&)>& add) const {
    if (static_cast<std::int64_t>(weights.size()) != features_)
      throw std::invalid_argument("the batch was made for " + std::to_string(features_) +
                                  " weights, not " + std::to_string(weights.size()));
    std::vector<double> value(items.size(), 0.0);
    const nb::gil_scoped_release release;
    bool stopped = false;
    try {
      evaluate_batch(
          items, view(weights), threads, [&] { return stopped = interrupted(); }, value.data(),
          add);
    } catch (const Interrupted&) {
    }
    if (stopped) {
      const nb::gil_scoped_acquire gil;
      throw nb::python_error();
    }
    return value;
  }

  Items kept_;
  std::int64_t features_;
  std::vector<Item> items_;
  SparseSum sum_;  // of run_on: all zero, kept for the next call
};

std::string compiler() {
#if defined(__clang__)
  return std::string("clang ") + __clang_version__;
#elif defined(__GNUC__)
  return std::string("gcc ") + __VERSION__;
#else
  return "unknown";
#endif
}

const char* simd_level() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(TREEWRIGHT_SANITIZE)
  if (__builtin_cpu_supports("x86-64-v4")) return "x86-64-v4";
  if (__builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
#endif
  return "portable";
}

void bind_forest(nb::module_& m) {
  nb::class_<BoundForest>(m, "Forest", "A checked packed forest; keeps the arrays it was given.")
      .def(nb::init<In<Index>, In<Index>, In<Index>, In<Index>, Index>(), "first_edge"_a, "left"_a,
           "right"_a, "part"_a, "parts"_a)
      .def_prop_ro("nodes", [](const BoundForest& f) { return f.core.nodes(); })
      .def_prop_ro("edges", [](const BoundForest& f) { return f.core.edges(); })
      .def_prop_ro("parts", [](const BoundForest& f) { return f.core.parts(); });
  m.def(
      "reachable_nodes",
      [](const BoundForest& f) { return give(per_node(f.core, reachable_nodes(f.core))); },
      "forest"_a, "One byte a node: do derivations of the goal use it?");
  m.def(
      "reachable_parts", [](const BoundForest& f) { return give(reachable_parts(f.core)); },
      "forest"_a, "One byte a part: do derivations of the goal use it?");
  m.def("restrict", bind_restrict, "forest"_a, "keep"_a,
        "Arrays of the sub-forest of kept edges, and the old numbers of its nodes and edges.");
}

void bind_sweeps(nb::module_& m) {
  m.def("log_inside", bind_log_inside, "forest"_a, "scores"_a);
  m.def("max_inside", &bind_inside<Max>, "forest"_a, "scores"_a);
  m.def("log_outside", &bind_outside<Log>, "forest"_a, "scores"_a);
  m.def("max_outside", &bind_outside<Max>, "forest"_a, "scores"_a);
  m.def("scaled_inside", bind_scaled_inside, "forest"_a, "scores"_a,
        "Mantissas in [1, 2) and exponents of 2.");
  m.def("scaled_outside", bind_scaled_outside, "forest"_a, "scores"_a,
        "Mantissas in [1, 2) and exponents of 2.");
  m.def("count_inside", bind_count_inside, "forest"_a, "scores"_a, "prime"_a,
        "Numbers of derivations modulo a prime.");
  m.def("marginals", bind_marginals, "forest"_a, "scores"_a,
        "log Z and the marginals of nodes, edges and parts; zeros if no derivation has weight.");
  m.def("viterbi", bind_viterbi, "forest"_a, "scores"_a,
        "The best score and derivation; no edges if none has weight.");
  m.def("kbest", bind_kbest, "forest"_a, "scores"_a, "k"_a,
        "At most k (score, edges), best first.");
  m.def("sample", bind_sample, "forest"_a, "scores"_a, "k"_a, "seed"_a,
        "k derivations drawn from the model.");
  m.def("entropy", bind_entropy, "forest"_a, "scores"_a, "In nats.");
  m.def("divergence", bind_divergence, "forest"_a, "p_scores"_a, "q_scores"_a,
        "KL(P || Q) in nats.");
}

void bind_plans(nb::module_& m) {
  nb::class_<LanePlan>(m, "LanePlan", "sum_k coefficient[k] * exp(rate_n[k] n + rate_d[k] d).")
      .def(
          "__init__",
          [](LanePlan* self, bool is_complex, ComplexVector rate_n, ComplexVector rate_d,
             ComplexVector coefficient) {
            if (rate_n.size() != rate_d.size() || rate_n.size() != coefficient.size())
              throw std::invalid_argument("rates and coefficients differ in length");
            new (self)
                LanePlan{is_complex, std::move(rate_n), std::move(rate_d), std::move(coefficient)};
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
            if (rate.empty()) throw std::invalid_argument("a sliced plan needs a lane");
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
  using Plan = std::variant<std::monostate, LanePlan, SplitPlan, SlicedPlan, MarginPlan, CellPlan>;
  nb::class_<Program>(m, "Program", "An objective on one forest, compiled to numbers.")
      .def(
          "__init__",
          [](Program* self, const std::string& side, double constant,
             std::optional<In<double>> cost, nb::object plan) {
            const auto kind = side == "log-sum" ? Side::kLogSum
                              : side == "risk"  ? Side::kRisk
                              : side == "max"   ? Side::kMax
                                                : throw std::invalid_argument("unknown side");
            Plan chosen;
            if (nb::isinstance<LanePlan>(plan))
              chosen = nb::cast<LanePlan>(plan);
            else if (nb::isinstance<SplitPlan>(plan))
              chosen = nb::cast<SplitPlan>(plan);
            else if (nb::isinstance<SlicedPlan>(plan))
              chosen = nb::cast<SlicedPlan>(plan);
            else if (nb::isinstance<MarginPlan>(plan))
              chosen = nb::cast<MarginPlan>(plan);
            else if (nb::isinstance<CellPlan>(plan))
              chosen = nb::cast<CellPlan>(plan);
            else if (!plan.is_none())
              throw std::invalid_argument("not a plan");
            new (self) Program{kind, constant, cost ? copy(*cost) : std::vector<double>{}, chosen};
          },
          "side"_a, "constant"_a = 0.0, "cost"_a = nb::none(), "plan"_a = nb::none());
}

void bind_counts(nb::module_& m) {
  nb::class_<BoundCounts>(m, "Counts", "The counts n and d of a forest's parts.")
      .def(nb::init<const BoundForest&, In<std::int16_t>, In<std::int16_t>>(), "forest"_a, "n"_a,
           "d"_a)
      .def_prop_ro(
          "goal_range",
          [](const BoundCounts& c) {
            const auto& r = c.core.goal_range();
            return std::make_tuple(r.n_low, r.n_high, r.d_low, r.d_high);
          },
          "The lowest and highest n and d of the goal's derivations.")
      .def_prop_ro(
          "rounding_steps", [](const BoundCounts& c) { return c.core.rounding_steps(); },
          "Bounds the relative rounding error of real lanes, in units of roundoff.");
  m.def(
      "node_ranges",
      [](const BoundForest& f, const BoundCounts& c) {
        std::vector<std::int32_t> out;
        for (const auto& r : c.core.node_ranges(f.core))
          out.insert(out.end(), {r.n_low, r.n_high, r.d_low, r.d_high});
        return give_table(std::move(out), 4);
      },
      "forest"_a, "counts"_a, "n_low, n_high, d_low, d_high of every node.");
  m.def(
      "cell_costs",
      [](const BoundForest& f, const BoundCounts& c) {
        const auto costs = cell_costs(f.core, c.core);
        return std::make_tuple(costs.split, costs.sliced_per_lane, costs.split_cells,
                               costs.sliced_cells);
      },
      "forest"_a, "counts"_a, "Products of split and of sliced (a lane), and their cells.");
  m.def(
      "lane_values",
      [](const BoundForest& f, const BoundCounts& c, const In<double>& s, const LanePlan& plan) {
        return goal_values(f, s, [&](Workspace& work, const StopFlag&) {
          return lane_values(f.core, c.core, plan, work);
        });
      },
      "forest"_a, "counts"_a, "scores"_a, "plan"_a,
      "E[exp(rate_n[k] n + rate_d[k] d)] of each lane.");
  m.def(
      "split_law",
      [](const BoundForest& f, const BoundCounts& c, const In<double>& s) {
        auto law = goal_values(f, s, [&](Workspace& work, const StopFlag& stop) {
          return split_law(f.core, c.core, work, stop);
        });
        return give_table(std::move(law), static_cast<std::size_t>(c.core.goal_range().columns()));
      },
      "forest"_a, "counts"_a, "scores"_a, "P(n, d) on the goal's box.");
  m.def(
      "sliced_values",
      [](const BoundForest& f, const BoundCounts& c, const In<double>& s, const SlicedPlan& plan) {
        return goal_values(f, s, [&](Workspace& work, const StopFlag& stop) {
          return sliced_values(f.core, c.core, plan, work, stop);
        });
      },
      "forest"_a, "counts"_a, "scores"_a, "plan"_a, "[d][lane]: E[exp(rate n); d].");
  m.def(
      "split_best", bind_split_best, "forest"_a, "counts"_a, "scores"_a, "cell"_a = nb::none(),
      "The best score in each (n, d) cell, and the derivation of one cell (of the first if None).");
  m.def("expectation", bind_expectation, "forest"_a, "counts"_a, "scores"_a, "program"_a,
        "log Z, E[g] and every part's E[g * uses].");
  m.def("evaluate", bind_evaluate, "forest"_a, "gold"_a.none(), "counts"_a.none(), "program"_a,
        "scores"_a, "An objective's value and its gradient over the scores.");
}

void bind_batch(nb::module_& m) {
  nb::class_<BoundFeatures>(m, "Features", "A CSR matrix of parts and features.")
      .def(nb::init<In<Index>, In<Index>, In<Index>, std::optional<In<float>>>(), "first"_a,
           "local"_a, "vocabulary"_a, "value"_a = nb::none())
      .def(
          "scores",
          [](const BoundFeatures& f, const In<double>& weights) {
            f.core.check(f.parts, static_cast<std::int64_t>(weights.size()));
            std::vector<double> local, out(static_cast<std::size_t>(f.parts));
            score_parts(f.core, weights.data(), local, out.data());
            return give(std::move(out));
          },
          "weights"_a, "Every part's score.")
      .def(
          "backpropagate",
          [](const BoundFeatures& f, const In<double>& gradient) {
            if (gradient.size() != static_cast<std::size_t>(f.parts))
              throw std::invalid_argument("the gradient must have one entry a part");
            std::vector<double> local;
            backpropagate(f.core, gradient.data(), local);
            return give(std::move(local));
          },
          "gradient"_a, "The gradient over the vocabulary, from the one over the parts.");
  nb::class_<Batch>(m, "Batch", "Items (forest, gold, counts, features, program), checked once.")
      .def(nb::init<Items, std::int64_t>(), "items"_a, "features"_a)
      .def("__len__", &Batch::size)
      .def("run", &Batch::run, "weights"_a, "threads"_a = 1,
           "Every item's value, and the gradient of their sum; the same for any number of threads.")
      .def("run_on", &Batch::run_on, "numbers"_a, "weights"_a, "threads"_a = 1,
           "Values of some items; features that they have, the gradient there, items with each.")
      .def("uses", &Batch::uses, "How many items have each feature.");
}

void bind_builders(nb::module_& m) {
  nb::class_<Grammar>(m, "Grammar", "Integer rules, compiled for the chart builder.")
      .def(
          "__init__",
          [](Grammar* self, Index symbols, const In<Index>& binary, const In<Index>& unary) {
            new (self) Grammar(symbols, view(binary), view(unary));
          },
          "symbols"_a, "binary"_a, "unary"_a)
      .def_prop_ro("symbols", &Grammar::symbols);
  m.def(
      "build_chart",
      [](const Grammar& grammar, Index words, const In<Index>& entry_word,
         const In<Index>& entry_symbol, Index goal, const std::string& sharing,
         std::size_t max_edges) {
        const auto share = sharing == "none"   ? Sharing::kNone
                           : sharing == "span" ? Sharing::kSpan
                           : sharing == "rule" ? Sharing::kRule
                                               : throw std::invalid_argument("unknown sharing");
        Chart chart;
        {
          const nb::gil_scoped_release release;
          chart = build_chart(grammar, words, view(entry_word), view(entry_symbol), goal, share,
                              max_edges);
        }
        auto& f = chart.forest;
        return std::make_tuple(give(std::move(f.first_edge)), give(std::move(f.left)),
                               give(std::move(f.right)), give(std::move(f.part)), f.parts,
                               give_table(std::move(chart.nodes), 3),
                               give_table(std::move(chart.parts), 4));
      },
      "grammar"_a, "words"_a, "entry_word"_a, "entry_symbol"_a, "goal"_a, "sharing"_a,
      "max_edges"_a);
  m.def(
      "build_chain",
      [](const In<Index>& first_tag, const In<Index>& tag, int order, std::size_t max_edges) {
        Chain chain;
        {
          const nb::gil_scoped_release release;
          chain = build_chain(view(first_tag), view(tag), order, max_edges);
        }
        auto& f = chain.forest;
        return std::make_tuple(
            give(std::move(f.first_edge)), give(std::move(f.left)), give(std::move(f.right)),
            give(std::move(f.part)), f.parts,
            give_table(std::move(chain.ngrams), static_cast<std::size_t>(order) + 1));
      },
      "first_tag"_a, "tag"_a, "order"_a, "max_edges"_a);
}

}  // namespace

}  // namespace treewright::bind

using namespace treewright;
using namespace treewright::bind;

// What users can mend is a ForestError in Python.
void translate(const std::exception_ptr& thrown, void*) {
  const auto raise = [](const char* message) {
    const nb::object type = nb::module_::import_("treewright.errors").attr("ForestError");
    PyErr_SetString(type.ptr(), message);
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const std::invalid_argument& error) {
    raise(error.what());
  } catch (const std::length_error& error) {
    raise(error.what());
  }
}

NB_MODULE(_core, m) {
  nb::register_exception_translator(translate);
  m.doc() = "Treewright's native core: forests, sweeps and objectives over integers and floats.";
  m.def("simd_level", simd_level, "The instruction set that the hot loops use here.");
  m.def("compiler", compiler, "What the core was compiled with.");
  bind_forest(m);
  bind_sweeps(m);
  bind_plans(m);
  bind_counts(m);
  bind_batch(m);
  bind_builders(m);
  bind_tagger(m);
  bind_ccg(m);
  bind_constituency(m);
  bind_transition(m);
  bind_graph(m);
  bind_factors(m);
}
