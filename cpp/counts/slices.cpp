#include "counts/slices.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "core/simd.hpp"
#include "counts/term_lanes.hpp"

namespace treewright::counts {
namespace {

// The least d of a node's cells, and where they begin; slot -1 has one cell, for "no tail".
struct Row {
  std::size_t first;
  std::int32_t low, cells;
};

struct Interval {
  std::int32_t low, high;
};

Interval sum(const Interval& a, const Interval& b) { return {a.low + b.low, a.high + b.high}; }
Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
constexpr Interval kNowhere{1 << 29, -(1 << 29)};
bool is_nowhere(const Interval& x) { return x.low > x.high; }

// What derivations of a node can have for d, and, below `outside`, what the rest of the tree can.
std::vector<Interval> inside_ranges(const EdgeView& f, const CountTable& counts) {
  std::vector<Interval> out(at(f.nodes) + 1, {0, 0});
  Interval* inside = out.data() + 1;
  for (Index v = 0; v < f.nodes; ++v) {
    Interval all = kNowhere;
    for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
      const std::int32_t d = counts.d[f.part[e]];
      const Interval &l = inside[f.left[e]], &r = inside[f.right[e]];
      if (!is_nowhere(l) && !is_nowhere(r)) all = hull(all, sum(sum(l, r), {d, d}));
    }
    inside[v] = all;
  }
  return out;
}

std::vector<Interval> outside_ranges(const EdgeView& f, const CountTable& counts,
                                     const Interval* inside) {
  std::vector<Interval> out(at(f.nodes) + 1, kNowhere);
  Interval* outside = out.data() + 1;
  outside[f.goal()] = {0, 0};
  for (Index v = f.goal(); v >= 0; --v) {
    if (is_nowhere(outside[v])) continue;
    for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
      const std::int32_t d = counts.d[f.part[e]];
      const Index l = f.left[e], r = f.right[e];
      if (is_nowhere(inside[l]) || is_nowhere(inside[r])) continue;
      const Interval above = sum(outside[v], {d, d});
      outside[l] = hull(outside[l], sum(above, inside[r]));
      outside[r] = hull(outside[r], sum(above, inside[l]));
    }
  }
  return out;
}

// The cells from which the goal can be reached with a d in the window; one at least.
std::vector<Row> rows_of(const EdgeView& f, const CountTable& counts, const SlicesPlan& plan,
                         std::size_t& cells) {
  const std::vector<Interval> inside = inside_ranges(f, counts);
  const std::vector<Interval> outside = outside_ranges(f, counts, inside.data() + 1);
  std::vector<Row> rows(inside.size());
  rows[0] = {0, 0, 1};
  cells = 1;
  for (std::size_t v = 1; v < rows.size(); ++v) {
    const std::int32_t low = std::max(inside[v].low, plan.d_low - outside[v].high);
    const std::int32_t high = std::min(inside[v].high, plan.d_high - outside[v].low);
    const bool usable = !is_nowhere(inside[v]) && !is_nowhere(outside[v]) && low <= high;
    rows[v] = usable ? Row{cells, low, high - low + 1} : Row{cells, 0, 0};
    cells += at(rows[v].cells);
  }
  return rows;
}

template <class Terms>
struct SliceSweep {
  EdgeView f;
  const CountTable& counts;
  const Row* row;      // [-1..nodes)
  const Terms* tilt;   // one per distinct (n, d)
  Terms *phi, *alpha;  // [cells]

  // Calls visit(a, b begin, b end, head's cell of b = 0) for all cells a of the left tail and those
  // of the right one that meet in the head's row.
  template <class Visit>
  TREEWRIGHT_INLINE void for_cells(const Row& v, const Row& l, const Row& r, std::int32_t d,
                                   Visit visit) const {
    std::int32_t meet = d + l.low + r.low - v.low;
    for (std::int32_t a = 0; a < l.cells; ++a, ++meet) {
      const std::int32_t begin = std::max(0, -meet), end = std::min(r.cells, v.cells - meet);
      if (begin < end) visit(a, begin, end, static_cast<std::ptrdiff_t>(v.first) + meet);
    }
  }

