#include "counts/tilting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include "counts/pruned.hpp"
#include "counts/slice_fit.hpp"
#include "counts/slices.hpp"
#include "counts/term_fit.hpp"

namespace treewright::counts {
namespace {

// How hard a fit is tried. Rings: the rates of the moments that bound the law's tails, as radii in
// standard deviations to the power -1 with the number of directions of each; the rate 0 comes
// first, and 16 terms are swept at once. Heavy tails need small rates too, and sums that cover them
// a wider range of rates.
struct Ring {
  double radius;
  int directions;
};
struct Effort {
  std::array<Ring, 4> rings;  // those without directions are none
  FitEffort fit;
};
constexpr Effort kEfforts[] = {
    {{{{4, 6}, {1.8, 5}, {0.6, 4}, {0, 0}}}, {0.45, 0.2, 4.0, 0.8, 500, 96}},
    {{{{4.5, 7}, {2.2, 8}, {1.1, 8}, {0.4, 8}}}, {0.45, 0.4, 4.0, 0.8, 640, 144}},
    {{{{4.5, 7}, {2.2, 8}, {1.1, 8}, {0.4, 8}}}, {0.8, 0.4, 8.0, 0.6, 640, 144}}};
constexpr Index kWorthSamples = 20000;    // smaller forests are fitted on
constexpr std::size_t kFewSamples = 192;  // so many cells, the first time
constexpr double kSteepest = 200;         // exponents beyond this may leave the range of a double
constexpr double kPrunedShare = 1e-1;  // of the tolerance: all edges together, if all were pruned
constexpr double kLostShare = 0.1;     // of the tolerance: what pruning may lose
constexpr Index kWorthSampling = 5000;
constexpr int kSamples = 48;
constexpr double kFlat = 0.4, kFlatInTail = 0.25;
constexpr double kAlike = 0.5;
constexpr int kMostPrunings = 4, kMostFits = 3;
constexpr double kMomentSlack = 1e-9;    // more than the rounding of a moment's logarithm
constexpr double kFittedShare = 0.85;    // of the tolerance
constexpr double kMeanShare = 0.9;       // of a mean that samples estimate
constexpr double kFarFromNormal = 0.75;  // laws whose samples' mean is that low are not normal
constexpr double kLeastRest = 0.02;      // of a mean
constexpr double kRoundoff = 0x1p-53;
// Laws of d have long tails: of the first plane's slope along d a part is used. The tails of flat
// laws only fall with slopes up to about 0.2: a steeper start is replaced.
constexpr double kStartAlongD = 0.5;
constexpr double kMostAlongD = 0.15, kFlatAlongD = 0.1;
// Slices: the cost of a term in a pair of cells, over that of a term of a sum on an edge, and that
// of a pair of terms in a fit; memory.
constexpr double kPairCost = 2.2, kFitCost = 350, kMostSliceBytes = 0x1p30;
constexpr std::size_t kSliceTerms[] = {4, 8, 16};
constexpr std::size_t kFewTerms = 16;  // sums this short are tried whatever slices cost
constexpr int kRounds = 3;             // of tangent planes and means
constexpr double kFarthest = 2;        // a mean moves by so many standard deviations at most

// Centre, plane and axes of the fit.
struct Centre {
  Expansion plane;
  Frame frame;
};

// Newton's method for the mean of the law that is tilted to the tangent plane there: a mean moves
// by the covariance times the change of the slopes, about, and not far in one go.
Centre find_centre(const GoalTable& table, const CountMoments& law, double slope_n,
                   double slope_d) {
  const double far_n = kFarthest * std::sqrt(law.nn + 0.1);
  const double far_d = kFarthest * std::sqrt(law.dd + 0.1);
  const auto inside = [](double x, double mean, double far, std::int32_t low, std::int32_t size) {
    x = std::clamp(x, mean - far, mean + far);
    return std::clamp(x, static_cast<double>(low), static_cast<double>(low + size - 1));
  };
  double n = law.n, d = law.d;
  Expansion plane = expand(table, n, d);
  for (int round = 0; round < kRounds; ++round) {
    const double a = plane.slope_n - slope_n, b = plane.slope_d - slope_d;
    const double miss_n = law.n + law.nn * a + law.nd * b - n;
    const double miss_d = law.d + law.nd * a + law.dd * b - d;
    // (1 - covariance * curvature) step = miss
    const double m00 = 1 - law.nn * plane.nn - law.nd * plane.nd;
    const double m01 = -law.nn * plane.nd - law.nd * plane.dd;
    const double m10 = -law.nd * plane.nn - law.dd * plane.nd;
    const double m11 = 1 - law.nd * plane.nd - law.dd * plane.dd;
    const double determinant = m00 * m11 - m01 * m10;
    const bool usable = determinant > 0.1;
    const double step_n = usable ? (m11 * miss_n - m01 * miss_d) / determinant : miss_n;
    const double step_d = usable ? (m00 * miss_d - m10 * miss_n) / determinant : miss_d;
    n = inside(n + step_n, law.n, far_n, table.n_low, table.rows);
    d = inside(d + step_d, law.d, far_d, table.d_low, table.columns);
    plane = expand(table, n, d);
  }
  return {plane, Frame(n, d, law.nn, law.nd, law.dd)};
}

// log E_q[exp(rate x)] at many rates, where q is the law of the pruned edges tilted to the plane.
struct TiltedLaw {
  double log_total = 0;            // of q before it is normalised
  std::vector<LogMoment> moments;  // of counts from the centre
};

// The largest log g(x) - slope x: what a derivation that is left out may have.
double highest_rest(const GoalTable& table, double slope_n, double slope_d) {
  double highest = -std::numeric_limits<double>::infinity();
  for (std::int32_t i = 0; i < table.rows; ++i) {
    const std::int32_t n = table.n_low + i;
    for (std::int32_t j = table.n_within_d ? std::max(n - table.d_low, 0) : 0; j < table.columns;
         ++j)
      highest = std::max(highest, table.log_g[static_cast<std::size_t>(i) * table.columns + j] -
                                      slope_n * n - slope_d * (table.d_low + j));
  }
  return highest;
}

class TiltedSum {
 public:
  TiltedSum(const Forest& forest, const CountTable& counts, const TiltedPlan& plan, Workspace& work)
      : forest_(forest),
        counts_(counts),
        plan_(plan),
        work_(work),
        range_(counts.goal_range()),
        table_{range_.n_low,     range_.d_low,      range_.rows(),
               range_.columns(), plan.log_g.data(), plan.n_within_d} {
    if (plan.log_g.size() != static_cast<std::size_t>(table_.rows) * table_.columns)
      throw std::invalid_argument("the function does not have one entry for each cell of the goal");
    start_ = expand(table_, plan.start_n, plan.start_d);
    start_.slope_d *= kStartAlongD;
  }

