#include <algorithm>
#include <stdexcept>

#include "counts/cell_sweep.hpp"
#include "counts/cells.hpp"

namespace treewright::counts {
namespace {

struct MaxOps {
  using Value = double;
  static constexpr double zero() { return Max::zero(); }
  static constexpr double one() { return 0.0; }
  static double times(double a, double b) { return a + b; }
  static void add(double& a, double b) { a = a < b ? b : a; }
};

// score(e) - slope[k] * n(e) in term k: what an edge adds in the max-plus semiring. The products
// come from a table, so that the sweep and the trace of its result subtract the very same numbers.
struct LoweredWeight {
  const Forest& f;
  const CountTable& counts;
  const double* score;
  std::size_t terms;
  std::vector<double> lowering;  // [distinct pairs of counts][terms]

  LoweredWeight(const Forest& forest, const CountTable& c, const double* s,
                const std::vector<double>& slope)
      : f(forest), counts(c), score(s), terms(slope.size()) {
    for (const auto& pair : c.pairs)
      for (const double each : slope) lowering.push_back(each * static_cast<double>(pair.n));
  }
  double term(Index e, std::size_t k) const {
    return score[f.part[e]] - lowering[counts.kind[f.part[e]] * terms + k];
  }
  TREEWRIGHT_INLINE void operator()(Index e, double* out) const {
    for (std::size_t k = 0; k < terms; ++k) out[k] = term(e, k);
  }
};

TREEWRIGHT_CLONES bool run_forward(CellSweep<MaxOps>& sweep, const LoweredWeight& weight) {
  return sweep.forward(weight);
}

// Follows one cell of one term down the grids: at each node the first edge and pair of cells whose
// product is the cell's value. The forward sweep did the same sums, so equality is exact.
template <class Weigh>
Derivation trace(const Forest& f, const Layout& layout, const std::vector<double>& value,
                 std::size_t term, std::size_t goal_cell, Weigh weigh) {
  struct Item {
    Index node;
    std::size_t cell;
  };
  Derivation out;
  out.score = value[goal_cell];
  if (out.score == Max::zero()) return out;
  std::vector<Item> agenda{{f.goal(), goal_cell}};
  while (!agenda.empty()) {
    const Item item = agenda.back();
    agenda.pop_back();
    bool found = false;
    for (Index e = f.first_edge[item.node]; e < f.first_edge[item.node + 1] && !found; ++e) {
      const Index l = f.left[e], r = f.right[e];
      const double weight = weigh(e);
      for_rows(layout[item.node], layout[l], layout[r], layout.row_shift(item.node, e),
               layout.column_shift(item.node, e), layout.terms,
               [&](std::size_t left, std::size_t right, std::size_t head) {
                 for (Index c = 0; c < layout[r].columns && !found; ++c) {
                   const std::size_t step = static_cast<std::size_t>(c) * layout.terms + term;
                   if (head + step != item.cell) continue;
                   if ((weight + value[left + term]) + value[right + step] != value[item.cell])
                     continue;
                   found = true;
                   out.edges.push_back(e);
                   if (r != kNoTail) agenda.push_back({r, right + step});
                   if (l != kNoTail) agenda.push_back({l, left + term});
                 }
               });
    }
    if (!found) throw std::logic_error("a cell's value has no source");
  }
  return out;
}

}  // namespace

Derivation split_viterbi(const Forest& forest, const CountTable& counts, const double* score,
                         const ChooseCell& choose, const StopFlag& stop) {
  const Layout layout(forest, counts, true, 1);
  CellSweep<MaxOps> sweep(forest, layout, stop);
  const LoweredWeight weight(forest, counts, score, {0.0});
  require_finished(run_forward(sweep, weight));
  const std::size_t goal = layout[forest.goal()].offset;
  const std::vector<double> best(sweep.value.begin() + static_cast<std::ptrdiff_t>(goal),
                                 sweep.value.end());
  return trace(forest, layout, sweep.value, 0, goal + choose(best),
               [&](Index e) { return weight.term(e, 0); });
}

Derivation sliced_viterbi(const Forest& forest, const CountTable& counts, const double* score,
                          const std::vector<double>& offset, const std::vector<double>& slope,
                          const StopFlag& stop) {
  const auto columns = static_cast<std::size_t>(counts.goal_range().columns());
  if (offset.size() != columns || slope.size() != columns)
    throw std::invalid_argument("the loss does not have one offset and slope for each d");
  const Layout layout(forest, counts, false, columns);
  CellSweep<MaxOps> sweep(forest, layout, stop);
  const LoweredWeight weight(forest, counts, score, slope);
  require_finished(run_forward(sweep, weight));
  // Term c is right for derivations with the c-th value of d: the diagonal of the goal's grid.
  const std::size_t goal = layout[forest.goal()].offset;
  std::size_t top = 0;
  const auto total = [&](std::size_t c) { return sweep.value[goal + c * columns + c] + offset[c]; };
  for (std::size_t c = 1; c < columns; ++c)
    if (total(c) > total(top)) top = c;
  Derivation out = trace(forest, layout, sweep.value, top, goal + top * columns + top,
                         [&](Index e) { return weight.term(e, top); });
  out.score += offset[top];
  return out;
}

}  // namespace treewright::counts
