// E[g(n, d)] by exponential tilting: for a g that spans many powers of ten, most of them where
// there is no mass (docs/theory.md, section 5.3).
//
//     sum_D w(D) g(D)  =  exp(plane at 0) * sum_D w(D) exp(slope x(D)) * r(x(D)),
//
// with the tangent plane of log g at the mean of the tilted law. Its slopes go into the scores, and
// what is left, r, is almost flat where the mass is: few exponential terms are enough. The fit, its
// certificate and the edges that matter are found anew for every vector of scores.
#pragma once

#include <optional>
#include <vector>

#include "counts/terms.hpp"

namespace treewright::counts {

struct TiltedPlan {
  std::vector<double> log_g;        // [rows][columns] of the goal's range
  bool n_within_d = false;          // no part has n > d
  double start_n = 0, start_d = 0;  // counts where the mass may be; only speed depends on them
  // How far the computed law of derivations may be from the true one, in total variation; the
  // value's logarithm is as close.
  double tolerance = 1e-4;
};

// What a tilted sum cost and how good it is.
struct TiltedReport {
  std::size_t terms = 0;    // of the sum
  double error = 0;         // certified, within the tolerance
  double kept_edges = 1;    // the share of the edges that the sum was swept over
  std::size_t columns = 0;  // values of d that were kept apart; 0: none
};

// log sum_D w(D) g(D); adds every part's marginal under the law proportional to w g to `gradient`.
// Nothing is added and nothing returned where the tolerance is out of reach: the caller takes an
// exact method then. Throws std::invalid_argument if no derivation has weight.
std::optional<double> tilted_log_sum(const Forest& forest, const CountTable& counts,
                                     const TiltedPlan& plan, const double* score, Workspace& work,
                                     double* gradient, TiltedReport* report = nullptr);

}  // namespace treewright::counts
