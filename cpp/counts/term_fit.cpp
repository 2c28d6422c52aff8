#include "counts/term_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/simd.hpp"

namespace treewright::counts {
namespace {

constexpr std::size_t kMostSamples = 192;
constexpr double kLeastSpread = 0.03;   // of the rates, in standard deviations to the power -1
constexpr double kLogWindow = -9.2;     // slopes are looked at where caps are larger than this
constexpr double kLeastVariance = 0.3;  // counts are whole numbers
constexpr double kSampled = 1e-8;       // cells of smaller caps are not fitted, only certified
constexpr std::size_t kCheckEvery = 4;  // the core sweeps four terms at once

// A difference quotient between the neighbours of a place, as far as there are any.
struct Neighbours {
  std::int32_t low, here, high;
  Neighbours(double x, std::int32_t size) {
    here = std::clamp(static_cast<std::int32_t>(std::lround(x)), size > 2 ? 1 : 0,
                      std::max(size - 2, 0));
    low = std::max(here - 1, 0);
    high = std::min(here + 1, size - 1);
  }
  double width() const { return high - low; }
};

double quotient(double difference, double width) { return width > 0 ? difference / width : 0.0; }

TREEWRIGHT_CLONES void exponentiate(std::vector<double>& x, double largest) {
  const double scale = std::exp(largest);
  for (double& each : x) each = scale * exp_nonpositive(each - largest);
}

TREEWRIGHT_CLONES void lower_caps(double* row, std::int32_t columns, double at_first, double step) {
  for (std::int32_t j = 0; j < columns; ++j) row[j] = std::min(row[j], at_first + j * step);
}

TREEWRIGHT_CLONES void add_multiple(double* to, const double* x, double factor, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] += factor * x[i];
}

TREEWRIGHT_CLONES double dot(const double* x, const double* y, std::size_t size) {
  double part[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4)
    for (int k = 0; k < 4; ++k) part[k] += x[i + k] * y[i + k];
  for (; i < size; ++i) part[0] += x[i] * y[i];
  return (part[0] + part[1]) + (part[2] + part[3]);
}

// Largest sum of u * error over 0 <= u <= cap with total 1: the largest errors come first. Errors
// within a factor of two of each other are taken as one where the total runs out.
class Knapsack {
 public:
  void add(double error, double cap) {
    const int exponent =
        std::isfinite(error) ? std::clamp(std::ilogb(error), -kHalf, kHalf - 1) : kHalf - 1;
    Bucket& bucket = buckets_[static_cast<std::size_t>(exponent + kHalf)];
    bucket.caps += cap;
    bucket.products += cap * error;
    bucket.largest = std::max(bucket.largest, error);
  }
  double largest_sum() const {
    double room = 1.0, sum = 0.0;
    for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend() && room > 0; ++bucket) {
      if (bucket->caps <= 0) continue;
      sum += bucket->caps <= room ? bucket->products : room * bucket->largest;
      room -= bucket->caps;
    }
    return sum;
  }

 private:
  static constexpr int kHalf = 80;
  struct Bucket {
    double caps = 0, products = 0, largest = 0;
  };
  std::array<Bucket, 2 * kHalf> buckets_;
};

// Leja's points of [-1, 1]: each is as far from the ones before, by the product of distances, as
// can be, so that interpolation in the first k of them is well-conditioned for every k.
constexpr int kPoints = 14;
std::array<double, kPoints> leja_points() {
  std::array<double, kPoints> out{0.0, 1.0, -1.0};
  for (int k = 3; k < kPoints; ++k) {
    double best = 0;
    for (int step = 0; step <= 2000; ++step) {
      const double x = -1 + step * 1e-3;
      double product = 1;
      for (int i = 0; i < k; ++i) product *= std::abs(x - out[i]);
      if (product > best) best = product, out[k] = x;
    }
  }
  return out;
}

// Powers (i, j) of n and d that a sum should get right, most important first and each after all
// smaller ones. log r is about a multiple of n d plus one of d d, so that n^i needs d^i and d may
// have higher powers of its own.
std::vector<std::pair<int, int>> ordered_powers() {
  std::vector<std::pair<double, std::pair<int, int>>> found;
  for (int i = 0; i < kPoints; ++i)
    for (int j = 0; j < kPoints; ++j)
      found.push_back({std::max(0.75 * i + j, 1.75 * i) + 0.01 * i, {i, j}});
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::pair<int, int>> out;
  for (const auto& each : found) out.push_back(each.second);
  return out;
}

}  // namespace