  TREEWRIGHT_INLINE void forward() const {
    phi[0].fill(1);
    for (Index v = 0; v < f.nodes; ++v) {
      for (std::int32_t c = 0; c < row[v].cells; ++c) phi[row[v].first + at(c)].fill(0);
      for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
        const Row &l = row[f.left[e]], &r = row[f.right[e]];
        const Terms& step = tilt[counts.kind[f.part[e]]];
        for_cells(row[v], l, r, counts.d[f.part[e]],
                  [&](std::int32_t a, std::int32_t begin, std::int32_t end, std::ptrdiff_t head) {
                    Terms weight;
                    weight.set_product(f.p[e], step, phi[l.first + at(a)]);
                    Terms* out = phi + head;
                    const Terms* right = phi + r.first;
                    for (std::int32_t b = begin; b < end; ++b) out[b].add_product(weight, right[b]);
                  });
      }
    }
  }

  // alpha(l)[d'] += p tilt sum_d'' alpha(v)[d' + d'' + d(e)] phi(r)[d''], and so for r.
  TREEWRIGHT_INLINE void adjoint(double* mass) const {
    for (Index v = f.goal(); v >= 0; --v)
      for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
        const Row &l = row[f.left[e]], &r = row[f.right[e]];
        const Terms& step = tilt[counts.kind[f.part[e]]];
        Terms passed;
        passed.fill(0);
        for_cells(row[v], l, r, counts.d[f.part[e]],
                  [&](std::int32_t a, std::int32_t begin, std::int32_t end, std::ptrdiff_t head) {
                    const Terms &left = phi[l.first + at(a)], *right = phi + r.first;
                    const Terms* above = alpha + head;
                    Terms *to_right = alpha + r.first, weight, down;
                    weight.set_product(f.p[e], step, left);
                    down.fill(0);
                    for (std::int32_t b = begin; b < end; ++b) {
                      down.add_product(above[b], right[b]);
                      to_right[b].add_product(above[b], weight);
                    }
                    down.set_product(f.p[e], step, down);
                    alpha[l.first + at(a)].add(down);
                    passed.add_product(down, left);
                  });
        mass[f.part[e]] += passed.sum();
      }
  }
};

// The attribute needs plain functions: one pair a term type.
#define TREEWRIGHT_SLICE_SWEEPS(Terms)                                                    \
  TREEWRIGHT_CLONES void run_forward(const SliceSweep<Terms>& sweep) { sweep.forward(); } \
  TREEWRIGHT_CLONES void run_adjoint(const SliceSweep<Terms>& sweep, double* mass) {      \
    sweep.adjoint(mass);                                                                  \
  }
TREEWRIGHT_SLICE_SWEEPS(FourTerms)
TREEWRIGHT_SLICE_SWEEPS(RealTerms<1>)
TREEWRIGHT_SLICE_SWEEPS(RealTerms<2>)
#undef TREEWRIGHT_SLICE_SWEEPS

template <class Terms>
double masses_with(const EdgeView& edges, const CountTable& counts, const SlicesPlan& plan,
                   Workspace& work, double* mass, double* size) {
  const std::size_t terms = plan.rate_n.size();
  std::vector<Terms> tilt(counts.pairs.size());
  for (std::size_t i = 0; i < tilt.size(); ++i) {
    tilt[i].fill(1);
    for (std::size_t k = 0; k < terms; ++k)
      tilt[i].set(static_cast<int>(k), std::exp(plan.rate_n[k] * counts.pairs[i].n));
  }
  std::size_t cells = 0;
  const std::vector<Row> rows = rows_of(edges, counts, plan, cells);
  Terms* memory = aligned_terms<Terms>(work.terms, 2 * cells);
  const SliceSweep<Terms> sweep{edges,       counts, rows.data() + 1,
                                tilt.data(), memory, memory + cells};
  run_forward(sweep);
  std::memset(static_cast<void*>(sweep.alpha), 0, cells * sizeof(Terms));
  // A pruned forest may reach fewer values of d than the plan has.
  const Row& goal = sweep.row[edges.goal()];
  const auto first = static_cast<std::size_t>(goal.low - plan.d_low);
  double value = 0;
  *size = 0;
  for (std::size_t c = 0; c < at(goal.cells); ++c)
    for (std::size_t k = 0; k < terms; ++k) {
      const double coefficient = plan.coefficient[(first + c) * terms + k];
      const double share = coefficient * sweep.phi[goal.first + c].get(static_cast<int>(k)).real();
      sweep.alpha[goal.first + c].set(static_cast<int>(k), coefficient);
      value += share;
      *size += std::abs(share);
    }
  run_adjoint(sweep, mass);
  return value;
}

}  // namespace

double add_slice_masses(const EdgeView& edges, const CountTable& counts, const SlicesPlan& plan,
                        Workspace& work, double* mass, double* size) {
  const FlushDenormals flush;
  const std::size_t terms = plan.rate_n.size();
  const auto columns = static_cast<std::size_t>(plan.d_high - plan.d_low + 1);
  if (terms > kMostSliceTerms || plan.coefficient.size() != terms * columns)
    throw std::invalid_argument("the plan does not have one coefficient for each d and term");
  const auto run = [&]<class Terms>(Terms*) {
    return masses_with<Terms>(edges, counts, plan, work, mass, size);
  };
  if (terms <= 4) return run(static_cast<FourTerms*>(nullptr));
  if (terms <= 8) return run(static_cast<RealTerms<1>*>(nullptr));
  return run(static_cast<RealTerms<2>*>(nullptr));
}

}  // namespace treewright::counts
