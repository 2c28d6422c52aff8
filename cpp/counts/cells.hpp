// Sweeps in which every node holds a grid of cells, one for each count it can reach.
//
// `split` tracks (n, d), the paper's state-split items A[i,j,n,d]; `sliced` tracks d alone and
// keeps n in terms, each of which tilts an edge by exp(rate * n(e)) (docs/theory.md, section 4).
// Both are one recursion over grids of rows x columns x terms:
//     V(v)[r][c] = sum_e W(e) * sum over r', c' of V(left)[r'][c'] * V(right)[r - r' - n][c - c' -
//     d],
// in the real, the complex or the max-plus semiring.
#pragma once

#include <atomic>
#include <complex>
#include <cstddef>
#include <functional>
#include <vector>

#include "counts/terms.hpp"

namespace treewright::counts {

// E[g] for an arbitrary g on the (n, d) cells that the goal can reach, row-major [rows][columns].
struct SplitPlan {
  std::vector<double> g;
};

// E[g] where g(n, d) = sum_k coefficient[d][k] * exp(rate[k] * n): real rates where g is
// exponential in n at fixed d (softmax-margin for F1), imaginary ones for any g.
struct SlicedPlan {
  bool complex = false;
  std::vector<std::complex<double>> rate;         // [terms]
  std::vector<std::complex<double>> coefficient;  // [columns of the goal][terms]
};

// How many products of cells one sweep does, for choosing a method.
struct CellCosts {
  double split, sliced_per_term;
  std::size_t split_cells, sliced_cells;
};
CellCosts cell_costs(const Forest& forest, const CountTable& counts);

// Long sweeps look at this between nodes and throw Interrupted.
using StopFlag = std::atomic<bool>;
struct Interrupted {};

// The value E[g], given p; adds every part's mass E[g * uses] to `mass`.
double add_split_masses(const Forest& forest, const CountTable& counts, const SplitPlan& plan,
                        const Workspace& work, const StopFlag& stop, double* mass);
double add_sliced_masses(const Forest& forest, const CountTable& counts, const SlicedPlan& plan,
                         const Workspace& work, const StopFlag& stop, double* mass);

// P(n, d) on the goal's grid, row-major.
std::vector<double> split_law(const Forest& forest, const CountTable& counts, const Workspace& work,
                              const StopFlag& stop);
// sum over n of P(n, d) * exp(rate[k] n), [columns][terms].
std::vector<std::complex<double>> sliced_values(const Forest& forest, const CountTable& counts,
                                                const SlicedPlan& plan, const Workspace& work,
                                                const StopFlag& stop);

// The best score in every (n, d) cell of the goal, row-major, -infinity where there is none; and
// the derivation of the cell that `choose` names when it has seen them.
using ChooseCell = std::function<std::size_t(const std::vector<double>&)>;
Derivation split_viterbi(const Forest& forest, const CountTable& counts, const double* score,
                         const ChooseCell& choose, const StopFlag& stop);

// max over derivations of score(D) + offset[d] - slope[d] * n: margin rescaling with a loss that is
// affine in n at fixed d. offset and slope have one entry a column of the goal.
Derivation sliced_viterbi(const Forest& forest, const CountTable& counts, const double* score,
                          const std::vector<double>& offset, const std::vector<double>& slope,
                          const StopFlag& stop);

}  // namespace treewright::counts
