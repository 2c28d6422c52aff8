#include "cells.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "simd.hpp"

namespace treewright {
namespace {

struct RealOps {
  using Value = double;
  static constexpr double zero() { return 0.0; }
  static constexpr double one() { return 1.0; }
  static double times(double a, double b) { return a * b; }
  static void add(double& a, double b) { a += b; }
  static double real(double a) { return a; }
};

struct MaxOps {
  using Value = double;
  static constexpr double zero() { return Max::zero(); }
  static constexpr double one() { return 0.0; }
  static double times(double a, double b) { return a + b; }
  static void add(double& a, double b) { a = a < b ? b : a; }
};

struct Complex {
  double re, im;
};

struct ComplexOps {
  using Value = Complex;
  static constexpr Complex zero() { return {0, 0}; }
  static constexpr Complex one() { return {1, 0}; }
  static Complex times(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  static void add(Complex& a, Complex b) { a.re += b.re, a.im += b.im; }
  static double real(Complex a) { return a.re; }
};

// Where a node's cells lie, and how large its box is.
struct Box {
  std::size_t offset;
  Index rows, columns;
};

// The boxes of all nodes (slot -1: one cell, for "no tail") for one of the two ways of tracking.
class Layout {
 public:
  Layout(const Forest& forest, const Counts& counts, bool track_n, std::size_t lanes)
      : forest_(forest),
        counts_(counts),
        boxes_(forest.nodes(), {0, 1, 1}),
        low_(forest.nodes(), {0, 0, 0, 0}),
        track_n_(track_n),
        lanes(lanes) {
    const auto ranges = counts.node_ranges(forest);
    size = lanes;
    for (Index v = 0; v < forest.nodes(); ++v) {
      low_[v] = ranges[static_cast<std::size_t>(v)];
      const Box box{size, track_n ? low_[v].rows() : 1, low_[v].columns()};
      boxes_[v] = box;
      size += static_cast<std::size_t>(box.rows) * static_cast<std::size_t>(box.columns) * lanes;
    }
  }

  const Box& operator[](Index v) const { return boxes_[v]; }
  // Where the cell (0, 0) of both tails lands in the head's box.
  Index row_shift(Index v, Index e) const {
    if (!track_n_) return 0;
    return counts_.n[forest_.part[e]] + low_[forest_.left[e]].n_low + low_[forest_.right[e]].n_low -
           low_[v].n_low;
  }
  Index column_shift(Index v, Index e) const {
    return counts_.d[forest_.part[e]] + low_[forest_.left[e]].d_low + low_[forest_.right[e]].d_low -
           low_[v].d_low;
  }

 private:
  const Forest& forest_;
  const Counts& counts_;
  NodeValues<Box> boxes_;
  NodeValues<Counts::Range> low_;
  bool track_n_;

