#include "counts/rest_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/simd.hpp"

namespace treewright::counts {
namespace {

constexpr double kLogWindow = -9.2;  // slopes are looked at where caps are larger than this
constexpr double kReached = 1e-4;    // of the largest cap: cells within reach
constexpr double kSampled = 1e-8;    // cells of smaller caps are not fitted, only certified
constexpr double kMissed = 1.05;     // a shortfall that is worth a cell of the program
constexpr std::size_t kMostBounded = 48, kMostFar = 16;  // cells of the first linear program
constexpr int kMostPrograms = 5;  // each with cells that the one before misses
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TREEWRIGHT_CLONES void exponentiate(std::vector<double>& x, double largest) {
  const double scale = std::exp(largest);
  for (double& each : x) each = scale * exp_nonpositive(each - largest);
}

TREEWRIGHT_CLONES void lower_caps(double* row, std::int32_t columns, double at_first, double step) {
  for (std::int32_t j = 0; j < columns; ++j) row[j] = std::min(row[j], at_first + j * step);
}

}  // namespace

// Cells where a Kronecker sequence in two dimensions is low. Every k-th cell of the list would be
// few columns, for some k.
void thin_out(std::vector<std::uint32_t>& cells, std::size_t most, std::uint32_t columns) {
  constexpr double along_n = 0.7548776662466927, along_d = 0.5698402909980532;
  if (cells.size() <= most) return;
  const double share = static_cast<double>(most) / static_cast<double>(cells.size());
  std::erase_if(cells, [&](std::uint32_t cell) {
    const double at = along_n * (cell / columns) + along_d * (cell % columns);
    return at - std::floor(at) >= share;
  });
}

void fill_powers(std::span<double> out, double rate, double first) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = std::exp(rate * (first + static_cast<double>(i)));
}

RestTable::RestTable(const GoalTable& table, const Expansion& plane,
                     const std::vector<LogMoment>& moments, Outside outside)
    : table_(table),
      outside_(std::move(outside)),
      centre_d_(plane.d),
      bound_(moments, table.n_low - plane.n, table.d_low - plane.d, table.rows, table.columns,
             outside_) {
  fill(plane, moments);
  std::vector<std::uint32_t> far;
  for (std::size_t cell = 0; cell < cap_.size(); ++cell)
    if (cap_[cell] > 0)
      (cap_[cell] > kSampled ? likely_ : far).push_back(static_cast<std::uint32_t>(cell));
  std::vector<std::uint32_t> bounded = likely_;
  const auto columns = static_cast<std::uint32_t>(table_.columns);
  thin_out(bounded, kMostBounded, columns);
  thin_out(far, kMostFar, columns);
  bound_.add_cells(bounded);
  bound_.add_cells(far);
}

void RestTable::fill(const Expansion& plane, const std::vector<LogMoment>& moments) {
  const auto cells = static_cast<std::size_t>(table_.rows) * table_.columns;
  rest_.assign(table_.log_g, table_.log_g + cells);
  cap_.assign(cells, 0.0);
  double largest = -kInfinity;
  for (std::int32_t i = 0; i < table_.rows; ++i) {
    const double n = table_.n_low + i - plane.n, d = table_.d_low - plane.d;
    const std::size_t first = static_cast<std::size_t>(i) * table_.columns;
    for (std::int32_t j = 0; j < table_.columns; ++j)
      rest_[first + j] -= plane.height + plane.slope_n * n + plane.slope_d * (d + j);
    for (const auto& moment : moments)
      lower_caps(cap_.data() + first, table_.columns,
                 moment.log - moment.rate_n * n - moment.rate_d * d, -moment.rate_d);
    const std::int32_t begin = table_.n_within_d ? table_.n_low + i - table_.d_low : 0;
    for (std::int32_t j = 0; j < std::min(begin, table_.columns); ++j) {
      cap_[first + j] = -kInfinity;
      rest_[first + j] = 0;
    }
    for (std::int32_t j = std::max(begin, 0); j < table_.columns; ++j)
      largest = std::max(largest, rest_[first + j]);
  }
  for (double& each : rest_) each = std::min(each, largest);
  find_slopes();
  exponentiate(rest_, largest);
  exponentiate(cap_, 0.0);
}

