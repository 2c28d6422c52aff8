#include "counts/slice_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace treewright::counts {
namespace {

constexpr double kCapPower = 0.7;     // of the fit's weights: caps are wider than the law
constexpr double kLeastCap = 1e-60;   // weights of rows far out are no smaller
constexpr double kRateShare = 0.7;    // of the range of the slopes: the ends have little mass
constexpr double kLeastSpread = 0.1;  // of the rates, in standard deviations to the power -1
constexpr double kLeastNew = 1e-11;   // of a term, what the ones before do not span
constexpr double kOutside = 0.15;     // of the tolerance: what caps say of either side's columns

// Chebyshev's points of most of the slopes of log r along n.
std::vector<double> slice_rates(const RestTable& rest, const Frame& frame, std::size_t terms) {
  const auto& [low, high] = rest.along_n();
  const bool usable = low <= high;
  const double middle = usable ? (low + high) / 2 : 0.0;
  const double half =
      std::max(usable ? kRateShare * (high - low) / 2 : 0.0, kLeastSpread / frame.l_nn);
  std::vector<double> out;
  for (std::size_t k = 0; k < terms; ++k)
    out.push_back(middle + half * std::cos(std::numbers::pi * (2.0 * static_cast<double>(k) + 1) /
                                           (2.0 * static_cast<double>(terms))));
  return out;
}

// The columns without those at both ends that have next to no mass.
void choose_window(const RestTable& rest, double tolerance, FittedSlices& out) {
  const auto rows = static_cast<std::size_t>(rest.table().rows);
  const auto columns = static_cast<std::size_t>(rest.table().columns);
  const auto mass = [&](std::size_t j) {
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i)
      sum += rest.cap()[i * columns + j] * rest.rest()[i * columns + j];
    return sum;
  };
  std::size_t begin = 0, end = columns;
  for (double lost = mass(begin); lost < kOutside * tolerance && begin + 1 < end;)
    lost += mass(++begin);
  for (double lost = mass(end - 1); lost < kOutside * tolerance && begin + 1 < end;)
    lost += mass(--end - 1);
  out.first = begin;
  out.columns = end - begin;
}

class Slices final : public CellSum {
 public:
  Slices(const GoalTable& table, const Frame& frame, const FittedSlices& fitted)
      : rows_(static_cast<std::size_t>(table.rows)),
        columns_(static_cast<std::size_t>(table.columns)),
        terms_(fitted.rate.size()),
        fitted_(fitted),
        power_(terms_ * rows_) {
    for (std::size_t k = 0; k < terms_; ++k)
      fill_powers(std::span(power_).subspan(k * rows_, rows_), fitted.rate[k],
                  table.n_low - frame.n);
  }

  double power(std::size_t k, std::size_t row) const { return power_[k * rows_ + row]; }

  double at(std::uint32_t cell) const override {
    const std::size_t column = cell % columns_ - fitted_.first;  // wraps around before the window
    double sum = 0;
    if (column >= fitted_.columns) return sum;
    for (std::size_t k = 0; k < terms_; ++k)
      sum += fitted_.coefficient[column * terms_ + k] * power(k, cell / columns_);
    return sum;
  }

  void row(std::int32_t row, std::span<double> out) const override {
    for (std::size_t j = 0; j < columns_; ++j)
      out[j] = at(static_cast<std::uint32_t>(static_cast<std::size_t>(row) * columns_ + j));
  }

  double most(std::size_t) const override { return 0; }  // only tables of all cells have slices

 private:
  std::size_t rows_, columns_, terms_;
  const FittedSlices& fitted_;
  std::vector<double> power_;  // [terms][rows]
};

// Least squares in one column by Gram-Schmidt, twice for rounding; terms that the ones before span
// get the coefficient 0.
class Column {
 public:
  explicit Column(std::size_t terms) : terms_(terms), basis_(terms), factor_(terms * terms) {}

  void solve(const Slices& sum, const std::vector<double>& weight,
             const std::vector<double>& target, double* out) {
    std::vector<double> residual = target;
    std::vector<double> share(terms_, 0.0);
    std::fill(factor_.begin(), factor_.end(), 0.0);
    for (std::size_t k = 0; k < terms_; ++k) {
      auto& column = basis_[k];
      column.resize(weight.size());
      for (std::size_t i = 0; i < weight.size(); ++i) column[i] = weight[i] * sum.power(k, i);
      const double before = std::sqrt(dot(column, column));
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t j = 0; j < k; ++j) factor_[j * terms_ + k] += reduce(column, basis_[j]);
      const double norm = std::sqrt(dot(column, column));
      const bool is_new = norm > kLeastNew * before;
      for (double& each : column) each = is_new ? each / norm : 0.0;
      factor_[k * terms_ + k] = is_new ? norm : 0.0;
      share[k] = reduce(residual, column);
    }
    for (std::size_t k = terms_; k-- > 0;) {
      double left = share[k];
      for (std::size_t j = k + 1; j < terms_; ++j) left -= factor_[k * terms_ + j] * out[j];
      out[k] = factor_[k * terms_ + k] > 0 ? left / factor_[k * terms_ + k] : 0.0;
    }
  }

 private:
  static double dot(const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
  }
  // x without its share in the unit vector y; the share.
  static double reduce(std::vector<double>& x, const std::vector<double>& y) {
    const double share = dot(x, y);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= share * y[i];
    return share;
  }

  std::size_t terms_;
  std::vector<std::vector<double>> basis_;  // [terms][rows]
  std::vector<double> factor_;              // [terms][terms], upper triangle
};

}  // namespace

bool fit_slices(RestTable& rest, const Frame& frame, std::size_t terms, double tolerance,
                FittedSlices& out) {
  const GoalTable& table = rest.table();
  const auto rows = static_cast<std::size_t>(table.rows);
  const auto columns = static_cast<std::size_t>(table.columns);
  out.rate = slice_rates(rest, frame, terms);
  choose_window(rest, tolerance, out);
  out.coefficient.assign(out.columns * terms, 0.0);
  const Slices sum(table, frame, out);
  Column column(terms);
  std::vector<double> weight(rows), target(rows);
  for (std::size_t j = out.first; j < out.first + out.columns; ++j) {
    double most = 0;
    for (std::size_t i = 0; i < rows; ++i) most = std::max(most, rest.cap()[i * columns + j]);
    if (!(most > 0)) continue;
    for (std::size_t i = 0; i < rows; ++i) {
      const double cap = rest.cap()[i * columns + j];
      weight[i] = cap > 0 ? std::pow(std::max(cap / most, kLeastCap), kCapPower) : 0.0;
      target[i] = weight[i] * rest.rest()[i * columns + j];
    }
    column.solve(sum, weight, target, out.coefficient.data() + (j - out.first) * terms);
  }
  out.error = rest.error_of(sum, tolerance);
  return out.error <= tolerance;
}

}  // namespace treewright::counts