  // Where the fit fails, the law was far from the start's: the next start is its centre.
  std::optional<double> evaluate(const double* score, double* gradient, TiltedReport* report) {
    for (const Effort& effort : kEfforts) {
      effort_ = &effort;
      if (const auto value = from_start(score, gradient, report)) return value;
      start_ = centre_.plane;
    }
    return {};
  }

 private:
  std::optional<double> from_start(const double* score, double* gradient, TiltedReport* report) {
    const bool steep = std::abs(start_.slope_d) > kMostAlongD;
    const bool alike = steep && forest_.edges() >= kWorthSampling && are_alike(score);
    const double gentle = std::copysign(kFlatAlongD, start_.slope_d);
    if (alike) start_.slope_d = gentle;
    double log_z = start_law(score);
    bool flat = samples_.flatness > (steep && !alike ? kFlatInTail : kFlat);
    if (flat && steep && !alike) {
      start_.slope_d = gentle;
      log_z = start_law(score);
      flat = samples_.flatness > kFlat;
    }
    const double highest = highest_rest(table_, start_.slope_n, start_.slope_d);
    const double here = start_.height - start_.slope_n * start_.n - start_.slope_d * start_.d;
    double least = kPrunedShare * plan_.tolerance / forest_.edges() * std::exp(here - highest);
    for (int round = 0; round < kMostPrunings; ++round) {
      look_at_law(least, flat);
      if (!tilt()) return {};
      const Expansion& at = centre_.plane;
      const double plane = at.height - at.slope_n * at.n - at.slope_d * at.d;
      const double lost = pruned_.lost * std::exp(highest - plane - law_.log_total);
      if (lost <= kLostShare * plan_.tolerance) {
        const auto value = fit_and_sweep(lost, gradient, report);
        if (!value) return {};
        return log_z + plane + law_.log_total + std::log(*value);
      }
      least *= kLostShare * plan_.tolerance / lost / 4;
    }
    return {};
  }