 public:
  std::size_t lanes, size;
};

// out[k] += weight[k] * left[k] * right[k] for all cells of `right` in one row.
template <class Ops>
TREEWRIGHT_INLINE void combine_row(typename Ops::Value* out, const typename Ops::Value* weight,
                                   const typename Ops::Value* left,
                                   const typename Ops::Value* right, Index cells,
                                   std::size_t lanes) {
  if (lanes == 1) {
    const auto w = Ops::times(*weight, *left);
    for (Index c = 0; c < cells; ++c) Ops::add(out[c], Ops::times(w, right[c]));
    return;
  }
  for (Index c = 0; c < cells; ++c, out += lanes, right += lanes)
    for (std::size_t k = 0; k < lanes; ++k)
      Ops::add(out[k], Ops::times(Ops::times(weight[k], left[k]), right[k]));
}

// The same row backwards: adjoints of left and right, and the mass that passed.
template <class Ops>
TREEWRIGHT_INLINE typename Ops::Value pull_row(
    const typename Ops::Value* above, const typename Ops::Value* weight,
    const typename Ops::Value* left, const typename Ops::Value* right, typename Ops::Value* to_left,
    typename Ops::Value* to_right, Index cells, std::size_t lanes) {
  auto mass = Ops::zero();
  if (lanes == 1) {
    const auto w = Ops::times(*weight, *left);
    auto sum = Ops::zero();
    for (Index c = 0; c < cells; ++c) {
      Ops::add(sum, Ops::times(above[c], right[c]));
      Ops::add(to_right[c], Ops::times(w, above[c]));
    }
    Ops::add(*to_left, Ops::times(*weight, sum));
    return Ops::times(w, sum);
  }
  for (Index c = 0; c < cells; ++c, above += lanes, right += lanes, to_right += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const auto u = Ops::times(weight[k], above[k]);
      const auto down = Ops::times(u, right[k]);
      Ops::add(mass, Ops::times(down, left[k]));
      Ops::add(to_left[k], down);
      Ops::add(to_right[k], Ops::times(u, left[k]));
    }
  }
  return mass;
}

// Calls row(left cell, first right cell, first head cell) for every row of every pair of cells.
template <class Row>
TREEWRIGHT_INLINE void for_rows(const Box& head, const Box& left, const Box& right, Index row_shift,
                                Index column_shift, std::size_t lanes, Row row) {
  for (Index r1 = 0; r1 < left.rows; ++r1)
    for (Index c1 = 0; c1 < left.columns; ++c1)
      for (Index r2 = 0; r2 < right.rows; ++r2) {
        const auto cell = [&](const Box& box, Index r, Index c) {
          return box.offset + (static_cast<std::size_t>(r) * static_cast<std::size_t>(box.columns) +
                               static_cast<std::size_t>(c)) *
                                  lanes;
        };
        row(cell(left, r1, c1), cell(right, r2, 0),
            cell(head, r1 + r2 + row_shift, c1 + column_shift));
      }
}

// One forest, one layout, one semiring. `weigh(e, out)` writes the edge's weight for every lane.
template <class Ops>
struct CellSweep {
  using Value = typename Ops::Value;
  const Forest& f;
  const Layout& layout;
  const StopFlag& stop;
  std::vector<Value> value;

  CellSweep(const Forest& forest, const Layout& boxes, const StopFlag& stop_flag)
      : f(forest), layout(boxes), stop(stop_flag), value(boxes.size, Ops::zero()) {
    std::fill_n(value.begin(), layout.lanes, Ops::one());
  }

  template <class Weigh>
  TREEWRIGHT_INLINE void forward(Weigh weigh) {
    std::vector<Value> weight(layout.lanes);
    for (Index v = 0; v < f.nodes(); ++v) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted{};
      for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
        weigh(e, weight.data());
        const Box &left = layout[f.left[e]], &right = layout[f.right[e]];
        for_rows(layout[v], left, right, layout.row_shift(v, e), layout.column_shift(v, e),
                 layout.lanes, [&](std::size_t l, std::size_t r, std::size_t h) {
                   combine_row<Ops>(&value[h], weight.data(), &value[l], &value[r], right.columns,
                                    layout.lanes);
                 });
      }
    }
  }

  // `above` holds the goal's adjoints in its own cells and zeros elsewhere.
  template <class Weigh>
  TREEWRIGHT_INLINE void adjoint(Weigh weigh, std::vector<Value>& above, double* mass) const {
    std::vector<Value> weight(layout.lanes);
    for (Index v = f.goal(); v >= 0; --v) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted{};
      for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
        weigh(e, weight.data());
        const Box &left = layout[f.left[e]], &right = layout[f.right[e]];
        auto passed = Ops::zero();
        for_rows(layout[v], left, right, layout.row_shift(v, e), layout.column_shift(v, e),
                 layout.lanes, [&](std::size_t l, std::size_t r, std::size_t h) {
                   Ops::add(passed,
                            pull_row<Ops>(&above[h], weight.data(), &value[l], &value[r], &above[l],
                                          &above[r], right.columns, layout.lanes));
                 });
        mass[f.part[e]] += Ops::real(passed);
      }
    }
  }
};