Expansion expand(const GoalTable& table, double n, double d) {
  const Neighbours i(n - table.n_low, table.rows), j(d - table.d_low, table.columns);
  const auto at = [&](std::int32_t row, std::int32_t column) {
    return table.log_g[static_cast<std::size_t>(row) * table.columns + column];
  };
  const auto second = [](double low, double here, double high, double width) {
    return width == 2 ? low - 2 * here + high : 0.0;
  };
  Expansion out{n, d, 0, 0, 0, 0, 0, 0};
  const double here = at(i.here, j.here);
  out.nn = second(at(i.low, j.here), here, at(i.high, j.here), i.width());
  out.dd = second(at(i.here, j.low), here, at(i.here, j.high), j.width());
  out.nd = quotient(at(i.high, j.high) - at(i.high, j.low) - at(i.low, j.high) + at(i.low, j.low),
                    i.width() * j.width());
  const double to_n = n - table.n_low - i.here, to_d = d - table.d_low - j.here;
  const double slope_n = quotient(at(i.high, j.here) - at(i.low, j.here), i.width());
  const double slope_d = quotient(at(i.here, j.high) - at(i.here, j.low), j.width());
  out.slope_n = slope_n + out.nn * to_n + out.nd * to_d;
  out.slope_d = slope_d + out.dd * to_d + out.nd * to_n;
  out.height = here + (slope_n + out.slope_n) / 2 * to_n + (slope_d + out.slope_d) / 2 * to_d;
  return out;
}

Frame::Frame(double mean_n, double mean_d, double var_n, double cov, double var_d)
    : n(mean_n), d(mean_d) {
  var_n = std::max(var_n, 0.0) + kLeastVariance;
  var_d = std::max(var_d, 0.0) + kLeastVariance;
  l_nn = std::sqrt(var_n);
  l_dn = cov / l_nn;
  l_dd = std::sqrt(std::max(var_d - l_dn * l_dn, 1e-3 * var_d));
}

TermFit::TermFit(const GoalTable& table, const Expansion& plane, const Frame& frame,
                 const std::vector<LogMoment>& moments, double rate_share)
    : table_(table), frame_(frame) {
  const auto cells = static_cast<std::size_t>(table.rows) * table.columns;
  rest_.assign(table.log_g, table.log_g + cells);
  cap_.assign(cells, 0.0);
  double largest = -std::numeric_limits<double>::infinity();
  for (std::int32_t i = 0; i < table.rows; ++i) {
    const double n = table.n_low + i - plane.n, d = table.d_low - plane.d;
    const std::size_t first = static_cast<std::size_t>(i) * table.columns;
    for (std::int32_t j = 0; j < table.columns; ++j)
      rest_[first + j] -= plane.height + plane.slope_n * n + plane.slope_d * (d + j);
    for (const auto& moment : moments)
      lower_caps(cap_.data() + first, table.columns,
                 moment.log - moment.rate_n * n - moment.rate_d * d, -moment.rate_d);
    const std::int32_t begin = table.n_within_d ? table.n_low + i - table.d_low : 0;
    for (std::int32_t j = 0; j < std::min(begin, table.columns); ++j) {
      cap_[first + j] = -std::numeric_limits<double>::infinity();
      rest_[first + j] = 0;
    }
    for (std::int32_t j = std::max(begin, 0); j < table.columns; ++j)
      largest = std::max(largest, rest_[first + j]);
  }
  for (double& each : rest_) each = std::min(each, largest);
  choose_rates(rate_share);
  exponentiate(rest_, largest);
  exponentiate(cap_, 0.0);
  choose_samples();
}

// Rates from about the lowest to the highest slope of log r where the mass is.
void TermFit::choose_rates(double share) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double low[2] = {infinity, infinity}, high[2] = {-infinity, -infinity};
  const auto columns = static_cast<std::size_t>(table_.columns);
  const auto look = [&](int axis, std::size_t cell, std::size_t next) {
    if (cap_[cell] < kLogWindow || cap_[next] < kLogWindow) return;
    const double slope = rest_[next] - rest_[cell];
    low[axis] = std::min(low[axis], slope);
    high[axis] = std::max(high[axis], slope);
  };
  for (std::size_t cell = 0; cell < cap_.size(); ++cell) {
    if (cell + columns < cap_.size()) look(0, cell, cell + columns);
    if (cell % columns + 1 < columns) look(1, cell, cell + 1);
  }
  const auto rates = [&](int axis, double deviation) {
    if (!(low[axis] <= high[axis])) return Rates{0.0, kLeastSpread / deviation};
    return Rates{share * (low[axis] + high[axis]) / 2,
                 std::max(share * (high[axis] - low[axis]) / 2, kLeastSpread / deviation)};
  };
  along_n_rates_ = rates(0, frame_.l_nn);
  along_d_rates_ = rates(1, std::hypot(frame_.l_dn, frame_.l_dd));
}

