#include "counts/term_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "core/simd.hpp"

namespace treewright::counts {
namespace {

constexpr double kLeastSpread = 0.03;   // of the rates, in standard deviations to the power -1
constexpr double kLogWindow = -9.2;     // slopes are looked at where caps are larger than this
constexpr double kLeastVariance = 0.3;  // counts are whole numbers
constexpr double kSampled = 1e-8;       // cells of smaller caps are not fitted, only certified
constexpr std::size_t kCheckEvery = 4;  // the core sweeps four terms at once

constexpr double kMissed = 1.05;     // a shortfall that is worth a cell of the program
constexpr double kLeastNew = 1e-10;  // of a term, what the ones before do not span
constexpr std::size_t kMostBounded = 48, kMostFar = 16;  // cells of the first linear program
constexpr int kMostPrograms = 5;  // each with cells that the one before misses

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

// About `most` of the cells, spread evenly over rows and columns: those where a Kronecker sequence
// in two dimensions is low. Every k-th cell of the list would be few columns, for some k.
void thin_out(std::vector<std::uint32_t>& cells, std::size_t most, std::uint32_t columns) {
  constexpr double along_n = 0.7548776662466927, along_d = 0.5698402909980532;
  if (cells.size() <= most) return;
  const double share = static_cast<double>(most) / static_cast<double>(cells.size());
  std::erase_if(cells, [&](std::uint32_t cell) {
    const double at = along_n * (cell / columns) + along_d * (cell % columns);
    return at - std::floor(at) >= share;
  });
}

// exp(rate (first + i)) for all i.
void fill_powers(std::span<double> out, double rate, double first) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = std::exp(rate * (first + static_cast<double>(i)));
}

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
                 const std::vector<LogMoment>& moments, const FitEffort& effort)
    : table_(table),
      frame_(frame),
      most_terms_(effort.terms),
      bound_(moments, table.n_low - plane.n, table.d_low - plane.d, table.rows, table.columns),
      taken_(kPoints * kPoints, 0) {
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
  choose_rates(effort);
  exponentiate(rest_, largest);
  exponentiate(cap_, 0.0);
  choose_samples(effort);
}

// Rates from about the lowest to the highest slope of log r where the mass is. Along d some are
// lower: laws of d have long tails upwards, where terms that fall leave the fit to the others.
void TermFit::choose_rates(const FitEffort& effort) {
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
    return Rates{
        effort.rate_share * (low[axis] + high[axis]) / 2,
        std::max(effort.rate_share * (high[axis] - low[axis]) / 2, kLeastSpread / deviation)};
  };
  along_n_rates_ = rates(0, frame_.l_nn);
  const double deviation = std::hypot(frame_.l_dn, frame_.l_dd);
  along_d_rates_ = rates(1, deviation);
  along_d_rates_.centre -= effort.falling / deviation / 2;
  along_d_rates_.half += effort.falling / deviation / 2;
}

void TermFit::choose_samples(const FitEffort& effort) {
  std::vector<std::uint32_t> far;
  for (std::size_t cell = 0; cell < cap_.size(); ++cell)
    if (cap_[cell] > 0)
      (cap_[cell] > kSampled ? samples_ : far).push_back(static_cast<std::uint32_t>(cell));
  std::vector<std::uint32_t> bounded = samples_;
  const auto columns = static_cast<std::uint32_t>(table_.columns);
  thin_out(samples_, effort.samples, columns);
  thin_out(bounded, kMostBounded, columns);
  thin_out(far, kMostFar, columns);
  bound_.add_cells(bounded);
  bound_.add_cells(far);
  for (const auto cell : samples_) {
    weight_.push_back(std::pow(cap_[cell], effort.cap_power));
    residual_.push_back(weight_.back() * rest_[cell]);
  }
}

// The term with these rates, without its share in the accepted ones.
void TermFit::consider(int i, int j) {
  static const auto points = leja_points();
  if (i >= kPoints || j >= kPoints || taken_[static_cast<std::size_t>(i) * kPoints + j]) return;
  taken_[static_cast<std::size_t>(i) * kPoints + j] = 1;
  const double rate_n = along_n_rates_.centre + along_n_rates_.half * points[i];
  const double rate_d = along_d_rates_.centre + along_d_rates_.half * points[j];
  const std::size_t size = samples_.size();
  Candidate made{i, j, rate_n, rate_d, 0, std::vector<double>(size), {}};
  const auto columns = static_cast<std::uint32_t>(table_.columns);
  std::vector<double> n(static_cast<std::size_t>(table_.rows)), d(columns);
  fill_powers(n, rate_n, table_.n_low - frame_.n);
  fill_powers(d, rate_d, table_.d_low - frame_.d);
  for (std::size_t s = 0; s < size; ++s)
    made.column[s] = weight_[s] * n[samples_[s] / columns] * d[samples_[s] % columns];
  made.norm = std::sqrt(dot(made.column.data(), made.column.data(), size));
  for (std::size_t k = 0; k < rates_n_.size(); ++k) orthogonalise(made, k);
  candidates_.push_back(std::move(made));
}

// Gram-Schmidt: the candidate without its share in the accepted term k.
void TermFit::orthogonalise(Candidate& term, std::size_t k) const {
  const double* other = orthonormal_.data() + k * samples_.size();
  const double overlap = dot(other, term.column.data(), samples_.size());
  term.overlap.resize(std::max(term.overlap.size(), k + 1), 0.0);
  term.overlap[k] += overlap;
  add_multiple(term.column.data(), other, -overlap, samples_.size());
}