// While rest_ and cap_ are logarithms.
void RestTable::find_slopes() {
  along_n_ = along_d_ = {kInfinity, -kInfinity};
  const auto columns = static_cast<std::size_t>(table_.columns);
  const auto look = [&](Slopes& axis, std::size_t cell, std::size_t next) {
    if (cap_[cell] < kLogWindow || cap_[next] < kLogWindow) return;
    const double slope = rest_[next] - rest_[cell];
    axis.low = std::min(axis.low, slope);
    axis.high = std::max(axis.high, slope);
  };
  for (std::size_t cell = 0; cell < cap_.size(); ++cell) {
    if (cell + columns < cap_.size()) look(along_n_, cell, cell + columns);
    if (cell % columns + 1 < columns) look(along_d_, cell, cell + 1);
  }
}

RestTable::Reach RestTable::reach() const {
  double largest = 0;
  for (const auto cell : likely_) largest = std::max(largest, cap_[cell] * rest_[cell]);
  const auto columns = static_cast<std::uint32_t>(table_.columns);
  std::uint32_t low = columns, high = 0, law_high = 0;
  for (const auto cell : likely_) {
    const std::uint32_t column = cell % columns;
    if (cap_[cell] > kReached) law_high = std::max(law_high, column);
    if (cap_[cell] * rest_[cell] < kReached * largest) continue;
    low = std::min(low, column);
    high = std::max(high, column);
  }
  const double above = table_.d_low + high - centre_d_,
               law_above = table_.d_low + law_high - centre_d_;
  return {high > low ? (high - low) / 2.0 : 0.5, law_above > 0 ? above / law_above : 1.0};
}

double RestTable::error_of(const CellSum& sum, double tolerance) {
  double error = kInfinity;
  for (int round = 0; round < kMostPrograms; ++round) {
    std::vector<double> errors;
    for (const auto cell : bound_.cells()) errors.push_back(error_at(sum, cell));
    if (!(bound_.least(errors) <= tolerance)) return error;
    bound_.solve(errors);
    if (!(bound_.total() <= tolerance)) return error;
    std::vector<std::uint32_t> missed;
    error = std::min(error, bound_.total() * shortfall(sum, missed));
    if (error <= tolerance) return error;
    bound_.add_cells(missed);
  }
  return error;
}

double RestTable::error_at(const CellSum& sum, std::uint32_t cell) const {
  if (cell < rest_.size()) return std::abs(sum.at(cell) - rest_[cell]);
  return outer_error(sum, cell - rest_.size());
}

double RestTable::outer_error(const CellSum& sum, std::size_t rectangle) const {
  return sum.most(rectangle) + std::exp(outside_.log_rest[rectangle]);
}

// The factor that the majorant lacks; the worst cells of the rows where it lacks one.
double RestTable::shortfall(const CellSum& sum, std::vector<std::uint32_t>& missed) const {
  const auto rows = static_cast<std::size_t>(table_.rows);
  const auto columns = static_cast<std::size_t>(table_.columns);
  std::vector<double> values(columns), majorant(columns);
  double factor = outer_shortfall(sum, missed);
  for (std::size_t i = 0; i < rows; ++i) {
    sum.row(static_cast<std::int32_t>(i), values);
    bound_.majorant(static_cast<std::int32_t>(i), majorant.data());
    double worst = kMissed;
    std::size_t at = columns;
    for (std::size_t j = 0; j < columns; ++j) {
      if (cap_[i * columns + j] <= 0) continue;
      const double ratio = std::abs(values[j] - rest_[i * columns + j]) / majorant[j];
      if (!std::isfinite(ratio)) return kInfinity;
      factor = std::max(factor, ratio);
      if (ratio > worst) worst = ratio, at = j;
    }
    if (at < columns) missed.push_back(static_cast<std::uint32_t>(i * columns + at));
  }
  return factor;
}

double RestTable::outer_shortfall(const CellSum& sum, std::vector<std::uint32_t>& missed) const {
  const std::size_t columns = outside_.d.size();
  double factor = 0;
  for (std::size_t i = 0; i < outside_.n.size(); ++i) {
    double worst = kMissed;
    std::size_t at = outside_.log_rest.size();
    for (std::size_t k = i * columns; k < (i + 1) * columns; ++k) {
      if (outside_.log_rest[k] == -kInfinity) continue;
      const double ratio = outer_error(sum, k) / bound_.least_majorant(k);
      if (std::isnan(ratio)) return kInfinity;
      factor = std::max(factor, ratio);
      if (ratio > worst) worst = ratio, at = k;
    }
    if (at < outside_.log_rest.size())
      missed.push_back(static_cast<std::uint32_t>(rest_.size() + at));
  }
  return factor;
}

}  // namespace treewright::counts