  // Local probabilities under the plane at the start, and samples of a large forest; log Z there.
  double start_law(const double* score) {
    const auto parts = static_cast<std::size_t>(forest_.parts());
    work_.scores.resize(parts);
    for (std::size_t i = 0; i < parts; ++i)
      work_.scores[i] = score[i] + start_.slope_n * counts_.n[i] + start_.slope_d * counts_.d[i];
    const double log_z = local_probabilities(forest_, work_.scores.data(), work_);
    if (!std::isfinite(log_z)) throw std::invalid_argument("no derivation has weight");
    samples_ = {};
    if (forest_.edges() >= kWorthSampling)
      samples_ = sample_law(all_edges(forest_, work_), counts_, kSamples);
    return log_z;
  }

  // Scores that hardly differ, such as those of zero weights, most likely make a flat law.
  bool are_alike(const double* score) const {
    const auto [low, high] = std::minmax_element(score, score + forest_.parts());
    return *high - *low < kAlike;
  }

  // The edges that matter, and the centre of the fit. With a flat law all edges matter, and the
  // centre, which nothing but speed depends on, is estimated.
  void look_at_law(double least, bool flat) {
    if (flat) {
      pruned_ = {all_edges(forest_, work_), nullptr, 0.0};
      return centre_on_samples();
    }
    pruned_ = prune(forest_, work_, least);
    const CountMoments law = count_moments(pruned_, counts_);
    centre_ = find_centre(table_, law, start_.slope_n, start_.slope_d);
    mean_rest_ = expected_rest(law, centre_.plane);
    const double sampled = sampled_rest(centre_.plane);
    if (sampled < kFarFromNormal * mean_rest_) mean_rest_ = std::max(sampled, kLeastRest);
  }

  // The samples are of the start's law. With what it lacks of w g as weights, they have the mean
  // and covariance of w g itself, and those of a plane's law with what that lacks.
  void centre_on_samples() {
    const std::vector<double> rest = rest_of_samples(start_);
    std::vector<double> weight;
    const double most = *std::max_element(rest.begin(), rest.end());
    for (const double each : rest) weight.push_back(std::exp(each - most));
    const CountMoments law = weighted_moments(samples_.counts, weight);
    Expansion plane = expand(table_, law.n, law.d);
    plane.slope_d = std::clamp(plane.slope_d, -kMostAlongD, kMostAlongD);
    centre_ = {plane, Frame(law.n, law.d, law.nn, law.nd, law.dd)};
    mean_rest_ = std::clamp(sampled_rest(plane), kLeastRest, 20.0);
  }

  // log g(x) - plane(x) at the samples.
  std::vector<double> rest_of_samples(const Expansion& plane) const {
    std::vector<double> out;
    for (const auto& [n, d] : samples_.counts)
      out.push_back(table_.log_g[static_cast<std::size_t>(n - table_.n_low) * table_.columns + d -
                                 table_.d_low] -
                    plane.height - plane.slope_n * (n - plane.n) - plane.slope_d * (d - plane.d));
    return out;
  }

  // E_q[r], where q is the law tilted to the plane: infinite without samples.
  double sampled_rest(const Expansion& plane) const {
    const std::vector<double> weight = rest_of_samples(start_), rest = rest_of_samples(plane);
    if (weight.empty()) return std::numeric_limits<double>::infinity();
    const double most = *std::max_element(weight.begin(), weight.end());
    double all = 0, tilted = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
      all += std::exp(weight[i] - most);
      tilted += std::exp(weight[i] - most - rest[i]);
    }
    return kMeanShare * all / tilted;
  }