// Accepts the candidate that takes most of the residual. Those that follow it are considered next:
// one rate more along either axis.
bool TermFit::accept_best() {
  const std::size_t size = samples_.size();
  for (;;) {
    std::size_t best = candidates_.size();
    double most = -1;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      const double* column = candidates_[c].column.data();
      const double norm = std::sqrt(dot(column, column, size));
      if (!(norm > kLeastNew * candidates_[c].norm)) continue;  // the others span it already
      const double share = std::abs(dot(column, residual_.data(), size)) / norm;
      if (share > most) most = share, best = c;
    }
    if (best == candidates_.size()) return false;
    Candidate term = std::move(candidates_[best]);
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(best));
    if (!add_term(term)) continue;
    for (auto& each : candidates_) orthogonalise(each, rates_n_.size() - 1);
    consider(term.i + 1, term.j);
    consider(term.i, term.j + 1);
    return true;
  }
}

bool TermFit::add_term(Candidate& term) {
  const std::size_t size = samples_.size(), terms = rates_n_.size();
  for (std::size_t k = 0; k < terms; ++k) orthogonalise(term, k);  // once more, for rounding
  const double norm = std::sqrt(dot(term.column.data(), term.column.data(), size));
  if (!(norm > kLeastNew * term.norm)) return false;
  triangle_.insert(triangle_.end(), term.overlap.begin(), term.overlap.end());
  triangle_.push_back(norm);
  for (const double each : term.column) orthonormal_.push_back(each / norm);
  const double* column = orthonormal_.data() + terms * size;
  target_.push_back(dot(column, residual_.data(), size));
  add_multiple(residual_.data(), column, -target_.back(), size);
  rates_n_.push_back(term.rate_n);
  rates_d_.push_back(term.rate_d);
  along_n_.resize((terms + 1) * static_cast<std::size_t>(table_.rows));
  along_d_.resize((terms + 1) * static_cast<std::size_t>(table_.columns));
  fill_powers(std::span(along_n_).last(static_cast<std::size_t>(table_.rows)), term.rate_n,
              table_.n_low - frame_.n);
  fill_powers(std::span(along_d_).last(static_cast<std::size_t>(table_.columns)), term.rate_d,
              table_.d_low - frame_.d);
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

double TermFit::sum_at(const std::vector<double>& coefficient, std::uint32_t cell) const {
  const auto rows = static_cast<std::size_t>(table_.rows);
  const auto columns = static_cast<std::size_t>(table_.columns);
  double sum = 0;
  for (std::size_t k = 0; k < coefficient.size(); ++k)
    sum += coefficient[k] * along_n_[k * rows + cell / columns] *
           along_d_[k * columns + cell % columns];
  return sum;
}

// A bound on E_q|sum - r|; infinite where it cannot be within the tolerance.
double TermFit::error_of(const std::vector<double>& coefficient, double tolerance) {
  double error = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostPrograms; ++round) {
    std::vector<double> errors;
    for (const auto cell : bound_.cells())
      errors.push_back(std::abs(sum_at(coefficient, cell) - rest_[cell]));
    if (!(bound_.least(errors) <= tolerance)) return error;
    bound_.solve(errors);
    if (!(bound_.total() <= tolerance)) return error;
    std::vector<std::uint32_t> missed;
    error = std::min(error, bound_.total() * shortfall(coefficient, missed));
    if (error <= tolerance) return error;
    bound_.add_cells(missed);
  }
  return error;
}

// The factor that the majorant lacks; the worst cells of the rows where it lacks one.
double TermFit::shortfall(const std::vector<double>& coefficient,
                          std::vector<std::uint32_t>& missed) const {
  const auto rows = static_cast<std::size_t>(table_.rows);
  const auto columns = static_cast<std::size_t>(table_.columns);
  std::vector<double> sum(columns), majorant(columns);
  double factor = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (std::size_t k = 0; k < coefficient.size(); ++k)
      add_multiple(sum.data(), along_d_.data() + k * columns,
                   coefficient[k] * along_n_[k * rows + i], columns);
    bound_.majorant(static_cast<std::int32_t>(i), majorant.data());
    double worst = kMissed;
    std::size_t at = columns;
    for (std::size_t j = 0; j < columns; ++j) {
      if (cap_[i * columns + j] <= 0) continue;
      const double ratio = std::abs(sum[j] - rest_[i * columns + j]) / majorant[j];
      if (!std::isfinite(ratio)) return std::numeric_limits<double>::infinity();
      factor = std::max(factor, ratio);
      if (ratio > worst) worst = ratio, at = j;
    }
    if (at < columns) missed.push_back(static_cast<std::uint32_t>(i * columns + at));
  }
  return factor;
}

bool TermFit::solve(double tolerance, FittedSum& out) {
  const std::size_t most = std::min(most_terms_, samples_.size());
  if (rates_n_.empty()) consider(0, 0);
  while (rates_n_.size() < most && accept_best()) {
    const std::size_t terms = rates_n_.size();
    if (terms % kCheckEvery != 0 && terms != most) continue;
    coefficients(out.coefficient);
    out.error = error_of(out.coefficient, tolerance);
    if (out.error <= tolerance) {
      out.rate_n = rates_n_;
      out.rate_d = rates_d_;
      return true;
    }
  }
  return false;
}

}  // namespace treewright::counts
