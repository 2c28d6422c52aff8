// Sentences whose counts add up, with weights that are tilted by a plane of the sums
// (docs/theory.md, "Corpus-level F1").
//
// Moments of the sums are products of the sentences' moments. Every sentence has one inside pass,
// and what comes after are sweeps of terms.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "counts/pruned.hpp"

namespace treewright::counts {

struct CorpusSentence {
  const Forest* forest;
  const CountTable* counts;
  const double* score;
};

class TiltedCorpus {
 public:
  // exp(slope_n n + slope_d d) goes into the weights. Throws std::invalid_argument if a sentence
  // has no derivation with weight. Forests and counts stay with the caller.
  TiltedCorpus(std::span<const CorpusSentence> sentences, double slope_n, double slope_d);
  ~TiltedCorpus();
  TiltedCorpus(const TiltedCorpus&) = delete;
  TiltedCorpus& operator=(const TiltedCorpus&) = delete;

  // log of the sum of the tilted weights, over all tuples of derivations.
  double log_total() const { return log_total_; }
  // Mean and covariance of the sums under the tilted law; of large forests, from a few samples.
  const CountMoments& law() const { return law_; }
  double rounding_steps() const { return steps_; }

  // log E[exp(rate_n N + rate_d D)] of each pair of rates; infinite beyond the range of a double.
  std::vector<double> log_moments(const std::vector<double>& rate_n,
                                  const std::vector<double>& rate_d);
  // Every sentence's E[uses * sum_k c_k exp(rate_k x - shift_k)] of its parts, with the rates of
  // the last moments.
  std::vector<std::vector<double>> masses(const std::vector<double>& coefficient,
                                          const std::vector<double>& shift);

 private:
  struct Sentence {
    EdgeView edges;
    const CountTable* counts;
    std::size_t parts;
    std::vector<double> log_moments;  // [rates]
  };
  struct Scratch;

  std::unique_ptr<Scratch> scratch_;
  std::vector<Sentence> sentences_;
  TermPlan plan_;  // of the last moments
  double log_total_ = 0, steps_ = 0;
  CountMoments law_;
};

}  // namespace treewright::counts
