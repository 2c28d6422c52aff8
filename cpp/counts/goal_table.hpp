// A function of the counts on the cells that a goal can reach, and its planes.
#pragma once

#include <cstdint>

namespace treewright::counts {

// log g on a rectangle of counts.
struct GoalTable {
  std::int32_t n_low, d_low, rows, columns;
  const double* log_g;  // [rows][columns]
  bool n_within_d;      // cells with n > d are never reached
};

// log g around a point to second order, from differences of neighbouring cells.
struct Expansion {
  double n, d, height;
  double slope_n, slope_d;
  double nn, nd, dd;
};
Expansion expand(const GoalTable& table, double n, double d);

// A centre of counts, and a triangular factor L of their covariance there: x = centre + L z.
struct Frame {
  double n, d;
  double l_nn, l_dn, l_dd;

  Frame(double mean_n, double mean_d, double var_n, double cov, double var_d);
  // The rate (of n, of d) that is (x, y) in terms of z.
  double rate_n(double x, double y) const { return (x - l_dn / l_dd * y) / l_nn; }
  double rate_d(double y) const { return y / l_dd; }
};

}  // namespace treewright::counts
