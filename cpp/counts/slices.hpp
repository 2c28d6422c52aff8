// Exponential terms of n with d kept apart: between `sliced` and `tilted` (docs/theory.md, section
// 5.4).
//
// A node holds a row of cells, one for each d below it, and a cell a few real terms:
//     phi_k(v)[d] = sum_e p(e) exp(a_k n(e)) sum_{d' + d'' + d(e) = d} phi_k(left)[d']
//     phi_k(right)[d''].
// A function may then depend on d in any way: g(n, d) = sum_k c_k(d) exp(a_k n). Where exponentials
// of d would have to be many, this is the cheaper way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "counts/terms.hpp"

namespace treewright::counts {

// Derivations with a d outside of the window count 0.
struct SlicesPlan {
  std::int32_t d_low, d_high;       // the window
  std::vector<double> rate_n;       // [terms], at most 16
  std::vector<double> coefficient;  // [values of d in the window][terms]
};

constexpr std::size_t kMostSliceTerms = 16;

// The value sum_k sum_d c_k(d) phi_k(goal)[d]; adds every part's mass to `mass`. `size` receives
// the same sum with the sizes of its summands, which rounding errors grow with.
double add_slice_masses(const EdgeView& edges, const CountTable& counts, const SlicesPlan& plan,
                        Workspace& work, double* mass, double* size);

}  // namespace treewright::counts
