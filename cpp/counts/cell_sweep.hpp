// The recursion over grids of cells that cells.cpp and cell_viterbi.cpp share; see cells.hpp.
#pragma once

#include <algorithm>
#include <vector>

#include "core/simd.hpp"
#include "counts/cells.hpp"

namespace treewright::counts {

// Where a node's cells lie, and how large its grid is.
struct Grid {
  std::size_t offset;
  Index rows, columns;
};

// The grids of all nodes (slot -1: one cell, for "no tail") for one of the two ways of tracking.
class Layout {
 public:
  Layout(const Forest& forest, const CountTable& counts, bool track_n, std::size_t terms)
      : forest_(forest),
        counts_(counts),
        grids_(forest.nodes(), {0, 1, 1}),
        low_(forest.nodes(), {0, 0, 0, 0}),
        track_n_(track_n),
        terms(terms) {
    const auto ranges = counts.node_ranges(forest);
    size = terms;
    for (Index v = 0; v < forest.nodes(); ++v) {
      low_[v] = ranges[static_cast<std::size_t>(v)];
      const Grid grid{size, track_n ? low_[v].rows() : 1, low_[v].columns()};
      grids_[v] = grid;
      size += static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns) * terms;
    }
  }

  const Grid& operator[](Index v) const { return grids_[v]; }
  // Where the cell (0, 0) of both tails lands in the head's grid.
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
  const CountTable& counts_;
  NodeValues<Grid> grids_;
  NodeValues<CountTable::Range> low_;
  bool track_n_;

 public:
  std::size_t terms, size;
};

// out[k] += weight[k] * left[k] * right[k] for all cells of `right` in one row.
template <class Ops>
TREEWRIGHT_INLINE void combine_row(typename Ops::Value* out, const typename Ops::Value* weight,
                                   const typename Ops::Value* left,
                                   const typename Ops::Value* right, Index cells,
                                   std::size_t terms) {
  if (terms == 1) {
    const auto w = Ops::times(*weight, *left);
    for (Index c = 0; c < cells; ++c) Ops::add(out[c], Ops::times(w, right[c]));
    return;
  }
  for (Index c = 0; c < cells; ++c, out += terms, right += terms)
    for (std::size_t k = 0; k < terms; ++k)
      Ops::add(out[k], Ops::times(Ops::times(weight[k], left[k]), right[k]));
}

// The same row backwards: adjoints of left and right, and the mass that passed.
template <class Ops>
TREEWRIGHT_INLINE typename Ops::Value pull_row(
    const typename Ops::Value* above, const typename Ops::Value* weight,
    const typename Ops::Value* left, const typename Ops::Value* right, typename Ops::Value* to_left,
    typename Ops::Value* to_right, Index cells, std::size_t terms) {
  auto mass = Ops::zero();
  if (terms == 1) {
    const auto w = Ops::times(*weight, *left);
    auto sum = Ops::zero();
    for (Index c = 0; c < cells; ++c) {
      Ops::add(sum, Ops::times(above[c], right[c]));
      Ops::add(to_right[c], Ops::times(w, above[c]));
    }
    Ops::add(*to_left, Ops::times(*weight, sum));
    return Ops::times(w, sum);
  }
  for (Index c = 0; c < cells; ++c, above += terms, right += terms, to_right += terms) {
    for (std::size_t k = 0; k < terms; ++k) {
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
TREEWRIGHT_INLINE void for_rows(const Grid& head, const Grid& left, const Grid& right,
                                Index row_shift, Index column_shift, std::size_t terms, Row row) {
  for (Index r1 = 0; r1 < left.rows; ++r1)
    for (Index c1 = 0; c1 < left.columns; ++c1)
      for (Index r2 = 0; r2 < right.rows; ++r2) {
        const auto cell = [&](const Grid& grid, Index r, Index c) {
          return grid.offset +
                 (static_cast<std::size_t>(r) * static_cast<std::size_t>(grid.columns) +
                  static_cast<std::size_t>(c)) *
                     terms;
        };
        row(cell(left, r1, c1), cell(right, r2, 0),
            cell(head, r1 + r2 + row_shift, c1 + column_shift));
      }
}

// One forest, one layout, one semiring. `weigh(e, out)` writes the edge's weight for every term.
template <class Ops>
struct CellSweep {
  using Value = typename Ops::Value;
  const Forest& f;
  const Layout& layout;
  const StopFlag& stop;
  std::vector<Value> value, weight;

  CellSweep(const Forest& forest, const Layout& grids, const StopFlag& stop_flag)
      : f(forest),
        layout(grids),
        stop(stop_flag),
        value(grids.size, Ops::zero()),
        weight(grids.terms) {
    std::fill_n(value.begin(), layout.terms, Ops::one());
  }

  // False if it was stopped.
  template <class Weigh>
  TREEWRIGHT_INLINE bool forward(const Weigh& weigh) {
    for (Index v = 0; v < f.nodes(); ++v) {
      if (stop.load(std::memory_order_relaxed)) return false;
      for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
        weigh(e, weight.data());
        const Grid &left = layout[f.left[e]], &right = layout[f.right[e]];
        for_rows(layout[v], left, right, layout.row_shift(v, e), layout.column_shift(v, e),
                 layout.terms, [&](std::size_t l, std::size_t r, std::size_t h) {
                   combine_row<Ops>(&value[h], weight.data(), &value[l], &value[r], right.columns,
                                    layout.terms);
                 });
      }
    }
    return true;
  }

  // `above` holds the goal's adjoints in its own cells and zeros elsewhere.
  template <class Weigh>
  TREEWRIGHT_INLINE bool adjoint(const Weigh& weigh, std::vector<Value>& above, double* mass) {
    for (Index v = f.goal(); v >= 0; --v) {
      if (stop.load(std::memory_order_relaxed)) return false;
      for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
        weigh(e, weight.data());
        const Grid &left = layout[f.left[e]], &right = layout[f.right[e]];
        auto passed = Ops::zero();
        for_rows(layout[v], left, right, layout.row_shift(v, e), layout.column_shift(v, e),
                 layout.terms, [&](std::size_t l, std::size_t r, std::size_t h) {
                   Ops::add(passed,
                            pull_row<Ops>(&above[h], weight.data(), &value[l], &value[r], &above[l],
                                          &above[r], right.columns, layout.terms));
                 });
        mass[f.part[e]] += Ops::real(passed);
      }
    }
    return true;
  }
};

inline void require_finished(bool finished) {
  if (!finished) throw Interrupted{};
}

}  // namespace treewright::counts
