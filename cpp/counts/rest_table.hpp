// What is left of a function of the counts beside a plane, on all cells, and how wrong sums that
// replace it are in the mean (docs/theory.md, section 5.3).
//
// Around a centre m, log g is a plane plus a rest log r. The law q of the counts, tilted by the
// plane, is known through some of its moments E_q[exp(t (x - m))] alone; by Chernoff's inequality
// each bounds the probability of every cell x of counts,
//     q(x) <= cap(x) = min_t E_q[exp(t (x - m))] exp(-t (x - m)).
// E_q|sum - r| is certified by the moments themselves (moment_bound.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "counts/goal_table.hpp"
#include "counts/moment_bound.hpp"

namespace treewright::counts {

// A sum of exponentials as a function of the cells.
struct CellSum {
  virtual ~CellSum() = default;
  virtual double at(std::uint32_t cell) const = 0;
  virtual void row(std::int32_t row, std::span<double> out) const = 0;  // [columns]
  // The sum of the terms' sizes anywhere in a rectangle of `Outside` is at most this.
  virtual double most(std::size_t rectangle) const = 0;
};

class RestTable {
 public:
  // The rectangles are what the law reaches beyond the table.
  RestTable(const GoalTable& table, const Expansion& plane, const std::vector<LogMoment>& moments,
            Outside outside = {});

  const GoalTable& table() const { return table_; }
  const Outside& outside() const { return outside_; }
  const std::vector<double>& rest() const { return rest_; }  // r, [cells]
  const std::vector<double>& cap() const { return cap_; }    // 0 where no derivation is, [cells]
  // The cells that a fit should see.
  const std::vector<std::uint32_t>& likely() const { return likely_; }

  // The slopes of log r where caps are not small; low > high if there are none.
  struct Slopes {
    double low, high;
  };
  const Slopes& along_n() const { return along_n_; }
  const Slopes& along_d() const { return along_d_; }

  // Along d, where the caps of q r are not small: half of the range, and its upper end as a share
  // of the upper end of the range where the caps of q are not small.
  struct Reach {
    double half, share_above;
  };
  Reach reach() const;

  // A bound on E_q|sum - r|; infinite where it cannot be within the tolerance.
  double error_of(const CellSum& sum, double tolerance);

 private:
  void fill(const Expansion& plane, const std::vector<LogMoment>& moments);
  void find_slopes();
  double error_at(const CellSum& sum, std::uint32_t cell) const;
  double outer_error(const CellSum& sum, std::size_t rectangle) const;
  double shortfall(const CellSum& sum, std::vector<std::uint32_t>& missed) const;
  double outer_shortfall(const CellSum& sum, std::vector<std::uint32_t>& missed) const;

  const GoalTable& table_;
  Outside outside_;
  double centre_d_;
  MomentBound bound_;
  std::vector<double> rest_, cap_;
  std::vector<std::uint32_t> likely_;
  Slopes along_n_{}, along_d_{};
};

// exp(rate (first + i)) for all i.
void fill_powers(std::span<double> out, double rate, double first);
// About `most` of the cells, spread evenly over rows and columns.
void thin_out(std::vector<std::uint32_t>& cells, std::size_t most, std::uint32_t columns);

}  // namespace treewright::counts
