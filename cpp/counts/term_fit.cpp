#include "counts/term_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/simd.hpp"

namespace treewright::counts {
namespace {

constexpr double kLeastSpread = 0.03;  // of the rates, in standard deviations to the power -1
constexpr double kWiderAlongN = 1.3;   // rates along n cover more than those along d
// How far the rates' centre is from 0, in halves. Along d it depends on how much of the tail r
// leaves.
constexpr double kRising = 0.4, kFalling = 0.6, kFading = 8;
constexpr double kLeastFalling = 0.4, kMostFalling = 1.6;
constexpr std::size_t kCheckEvery = 4;  // the core sweeps four terms at once
constexpr double kLeastNew = 1e-10;     // of a term, what the ones before do not span

TREEWRIGHT_CLONES void add_multiple(double* to, const double* x, double factor, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] += factor * x[i];
}

TREEWRIGHT_CLONES double dot(const double* x, const double* y, std::size_t size) {
  double part[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8)
    for (int k = 0; k < 8; ++k) part[k] += x[i + k] * y[i + k];
  for (; i < size; ++i) part[0] += x[i] * y[i];
  return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
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

// Terms with coefficients, as products of a factor along n and one along d.
class Sum final : public CellSum {
 public:
  Sum(const GoalTable& table, const std::vector<double>& coefficient,
      const std::vector<double>& along_n, const std::vector<double>& along_d,
      const OuterPowers& outer)
      : rows_(static_cast<std::size_t>(table.rows)),
        columns_(static_cast<std::size_t>(table.columns)),
        coefficient_(coefficient),
        along_n_(along_n),
        along_d_(along_d),
        outer_(outer) {}

  double at(std::uint32_t cell) const override {
    double sum = 0;
    for (std::size_t k = 0; k < coefficient_.size(); ++k)
      sum += coefficient_[k] * along_n_[k * rows_ + cell / columns_] *
             along_d_[k * columns_ + cell % columns_];
    return sum;
  }

  void row(std::int32_t row, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t k = 0; k < coefficient_.size(); ++k)
      add_multiple(out.data(), along_d_.data() + k * columns_,
                   coefficient_[k] * along_n_[k * rows_ + static_cast<std::size_t>(row)], columns_);
  }

  double most(std::size_t rectangle) const override {
    const std::size_t i = rectangle / outer_.columns, j = rectangle % outer_.columns;
    double sum = 0;
    for (std::size_t k = 0; k < coefficient_.size(); ++k)
      sum += std::abs(coefficient_[k]) * outer_.n[k * outer_.rows + i] *
             outer_.d[k * outer_.columns + j];
    return sum;
  }

 private:
  std::size_t rows_, columns_;
  const std::vector<double>&coefficient_, &along_n_, &along_d_;
  const OuterPowers& outer_;
};

}  // namespace

TermFit::TermFit(RestTable& rest, const Frame& frame, const FitEffort& effort)
    : rest_(rest),
      table_(rest.table()),
      frame_(frame),
      most_terms_(effort.terms),
      samples_(rest.likely()),
      taken_(kPoints * kPoints, 0) {
  choose_rates(effort);
  outer_.rows = rest.outside().n.size();
  outer_.columns = rest.outside().d.size();
  thin_out(samples_, effort.samples, static_cast<std::uint32_t>(table_.columns));
  for (const auto cell : samples_) {
    weight_.push_back(std::pow(rest.cap()[cell], effort.cap_power));
    residual_.push_back(weight_.back() * rest.rest()[cell]);
  }
}

// Rates from about the lowest to the highest slope of log r where the mass is, along d some lower.
void TermFit::choose_rates(const FitEffort& effort) {
  const auto rates = [&](const RestTable::Slopes& slopes, double deviation) {
    if (!(slopes.low <= slopes.high)) return Rates{0.0, kLeastSpread / deviation};
    return Rates{
        effort.rate_share * (slopes.low + slopes.high) / 2,
        std::max(effort.rate_share * (slopes.high - slopes.low) / 2, kLeastSpread / deviation)};
  };
  along_n_rates_ = rates(rest_.along_n(), frame_.l_nn);
  const double deviation = std::hypot(frame_.l_dn, frame_.l_dd);
  along_d_rates_ = rates(rest_.along_d(), deviation);
  along_d_rates_.centre -= effort.falling / deviation / 2;
  along_d_rates_.half += effort.falling / deviation / 2;
  if (effort.most_exponent > 0) follow_tail(effort.most_exponent);
}

