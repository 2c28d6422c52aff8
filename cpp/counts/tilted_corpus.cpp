#include "counts/tilted_corpus.hpp"

#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace treewright::counts {
namespace {

constexpr Index kWorthSampling = 5000;
constexpr int kSamples = 48;
constexpr std::size_t kMostKept = 8'000'000;      // edges of scratch memory
constexpr double kLeast = 1e-250, kMost = 1e250;  // moments beyond these are of no use

// Only speed depends on them, so that samples will do for large forests.
CountMoments moments_of(const Forest& forest, const CountTable& counts, Workspace& work) {
  if (forest.edges() >= kWorthSampling) {
    const SampledLaw law = sample_law(all_edges(forest, work), counts, kSamples);
    return weighted_moments(law.counts, std::vector<double>(law.counts.size(), 1.0));
  }
  return count_moments(prune(forest, work, 0.0), counts);
}

void add(CountMoments& to, const CountMoments& x) {
  to.n += x.n, to.d += x.d;
  to.nn += x.nn, to.nd += x.nd, to.dd += x.dd;
}

}  // namespace

// Kept from corpus to corpus, as batch.cpp does: memory that the system has to clear is slow.
struct TiltedCorpus::Scratch {
  Workspace work;
  std::vector<std::vector<double>> p;  // [sentences][edges]

  static std::unique_ptr<Scratch> borrow() {
    const std::lock_guard lock(mutex);
    if (spare.empty()) return std::make_unique<Scratch>();
    auto out = std::move(spare.back());
    spare.pop_back();
    return out;
  }
  static void give_back(std::unique_ptr<Scratch> scratch) {
    std::size_t edges = 0;
    for (const auto& each : scratch->p) edges += each.capacity();
    if (edges > kMostKept) return;
    const std::lock_guard lock(mutex);
    spare.push_back(std::move(scratch));
  }

 private:
  static inline std::mutex mutex;
  static inline std::vector<std::unique_ptr<Scratch>> spare;
};

TiltedCorpus::~TiltedCorpus() { Scratch::give_back(std::move(scratch_)); }

TiltedCorpus::TiltedCorpus(std::span<const CorpusSentence> sentences, double slope_n,
                           double slope_d)
    : scratch_(Scratch::borrow()) {
  Workspace& work = scratch_->work;
  if (scratch_->p.size() < sentences.size()) scratch_->p.resize(sentences.size());
  sentences_.reserve(sentences.size());
  for (const auto& [forest, counts, score] : sentences) {
    const auto parts = static_cast<std::size_t>(forest->parts());
    work.scores.resize(parts);
    for (std::size_t i = 0; i < parts; ++i)
      work.scores[i] = score[i] + slope_n * counts->n[i] + slope_d * counts->d[i];
    const double log_z = local_probabilities(*forest, work.scores.data(), work);
    if (!std::isfinite(log_z)) throw std::invalid_argument("no derivation has weight");
    log_total_ += log_z;
    add(law_, moments_of(*forest, *counts, work));
    steps_ += counts->rounding_steps();
    auto& p = scratch_->p[sentences_.size()];
    std::swap(p, work.p);
    sentences_.push_back({all_edges(*forest, work), counts, parts, {}});
    sentences_.back().edges.p = p.data();
  }
}

std::vector<double> TiltedCorpus::log_moments(const std::vector<double>& rate_n,
                                              const std::vector<double>& rate_d) {
  plan_ = {};
  plan_.rate_n.assign(rate_n.begin(), rate_n.end());
  plan_.rate_d.assign(rate_d.begin(), rate_d.end());
  std::vector<double> total(rate_n.size(), 0.0);
  for (auto& sentence : sentences_) {
    const auto values = term_values(sentence.edges, *sentence.counts, plan_, scratch_->work);
    sentence.log_moments.clear();
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double moment = values[k].real();
      sentence.log_moments.push_back(moment > kLeast && moment < kMost
                                         ? std::log(moment)
                                         : std::numeric_limits<double>::infinity());
      total[k] += sentence.log_moments[k];
    }
  }
  return total;
}

std::vector<std::vector<double>> TiltedCorpus::masses(const std::vector<double>& coefficient,
                                                      const std::vector<double>& shift) {
  const std::size_t terms = plan_.rate_n.size();
  if (coefficient.size() != terms || shift.size() != terms)
    throw std::invalid_argument("a sum needs a coefficient and a shift for each rate");
  std::vector<double> total(terms, 0.0);
  for (const auto& sentence : sentences_)
    for (std::size_t k = 0; k < terms; ++k) total[k] += sentence.log_moments[k];
  std::vector<std::vector<double>> out;
  out.reserve(sentences_.size());
  for (const auto& sentence : sentences_) {
    plan_.coefficient.clear();
    for (std::size_t k = 0; k < terms; ++k)
      plan_.coefficient.emplace_back(coefficient[k] *
                                     std::exp(total[k] - sentence.log_moments[k] - shift[k]));
    out.emplace_back(sentence.parts, 0.0);
    add_term_masses(sentence.edges, *sentence.counts, plan_, scratch_->work, out.back().data());
  }
  return out;
}

}  // namespace treewright::counts
