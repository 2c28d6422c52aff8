// A positive function of the counts as a short sum of exponentials where a forest's mass is
// (docs/theory.md, section 5.3): by least squares with weights that follow the caps of the law.
#pragma once

#include <cstdint>
#include <vector>

#include "counts/rest_table.hpp"

namespace treewright::counts {

// sum_k coefficient[k] exp(rate_n[k] (n - centre) + rate_d[k] (d - centre)), close to r.
struct FittedSum {
  std::vector<double> rate_n, rate_d, coefficient;
  double error = 0;  // E_q|sum - r| is at most this
};

// How hard a fit is tried.
struct FitEffort {
  double rate_share;           // of the range of the slopes of log r, how much the rates cover
  double falling;              // further rates along d, below; in standard deviations^-1
  double most_exponent;        // along d, within reach of a law with a long tail; 0: without one
  double cap_power;            // of the fit's weights; caps are wider than the law
  std::size_t samples, terms;  // at most: cells that the fit sees, terms of the sum
};

// Of several sentences, whose law is closer to a normal one.
constexpr FitEffort kWidestFit{0.45, 0.4, 0.0, 0.85, 640, 144};

// The largest of each term's factors in intervals outside of the table.
struct OuterPowers {
  std::size_t rows = 0, columns = 0;
  std::vector<double> n, d;  // [terms][rows], [terms][columns]
};

class TermFit {
 public:
  TermFit(RestTable& rest, const Frame& frame, const FitEffort& effort);

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
    double square = 0, share = 0;         // the column's with itself and with the residual
  };
  void choose_rates(const FitEffort& effort);
  void follow_tail(double most_exponent);
  void consider(int i, int j);
  bool accept_best();
  double orthogonalise(Candidate& term, std::size_t k) const;
  bool add_term(Candidate& term);
  void coefficients(std::vector<double>& out) const;

  RestTable& rest_;
  const GoalTable& table_;
  Frame frame_;
  std::size_t most_terms_;
  Rates along_n_rates_{}, along_d_rates_{};
  std::vector<std::uint32_t> samples_;     // cells that the fit sees
  std::vector<double> weight_, residual_;  // [samples]
  std::vector<std::uint8_t> taken_;        // [rates of n][rates of d]
  std::vector<Candidate> candidates_;
  // Of the accepted terms: exponentials along n and d, orthonormal columns, triangular factor.
  std::vector<double> rates_n_, rates_d_;
  std::vector<double> along_n_, along_d_;  // [terms][rows], [terms][columns]
  OuterPowers outer_;
  std::vector<double> orthonormal_;        // [terms][samples]
  std::vector<double> triangle_, target_;  // packed columns of R; Q^T r
};

}  // namespace treewright::counts
