// The largest mean that an error can have under a law of which some moments are known
// (docs/theory.md, section 5.3).
//
// Of a law q on cells x, E_q[exp(t_j x)] = M_j is known for a few rates t_j. If
//     B(x) = sum_j a_j exp(t_j x) / M_j  >=  error(x)  at every cell, a >= 0,
// then E_q[error] <= E_q[B] = sum_j a_j. The best a is a linear program over all cells; it is
// solved on some of them, those where B falls short are added, and in the end B is scaled until it
// holds on all: a solution that is not quite the best costs tightness and never correctness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::counts {

// A rate with the logarithm of its moment E_q[exp(rate_n (n - centre) + rate_d (d - centre))].
struct LogMoment {
  double rate_n, rate_d, log;
};

// Rectangles of counts far from the mass, which are judged as a whole: all pairs of an interval of
// n and one of d, given as distances from the moments' centre, with the largest log r there;
// -infinity where no derivation is or where single cells are judged.
struct Outside {
  struct Interval {
    double low, high;
  };
  std::vector<Interval> n, d;
  std::vector<double> log_rest;  // [n][d]
};

// exp(t_j x) / M_j as products of a factor along n and one along d.
class MomentBound {
 public:
  // Cells are n_low + row, d_low + column, given as distances from the moments' centre.
  MomentBound(std::span<const LogMoment> moments, double n_low, double d_low, std::int32_t rows,
              std::int32_t columns, const Outside& outside);

  // More cells for the program to see, as row * columns + column; rectangles follow the cells.
  void add_cells(std::span<const std::uint32_t> cells);
  const std::vector<std::uint32_t>& cells() const { return cells_; }

  // No bound is lower, whatever `solve` finds for these errors of the sampled cells: the mean under
  // laws that the moments allow.
  double least(std::span<const double> error) const;
  // Finds a for the errors of the sampled cells.
  void solve(std::span<const double> error);
  // B of one row of cells with the last a, [columns].
  void majorant(std::int32_t row, double* out) const;
  // B anywhere in a rectangle is at least this.
  double least_majorant(std::size_t rectangle) const;
  double total() const { return total_; }  // sum_j a_j

 private:
  // exp(t_j x) / M_j at a cell, or the least of it in a rectangle.
  double factor(std::size_t moment, std::uint32_t cell) const;

  std::size_t moments_;
  std::int32_t rows_, columns_;
  std::size_t outer_rows_, outer_columns_;
  std::vector<double> along_n_, along_d_;  // [moments][rows], [moments][columns]
  std::vector<double> outer_n_, outer_d_;  // the least of an interval, [moments][intervals]
  std::vector<std::uint32_t> cells_;
  std::vector<double> entry_, largest_;    // [cells][moments], scaled by the largest of a cell
  std::vector<double> multiplier_;         // [moments]
  std::vector<std::vector<double>> laws_;  // [cells] of their time: worst laws found so far
  double total_ = 0;
};

}  // namespace treewright::counts
