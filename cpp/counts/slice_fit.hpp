// What is left of a function of the counts as exponentials of n, with coefficients that depend on d
// in any way (docs/theory.md, section 5.4).
#pragma once

#include <cstddef>
#include <vector>

#include "counts/rest_table.hpp"

namespace treewright::counts {

// sum_k coefficient[d][k] exp(rate[k] (n - centre)), close to r in a window of d and 0 outside.
struct FittedSlices {
  std::vector<double> rate;         // [terms]
  std::size_t first, columns;       // the window, from the first value of d
  std::vector<double> coefficient;  // [columns][terms]
  double error = 0;                 // E_q|sum - r| is at most this
};

// The fit with so many terms; false if its error exceeds the tolerance.
bool fit_slices(RestTable& rest, const Frame& frame, std::size_t terms, double tolerance,
                FittedSlices& out);

}  // namespace treewright::counts