  // Moments of the law that is tilted to the plane at the centre.
  bool tilt() {
    const Expansion& plane = centre_.plane;
    shift_n_ = plane.slope_n - start_.slope_n, shift_d_ = plane.slope_d - start_.slope_d;
    if (steepness(shift_n_, shift_d_) > kSteepest) return false;
    std::vector<double> rate_n, rate_d;
    tail_rates(rate_n, rate_d);
    const auto values = term_values(pruned_.edges, counts_, terms_of(rate_n, rate_d), work_);
    const double total = values[0].real();
    if (!in_range(total)) return false;
    law_.log_total = std::log(total);
    law_.moments.assign(1, {0.0, 0.0, kMomentSlack});
    for (std::size_t k = 1; k < values.size(); ++k)
      if (in_range(values[k].real()))
        law_.moments.push_back({rate_n[k], rate_d[k],
                                std::log(values[k].real() / total) + kMomentSlack -
                                    rate_n[k] * plane.n - rate_d[k] * plane.d});
    return true;
  }

  // E_q[r] to the tolerance, and the marginals of q r.
  std::optional<double> fit_and_sweep(double lost, double* gradient, TiltedReport* report) {
    RestTable rest(table_, centre_.plane, law_.moments);
    FitEffort how = effort_->fit;
    how.terms = std::min(how.terms, worthwhile_terms());
    if (effort_ == kEfforts && forest_.edges() < kWorthSamples) how.samples = kFewSamples;
    TermFit fit(rest, centre_.frame, how);
    double mean = mean_rest_;
    for (int round = 0; round < kMostFits; ++round) {
      const double goal = kFittedShare * plan_.tolerance * mean;
      work_.masses.assign(static_cast<std::size_t>(forest_.parts()), 0.0);
      const Swept swept = sweep(fit, rest, goal);
      if (swept.terms == 0) return {};
      const double steps = counts_.rounding_steps() * std::max<std::size_t>(swept.columns, 1);
      const double rounding = swept.size * (steps + kSteepest) * kRoundoff;
      const double wrong = swept.error + lost + rounding;
      if (!(wrong <= plan_.tolerance * (swept.value - wrong))) {
        mean = swept.value > 0 ? 0.8 * std::min(mean, swept.value) : mean / 16;
        continue;
      }
      for (std::size_t i = 0; i < work_.masses.size(); ++i)
        gradient[i] += work_.masses[i] / swept.value;
      if (report != nullptr)
        *report = {
            swept.terms, wrong / (swept.value - wrong),
            static_cast<double>(pruned_.edges.first_edge[pruned_.edges.nodes]) / forest_.edges(),
            swept.columns};
      return swept.value;
    }
    return {};
  }

  // E_q[r] if q were normal and log r its second-order expansion: det(1 - cov H)^(-1/2).
  static double expected_rest(const CountMoments& law, const Expansion& h) {
    const double m00 = 1 - law.nn * h.nn - law.nd * h.nd;
    const double m01 = -law.nn * h.nd - law.nd * h.dd;
    const double m10 = -law.nd * h.nn - law.dd * h.nd;
    const double m11 = 1 - law.nd * h.nd - law.dd * h.dd;
    return 1 / std::sqrt(std::clamp(m00 * m11 - m01 * m10, 0.7, 4.0));
  }

  // Sums with more terms than this cost more than slices: t terms, and the fit that finds them,
  // take t edges + kFitCost t^2.
  std::size_t worthwhile_terms() const {
    const double bytes = 16 * counts_.column_cells() * kSliceTerms[1];
    if (bytes > kMostSliceBytes) return effort_->fit.terms;
    const double slices = kPairCost * kSliceTerms[1] * counts_.column_pairs();
    const double edges = static_cast<double>(pruned_.edges.first_edge[pruned_.edges.nodes]);
    const double lanes = 2 * slices / (edges + std::sqrt(edges * edges + 4 * kFitCost * slices));
    return std::max(kFewTerms, static_cast<std::size_t>(std::min(lanes, 1e6)));
  }

  // A sum of terms or of slices, whichever is shorter, swept: adds to work_.masses.
  struct Swept {
    std::size_t terms = 0, columns = 0;  // no terms: there is no sum within the tolerance
    double error = 0, value = 0, size = 0;
  };
  Swept sweep(TermFit& fit, RestTable& rest, double goal) {
    if (FittedSum sum; fit.solve(goal, sum)) return sweep_terms(sum);
    for (const std::size_t terms : kSliceTerms) {
      if (16 * counts_.column_cells() * static_cast<double>(terms) > kMostSliceBytes) break;
      if (FittedSlices sum; fit_slices(rest, centre_.frame, terms, goal, sum))
        return sweep_slices(sum);
    }
    return {};
  }