// p(e) in the only lane.
struct PlainWeight {
  const double* p;
  void operator()(Index e, double* out) const { *out = p[e]; }
};

// p(e) * exp(rate[k] * n(e)) in lane k, from a table with one row a distinct pair of counts.
template <class Value>
struct TiltedWeight {
  const Forest& f;
  const Counts& counts;
  const double* p;
  std::size_t lanes;
  std::vector<Value> table;

  TREEWRIGHT_INLINE void operator()(Index e, Value* out) const {
    const Value* tilt = &table[counts.kind[f.part[e]] * lanes];
    for (std::size_t k = 0; k < lanes; ++k) {
      if constexpr (std::is_same_v<Value, double>) {
        out[k] = p[e] * tilt[k];
      } else {
        out[k] = {p[e] * tilt[k].re, p[e] * tilt[k].im};
      }
    }
  }
};

template <class Value>
TiltedWeight<Value> tilted_weight(const Forest& forest, const Counts& counts,
                                  const SlicedPlan& plan, const double* p) {
  TiltedWeight<Value> weight{forest, counts, p, plan.rate.size(), {}};
  for (const auto& pair : counts.pairs)
    for (const auto& rate : plan.rate) {
      const std::complex<double> tilt = std::exp(rate * static_cast<double>(pair.n));
      if constexpr (std::is_same_v<Value, double>)
        weight.table.push_back(tilt.real());
      else
        weight.table.push_back({tilt.real(), tilt.imag()});
    }
  return weight;
}

// The attribute needs plain functions: one for each kind of sweep.
TREEWRIGHT_CLONES void split_forward(CellSweep<RealOps>& sweep, const double* p) {
  sweep.forward(PlainWeight{p});
}
TREEWRIGHT_CLONES void split_adjoint(const CellSweep<RealOps>& sweep, const double* p,
                                     std::vector<double>& above, double* mass) {
  sweep.adjoint(PlainWeight{p}, above, mass);
}
TREEWRIGHT_CLONES void sliced_forward(CellSweep<RealOps>& sweep, const TiltedWeight<double>& w) {
  sweep.forward(w);
}
TREEWRIGHT_CLONES void sliced_adjoint(const CellSweep<RealOps>& sweep,
                                      const TiltedWeight<double>& w, std::vector<double>& above,
                                      double* mass) {
  sweep.adjoint(w, above, mass);
}
// score(e) - slope[k] * n(e) in lane k: what an edge adds in the max-plus semiring.
struct LoweredWeight {
  const Forest& f;
  const Counts& counts;
  const double* score;
  const std::vector<double>& slope;
  double lane(Index e, std::size_t k) const {
    return score[f.part[e]] - slope[k] * static_cast<double>(counts.n[f.part[e]]);
  }
  TREEWRIGHT_INLINE void operator()(Index e, double* out) const {
    for (std::size_t k = 0; k < slope.size(); ++k) out[k] = lane(e, k);
  }
};

TREEWRIGHT_CLONES void max_forward(CellSweep<MaxOps>& sweep, const LoweredWeight& w) {
  sweep.forward(w);
}
TREEWRIGHT_CLONES void sliced_forward(CellSweep<ComplexOps>& sweep,
                                      const TiltedWeight<Complex>& w) {
  sweep.forward(w);
}
TREEWRIGHT_CLONES void sliced_adjoint(const CellSweep<ComplexOps>& sweep,
                                      const TiltedWeight<Complex>& w, std::vector<Complex>& above,
                                      double* mass) {
  sweep.adjoint(w, above, mass);
}

