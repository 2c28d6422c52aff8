// Bindings of forests, their sweeps, and the generic builders.
#include "bind/bind.hpp"

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

auto bind_viterbi_by(const BoundForest& forest, const In<double>& gains, const In<double>& scores) {
  const double *gain = checked(forest, gains), *score = checked(forest, scores);
  return give(unlocked([&] { return viterbi(forest.core, gain, score); }));
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

}  // namespace

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
  m.def("viterbi_by", bind_viterbi_by, "forest"_a, "gains"_a, "scores"_a,
        "The best sum of gains, and of the derivations that have it the one of the best score.");
  m.def("kbest", bind_kbest, "forest"_a, "scores"_a, "k"_a,
        "At most k (score, edges), best first.");
  m.def("sample", bind_sample, "forest"_a, "scores"_a, "k"_a, "seed"_a,
        "k derivations drawn from the model.");
  m.def("entropy", bind_entropy, "forest"_a, "scores"_a, "In nats.");
  m.def("divergence", bind_divergence, "forest"_a, "p_scores"_a, "q_scores"_a,
        "KL(P || Q) in nats.");
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

}  // namespace treewright::bind