  Swept sweep_terms(const FittedSum& sum) {
    const Expansion& centre = centre_.plane;
    TermPlan terms = terms_of(sum.rate_n, sum.rate_d);
    for (std::size_t k = 0; k < sum.coefficient.size(); ++k)
      terms.coefficient.emplace_back(
          sum.coefficient[k] *
          std::exp(-sum.rate_n[k] * centre.n - sum.rate_d[k] * centre.d - law_.log_total));
    Swept out{sum.coefficient.size(), 0, sum.error, 0, 0};
    out.value =
        add_term_masses(pruned_.edges, counts_, terms, work_, work_.masses.data(), &out.size);
    return out;
  }

  Swept sweep_slices(const FittedSlices& sum) {
    const std::size_t terms = sum.rate.size(), columns = sum.columns;
    const std::int32_t first = table_.d_low + static_cast<std::int32_t>(sum.first);
    SlicesPlan plan{first, first + static_cast<std::int32_t>(columns) - 1, sum.rate,
                    sum.coefficient};
    for (double& rate : plan.rate_n) rate += shift_n_;
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t k = 0; k < terms; ++k)
        plan.coefficient[j * terms + k] *= std::exp(shift_d_ * (first + static_cast<double>(j)) -
                                                    sum.rate[k] * centre_.plane.n - law_.log_total);
    Swept out{terms, columns, sum.error, 0, 0};
    out.value =
        add_slice_masses(pruned_.edges, counts_, plan, work_, work_.masses.data(), &out.size);
    return out;
  }

  // Rates from the plane's as rates over the pruned edges, which are tilted to the start's plane.
  TermPlan terms_of(const std::vector<double>& rate_n, const std::vector<double>& rate_d) const {
    TermPlan plan;
    for (std::size_t k = 0; k < rate_n.size(); ++k) {
      plan.rate_n.emplace_back(rate_n[k] + shift_n_);
      plan.rate_d.emplace_back(rate_d[k] + shift_d_);
    }
    return plan;
  }

  // Rates in all directions, and 0 in front.
  void tail_rates(std::vector<double>& rate_n, std::vector<double>& rate_d) const {
    const Frame& frame = centre_.frame;
    rate_n.assign(1, 0.0);
    rate_d.assign(1, 0.0);
    for (const auto& [radius, directions] : effort_->rings)
      for (int k = 0; k < directions; ++k) {
        const double angle = 2 * std::numbers::pi * k / directions;
        const double x = radius * std::cos(angle), y = radius * std::sin(angle);
        const double n = frame.rate_n(x, y), d = frame.rate_d(y);
        const double scale = std::min(1.0, kSteepest / steepness(n, d));
        rate_n.push_back(n * scale);
        rate_d.push_back(d * scale);
      }
  }

  double steepness(double rate_n, double rate_d) const {
    return std::abs(rate_n) * range_.n_high + std::abs(rate_d) * range_.d_high;
  }

  static bool in_range(double moment) { return moment > 1e-200 && moment < 1e200; }

  const Effort* effort_ = nullptr;
  const Forest& forest_;
  const CountTable& counts_;
  const TiltedPlan& plan_;
  Workspace& work_;
  const CountTable::Range& range_;
  GoalTable table_;
  Expansion start_{};
  SampledLaw samples_;
  Pruned pruned_{};
  Centre centre_{{}, Frame(0, 0, 1, 0, 1)};  // of the last fit
  double mean_rest_ = 1;                     // about E_q[r]
  double shift_n_ = 0, shift_d_ = 0;
  TiltedLaw law_;
};

}  // namespace

std::optional<double> tilted_log_sum(const Forest& forest, const CountTable& counts,
                                     const TiltedPlan& plan, const double* score, Workspace& work,
                                     double* gradient, TiltedReport* report) {
  return TiltedSum(forest, counts, plan, work).evaluate(score, gradient, report);
}

}  // namespace treewright::counts
