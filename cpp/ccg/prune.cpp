// Selects the part of a coarse chart that is close to its best analysis.
#include <cmath>
#include <limits>

#include "ccg/gold.hpp"

namespace treewright::ccg {

namespace {

constexpr double kSlack = 1e-9;  // relative

// Follows edges that `wanted(node, edge)` accepts, downwards from the kept nodes.
template <class Wanted>
void keep_below(CoarseChart& chart, Wanted wanted) {
  for (std::size_t v = chart.node.size(); v-- > 0;) {
    if (!chart.keep[v]) continue;
    for (Index e = chart.node[v].first_edge; e < chart.node[v].last_edge; ++e) {
      if (!wanted(v, e)) continue;
      const CoarseChart::Edge& edge = chart.edge[at(e)];
      chart.keep_edge[at(e)] = 1;
      if (edge.left >= 0) chart.keep[at(edge.left)] = 1;
      if (edge.right >= 0) chart.keep[at(edge.right)] = 1;
    }
  }
}

}  // namespace

// outside(tail) = max_e outside(v) + own(e) + inside(other tail); an edge is kept where
// outside(v) + own(e) + sum inside(tails) is within the margin of the best root.
void prune(const CcgGrammar& grammar, double margin, CoarseChart& chart) {
  for (const Index v : chart.root) chart.keep[at(v)] = 1;
  if (margin == std::numeric_limits<double>::infinity())
    return keep_below(chart, [](std::size_t, Index) { return true; });
  const std::vector<double>& inside = chart.inside;
  std::vector<double> outside(chart.node.size(), kNever);
  double best = kNever;
  for (const Index v : chart.root) {
    outside[at(v)] = grammar.root_score(chart.node[at(v)].symbol);
    best = std::max(best, outside[at(v)] + inside[at(v)]);
  }
  // Sums in another order differ in their last bits, which must not prune the best analysis.
  const double lowest = best - margin - kSlack * std::max(1.0, std::abs(best));
  for (const Index v : chart.root) chart.keep[at(v)] = outside[at(v)] + inside[at(v)] >= lowest;
  keep_below(chart, [&](std::size_t v, Index e) {
    const CoarseChart::Edge& edge = chart.edge[at(e)];
    const double whole = outside[v] + chart.through(edge);
    if (whole < lowest) return false;
    for (const Index tail : {edge.left, edge.right})
      if (tail >= 0) outside[at(tail)] = std::max(outside[at(tail)], whole - inside[at(tail)]);
    return true;
  });
}

// gold(v) = some edge of v is gold; gold(e) = e's rule is gold there, and so are the nodes below.
void keep_gold(const CcgGrammar& grammar, const CcgGold& gold, CoarseChart& chart) {
  std::vector<std::uint8_t> is_gold(chart.node.size(), 0), gold_edge(chart.edge.size(), 0);
  const auto holds = [&](const CoarseChart::Node& node, const CoarseChart::Edge& edge) {
    if (edge.left < 0) return gold.has_cell(edge.rule);
    if (!is_gold[at(edge.left)] || (edge.right >= 0 && !is_gold[at(edge.right)])) return false;
    const Index split = edge.right < 0 ? -1 : chart.node[at(edge.right)].begin;
    return gold.has_node(node.begin, split, node.end, grammar.rule(edge.rule));
  };
  for (std::size_t v = 0; v < chart.node.size(); ++v)
    for (Index e = chart.node[v].first_edge; e < chart.node[v].last_edge; ++e)
      if (holds(chart.node[v], chart.edge[at(e)])) is_gold[v] = gold_edge[at(e)] = 1;
  for (const Index v : chart.root)
    if (is_gold[at(v)] && gold.has_root(grammar.category(chart.node[at(v)].symbol)))
      chart.keep[at(v)] = 1;
  keep_below(chart,
             [&](std::size_t, Index e) { return gold_edge[at(e)] || chart.keep_edge[at(e)]; });
}

std::vector<std::vector<Index>> cover(double margin, CoarseChart& chart) {
  constexpr Index kUnreached = std::numeric_limits<Index>::max() / 4;
  const Index n = chart.words;
  const auto filled = [&](Index i, Index j) {
    return chart.first_node[chart.cell(i, j)] < chart.last_node[chart.cell(i, j)];
  };
  // before(j) = min_i before(i) + 1, after(i) = min_j 1 + after(j), over spans (i, j) with a node
  std::vector<Index> before(at(n) + 1, kUnreached), after(at(n) + 1, kUnreached);
  before[0] = after[at(n)] = 0;
  for (Index j = 1; j <= n; ++j)
    for (Index i = 0; i < j; ++i)
      if (filled(i, j)) before[at(j)] = std::min(before[at(j)], before[at(i)] + 1);
  for (Index i = n; i-- > 0;)
    for (Index j = i + 1; j <= n; ++j)
      if (filled(i, j)) after[at(i)] = std::min(after[at(i)], after[at(j)] + 1);
  std::vector<std::vector<Index>> ending(at(n) + 1);
  if (before[at(n)] >= kUnreached) return ending;
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j <= n; ++j)
      if (filled(i, j) && before[at(i)] + 1 + after[at(j)] == before[at(n)])
        for (Index v = chart.first_node[chart.cell(i, j)]; v < chart.last_node[chart.cell(i, j)];
             ++v) {
          ending[at(j)].push_back(v);
          chart.keep[at(v)] = 1;
        }
  // Within a fragment, each node keeps the edges close to its own best.
  keep_below(chart, [&](std::size_t v, Index e) {
    return chart.through(chart.edge[at(e)]) >= chart.inside[v] - margin;
  });
  return ending;
}

}  // namespace treewright::ccg