std::complex<double> standard(double x) { return x; }
std::complex<double> standard(Complex z) { return {z.re, z.im}; }
void assign(double& to, std::complex<double> z) { to = z.real(); }
void assign(Complex& to, std::complex<double> z) { to = {z.real(), z.imag()}; }

template <class Ops>
double sliced_masses(const Forest& forest, const Counts& counts, const SlicedPlan& plan,
                     const Workspace& work, const StopFlag& stop, double* mass) {
  const Layout layout(forest, counts, false, plan.rate.size());
  const auto weight = tilted_weight<typename Ops::Value>(forest, counts, plan, work.p.data());
  CellSweep<Ops> sweep(forest, layout, stop);
  sliced_forward(sweep, weight);
  std::vector<typename Ops::Value> above(layout.size, Ops::zero());
  const std::size_t goal = layout[forest.goal()].offset;
  double value = 0;
  for (std::size_t i = 0; i < plan.coefficient.size(); ++i) {
    value += (plan.coefficient[i] * standard(sweep.value[goal + i])).real();
    assign(above[goal + i], plan.coefficient[i]);
  }
  sliced_adjoint(sweep, weight, above, mass);
  return value;
}

template <class Ops>
std::vector<std::complex<double>> sliced_goal(const Forest& forest, const Counts& counts,
                                              const SlicedPlan& plan, const Workspace& work,
                                              const StopFlag& stop) {
  const Layout layout(forest, counts, false, plan.rate.size());
  const auto weight = tilted_weight<typename Ops::Value>(forest, counts, plan, work.p.data());
  CellSweep<Ops> sweep(forest, layout, stop);
  sliced_forward(sweep, weight);
  std::vector<std::complex<double>> out;
  for (std::size_t i = layout[forest.goal()].offset; i < layout.size; ++i)
    out.push_back(standard(sweep.value[i]));
  return out;
}

// Follows one cell of one lane down the boxes: at each node the first edge and pair of cells whose
// product is the cell's value. The forward sweep did the same sums, so equality is exact.
template <class Weigh>
Derivation trace(const Forest& f, const Layout& layout, const std::vector<double>& value,
                 std::size_t lane, std::size_t goal_cell, Weigh weigh) {
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
               layout.column_shift(item.node, e), layout.lanes,
               [&](std::size_t left, std::size_t right, std::size_t head) {
                 for (Index c = 0; c < layout[r].columns && !found; ++c) {
                   const std::size_t step = static_cast<std::size_t>(c) * layout.lanes + lane;
                   if (head + step != item.cell) continue;
                   if ((weight + value[left + lane]) + value[right + step] != value[item.cell])
                     continue;
                   found = true;
                   out.edges.push_back(e);
                   if (r != kNoTail) agenda.push_back({r, right + step});
                   if (l != kNoTail) agenda.push_back({l, left + lane});
                 }
               });
    }
    if (!found) throw std::logic_error("a cell's value has no source");
  }
  return out;
}

}  // namespace

CellCosts cell_costs(const Forest& forest, const Counts& counts) {
  const Layout split(forest, counts, true, 1), sliced(forest, counts, false, 1);
  CellCosts out{0, 0, split.size, sliced.size};
  for (Index v = 0; v < forest.nodes(); ++v)
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e) {
      const Box &l = split[forest.left[e]], &r = split[forest.right[e]];
      const double columns = static_cast<double>(l.columns) * r.columns;
      out.sliced_per_lane += columns;
      out.split += columns * l.rows * r.rows;
    }
  return out;
}

double add_split_masses(const Forest& forest, const Counts& counts, const SplitPlan& plan,
                        const Workspace& work, const StopFlag& stop, double* mass) {
  const FlushDenormals flush;
  const Layout layout(forest, counts, true, 1);
  const std::size_t goal = layout[forest.goal()].offset;
  if (plan.g.size() != layout.size - goal)
    throw std::invalid_argument("g does not have one entry for each cell of the goal");
  CellSweep<RealOps> sweep(forest, layout, stop);
  split_forward(sweep, work.p.data());
  std::vector<double> above(layout.size, 0.0);
  double value = 0;
  for (std::size_t i = 0; i < plan.g.size(); ++i) {
    value += plan.g[i] * sweep.value[goal + i];
    above[goal + i] = plan.g[i];
  }
  split_adjoint(sweep, work.p.data(), above, mass);
  return value;
}