// One sentence's law of d has a long tail upwards: terms that fall leave it to the others, all the
// more where r is small there, and slopes at low d say little. Rates that are too close make terms
// alike, and rates that are too far apart waste terms on cells without mass. Where d is large, n is
// too: along n, more rates rise.
void TermFit::follow_tail(double most_exponent) {
  along_n_rates_.half *= kWiderAlongN;
  along_n_rates_.centre += kRising * along_n_rates_.half;
  const auto reach = rest_.reach();
  const double falling =
      std::clamp(kFalling + kFading * (1 - reach.share_above), kLeastFalling, kMostFalling);
  along_d_rates_.half = std::min(along_d_rates_.half, most_exponent / reach.half);
  along_d_rates_.centre = -falling * along_d_rates_.half;
}

// The term with these rates, without its share in the accepted ones.
void TermFit::consider(int i, int j) {
  static const auto points = leja_points();
  if (i >= kPoints || j >= kPoints || taken_[static_cast<std::size_t>(i) * kPoints + j]) return;
  taken_[static_cast<std::size_t>(i) * kPoints + j] = 1;
  const double rate_n = along_n_rates_.centre + along_n_rates_.half * points[i];
  const double rate_d = along_d_rates_.centre + along_d_rates_.half * points[j];
  const std::size_t size = samples_.size();
  Candidate made{i, j, rate_n, rate_d, 0, std::vector<double>(size), {}, 0, 0};
  const auto columns = static_cast<std::uint32_t>(table_.columns);
  std::vector<double> n(static_cast<std::size_t>(table_.rows)), d(columns);
  fill_powers(n, rate_n, table_.n_low - frame_.n);
  fill_powers(d, rate_d, table_.d_low - frame_.d);
  for (std::size_t s = 0; s < size; ++s)
    made.column[s] = weight_[s] * n[samples_[s] / columns] * d[samples_[s] % columns];
  made.norm = std::sqrt(dot(made.column.data(), made.column.data(), size));
  for (std::size_t k = 0; k < rates_n_.size(); ++k) orthogonalise(made, k);
  made.square = dot(made.column.data(), made.column.data(), size);
  made.share = dot(made.column.data(), residual_.data(), size);
  candidates_.push_back(std::move(made));
}

// Gram-Schmidt: the candidate without its share in the accepted term k; that share.
double TermFit::orthogonalise(Candidate& term, std::size_t k) const {
  const double* other = orthonormal_.data() + k * samples_.size();
  const double overlap = dot(other, term.column.data(), samples_.size());
  term.overlap.resize(std::max(term.overlap.size(), k + 1), 0.0);
  term.overlap[k] += overlap;
  add_multiple(term.column.data(), other, -overlap, samples_.size());
  return overlap;
}

// Accepts the candidate that takes most of the residual. Those that follow it are considered next:
// one rate more along either axis.
bool TermFit::accept_best() {
  for (;;) {
    std::size_t best = candidates_.size();
    double most = -1;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      const Candidate& each = candidates_[c];
      const double norm = std::sqrt(std::max(each.square, 0.0));
      if (!(norm > kLeastNew * each.norm)) continue;  // the others span it already
      const double share = std::abs(each.share) / norm;
      if (share > most) most = share, best = c;
    }
    if (best == candidates_.size()) return false;
    Candidate term = std::move(candidates_[best]);
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(best));
    if (!add_term(term)) continue;
    for (auto& each : candidates_) {
      const double overlap = orthogonalise(each, rates_n_.size() - 1);
      each.square -= overlap * overlap;
      each.share -= overlap * target_.back();
    }
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
  const auto most = [](double rate, const Outside::Interval& x) {
    return std::exp(std::max(rate * x.low, rate * x.high));
  };
  for (const auto& x : rest_.outside().n) outer_.n.push_back(most(term.rate_n, x));
  for (const auto& x : rest_.outside().d) outer_.d.push_back(most(term.rate_d, x));
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

bool TermFit::solve(double tolerance, FittedSum& out) {
  const std::size_t most = std::min(most_terms_, samples_.size());
  if (rates_n_.empty()) consider(0, 0);
  while (rates_n_.size() < most && accept_best()) {
    const std::size_t terms = rates_n_.size();
    if (terms % kCheckEvery != 0 && terms != most) continue;
    coefficients(out.coefficient);
    const Sum sum(table_, out.coefficient, along_n_, along_d_, outer_);
    out.error = rest_.error_of(sum, tolerance);
    if (out.error <= tolerance) {
      out.rate_n = rates_n_;
      out.rate_d = rates_d_;
      return true;
    }
  }
  return false;
}

}  // namespace treewright::counts