void TermFit::choose_samples() {
  for (std::size_t cell = 0; cell < cap_.size(); ++cell)
    if (cap_[cell] > kSampled) samples_.push_back(static_cast<std::uint32_t>(cell));
  const std::size_t step = (samples_.size() + kMostSamples - 1) / kMostSamples;
  if (step > 1) {
    std::size_t kept = 0;
    for (std::size_t i = step / 2; i < samples_.size(); i += step) samples_[kept++] = samples_[i];
    samples_.resize(kept);
  }
  for (const auto cell : samples_) {
    weight_.push_back(std::sqrt(cap_[cell]));
    residual_.push_back(weight_.back() * rest_[cell]);
  }
}

// Gram-Schmidt, twice; a column that the others span already is left out.
bool TermFit::add_column(double rate_n, double rate_d) {
  const std::size_t size = samples_.size(), terms = rates_n_.size();
  const auto rows = static_cast<std::size_t>(table_.rows);
  const auto columns = static_cast<std::size_t>(table_.columns);
  along_n_.resize((terms + 1) * rows);
  along_d_.resize((terms + 1) * columns);
  double* n = along_n_.data() + terms * rows;
  double* d = along_d_.data() + terms * columns;
  for (std::size_t i = 0; i < rows; ++i)
    n[i] = std::exp(rate_n * (table_.n_low + static_cast<double>(i) - frame_.n));
  for (std::size_t j = 0; j < columns; ++j)
    d[j] = std::exp(rate_d * (table_.d_low + static_cast<double>(j) - frame_.d));
  orthonormal_.resize((terms + 1) * size);
  double* column = orthonormal_.data() + terms * size;
  for (std::size_t i = 0; i < size; ++i)
    column[i] = weight_[i] * n[samples_[i] / columns] * d[samples_[i] % columns];
  const double before = std::sqrt(dot(column, column, size));
  const std::size_t at = triangle_.size();
  triangle_.resize(at + terms + 1, 0.0);
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t k = 0; k < terms; ++k) {
      const double* other = orthonormal_.data() + k * size;
      const double overlap = dot(other, column, size);
      triangle_[at + k] += overlap;
      add_multiple(column, other, -overlap, size);
    }
  const double after = std::sqrt(dot(column, column, size));
  if (!(after > 1e-11 * before)) {
    triangle_.resize(at);
    return false;
  }
  triangle_[at + terms] = after;
  for (std::size_t i = 0; i < size; ++i) column[i] /= after;
  const double share = dot(column, residual_.data(), size);
  add_multiple(residual_.data(), column, -share, size);
  target_.push_back(share);
  rates_n_.push_back(rate_n);
  rates_d_.push_back(rate_d);
  return true;
}

// R c = Q^T r
void TermFit::coefficients(std::vector<double>& out) const {
  out = target_;
  std::size_t at = triangle_.size();
  for (std::size_t k = out.size(); k-- > 0;) {
    at -= k + 1;
    out[k] /= triangle_[at + k];
    for (std::size_t i = 0; i < k; ++i) out[i] -= triangle_[at + i] * out[k];
  }
}

double TermFit::error_of(const std::vector<double>& coefficient) {
  const auto rows = static_cast<std::size_t>(table_.rows);
  const auto columns = static_cast<std::size_t>(table_.columns);
  std::vector<double> sum(columns);
  Knapsack knapsack;
  for (std::size_t i = 0; i < rows; ++i) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (std::size_t k = 0; k < coefficient.size(); ++k)
      add_multiple(sum.data(), along_d_.data() + k * columns,
                   coefficient[k] * along_n_[k * rows + i], columns);
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t cell = i * columns + j;
      if (cap_[cell] > 0) knapsack.add(std::abs(sum[j] - rest_[cell]), cap_[cell]);
    }
  }
  return knapsack.largest_sum();
}

bool TermFit::solve(double tolerance, std::size_t most, FittedSum& out) {
  static const auto points = leja_points();
  static const auto powers = ordered_powers();
  most = std::min(most, samples_.size());
  for (const auto& [i, j] : powers) {
    const bool added = add_column(along_n_rates_.centre + along_n_rates_.half * points[i],
                                  along_d_rates_.centre + along_d_rates_.half * points[j]);
    const std::size_t terms = rates_n_.size();
    if (!added || (terms % kCheckEvery != 0 && terms != most)) continue;
    double least = 0;  // the knapsack's sum is no less than any one of its products
    for (std::size_t s = 0; s < samples_.size(); ++s)
      least = std::max(least, std::abs(residual_[s]) * weight_[s]);
    if (least <= tolerance) {
      coefficients(out.coefficient);
      out.error = error_of(out.coefficient);
      if (out.error <= tolerance) {
        out.rate_n = rates_n_;
        out.rate_d = rates_d_;
        return true;
      }
    }
    if (terms == most) break;
  }
  return false;
}

}  // namespace treewright::counts
