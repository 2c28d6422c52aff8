// A positive function of the counts as a short sum of exponentials where a forest's mass is
// (docs/theory.md, section 5.3).
//
// Around a centre m, log g is its tangent plane plus a rest log r. The law q of the counts, tilted
// by the plane, is known through some of its moments E_q[exp(t (x - m))] alone; by Chernoff's
// inequality each bounds the probability of every cell x of counts,
//     q(x) <= cap(x) = min_t E_q[exp(t (x - m))] exp(-t (x - m)).
// The sum is fitted to r by least squares with weights that follow these caps, and E_q|sum - r| is
// certified by the moments themselves (moment_bound.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "counts/moment_bound.hpp"

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

// sum_k coefficient[k] exp(rate_n[k] (n - centre) + rate_d[k] (d - centre)), close to r.
struct FittedSum {
  std::vector<double> rate_n, rate_d, coefficient;
  double error = 0;  // E_q|sum - r| is at most this
};

// How hard a fit is tried.
struct FitEffort {
  double rate_share;           // of the range of the slopes of log r, how much the rates cover
  double falling;              // further rates along d, below; in standard deviations^-1
  double cap_power;            // of the fit's weights; caps are wider than the law
  std::size_t samples, terms;  // at most: cells that the fit sees, terms of the sum
};

class TermFit {
 public:
  TermFit(const GoalTable& table, const Expansion& plane, const Frame& frame,
          const std::vector<LogMoment>& moments, const FitEffort& effort);

  // The shortest sum found whose error is within the tolerance.
  bool solve(double tolerance, FittedSum& out);

 private:
  struct Rates {
    double centre, half;
  };
  // A term that may come next, as far as it is orthogonal to those that are in.
  struct Candidate {
    int i, j;  // numbers of its rates
    double rate_n, rate_d;
    double norm;                          // before
    std::vector<double> column, overlap;  // [samples], [terms]
  };
  void choose_samples(const FitEffort& effort);
  void choose_rates(const FitEffort& effort);
  void consider(int i, int j);
  bool accept_best();
  void orthogonalise(Candidate& term, std::size_t k) const;
  bool add_term(Candidate& term);
  void coefficients(std::vector<double>& out) const;
  double error_of(const std::vector<double>& coefficient, double tolerance);
  double shortfall(const std::vector<double>& coefficient,
                   std::vector<std::uint32_t>& missed) const;
  double sum_at(const std::vector<double>& coefficient, std::uint32_t cell) const;

  const GoalTable& table_;
  Frame frame_;
  std::size_t most_terms_;
  MomentBound bound_;
  Rates along_n_rates_{}, along_d_rates_{};
  std::vector<double> rest_, cap_;         // [cells]
  std::vector<std::uint32_t> samples_;     // cells that the fit sees
  std::vector<double> weight_, residual_;  // [samples]
  std::vector<Candidate> candidates_;
  std::vector<std::uint8_t> taken_;  // [rates of n][rates of d]
  // Of the accepted terms: exponentials along n and d, orthonormal columns, triangular factor.
  std::vector<double> rates_n_, rates_d_;
  std::vector<double> along_n_, along_d_;  // [terms][rows], [terms][columns]
  std::vector<double> orthonormal_;        // [terms][samples]
  std::vector<double> triangle_, target_;  // packed columns of R; Q^T r
};

}  // namespace treewright::counts