double add_sliced_masses(const Forest& forest, const Counts& counts, const SlicedPlan& plan,
                         const Workspace& work, const StopFlag& stop, double* mass) {
  const FlushDenormals flush;
  const auto columns = static_cast<std::size_t>(counts.goal_range().columns());
  if (plan.coefficient.size() != columns * plan.rate.size())
    throw std::invalid_argument("the plan does not have one coefficient for each d and lane");
  return plan.complex ? sliced_masses<ComplexOps>(forest, counts, plan, work, stop, mass)
                      : sliced_masses<RealOps>(forest, counts, plan, work, stop, mass);
}

std::vector<double> split_law(const Forest& forest, const Counts& counts, const Workspace& work,
                              const StopFlag& stop) {
  const FlushDenormals flush;
  const Layout layout(forest, counts, true, 1);
  CellSweep<RealOps> sweep(forest, layout, stop);
  split_forward(sweep, work.p.data());
  const auto goal = static_cast<std::ptrdiff_t>(layout[forest.goal()].offset);
  return {sweep.value.begin() + goal, sweep.value.end()};
}

std::vector<std::complex<double>> sliced_values(const Forest& forest, const Counts& counts,
                                                const SlicedPlan& plan, const Workspace& work,
                                                const StopFlag& stop) {
  const FlushDenormals flush;
  return plan.complex ? sliced_goal<ComplexOps>(forest, counts, plan, work, stop)
                      : sliced_goal<RealOps>(forest, counts, plan, work, stop);
}

Derivation split_viterbi(const Forest& forest, const Counts& counts, const double* score,
                         const ChooseCell& choose, const StopFlag& stop) {
  const Layout layout(forest, counts, true, 1);
  CellSweep<MaxOps> sweep(forest, layout, stop);
  const std::vector<double> level{0.0};
  const LoweredWeight weight{forest, counts, score, level};
  max_forward(sweep, weight);
  const std::size_t goal = layout[forest.goal()].offset;
  const std::vector<double> best(sweep.value.begin() + static_cast<std::ptrdiff_t>(goal),
                                 sweep.value.end());
  return trace(forest, layout, sweep.value, 0, goal + choose(best),
               [&](Index e) { return weight.lane(e, 0); });
}

Derivation sliced_viterbi(const Forest& forest, const Counts& counts, const double* score,
                          const std::vector<double>& offset, const std::vector<double>& slope,
                          const StopFlag& stop) {
  const auto columns = static_cast<std::size_t>(counts.goal_range().columns());
  if (offset.size() != columns || slope.size() != columns)
    throw std::invalid_argument("the loss does not have one offset and slope for each d");
  const Layout layout(forest, counts, false, columns);
  CellSweep<MaxOps> sweep(forest, layout, stop);
  const LoweredWeight weight{forest, counts, score, slope};
  max_forward(sweep, weight);
  // Lane c is right for derivations with the c-th value of d: the diagonal of the goal's box.
  const std::size_t goal = layout[forest.goal()].offset;
  std::size_t top = 0;
  const auto total = [&](std::size_t c) { return sweep.value[goal + c * columns + c] + offset[c]; };
  for (std::size_t c = 1; c < columns; ++c)
    if (total(c) > total(top)) top = c;
  Derivation out = trace(forest, layout, sweep.value, top, goal + top * columns + top,
                         [&](Index e) { return weight.lane(e, top); });
  out.score += offset[top];
  return out;
}

}  // namespace treewright
