// The edges of a forest that carry nearly all of its mass, as arrays of their own.
//
// A trained model gives most edges of a wide chart a negligible posterior. Sweeps that need many
// exponential terms leave those edges out; how much mass is lost is known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "counts/terms.hpp"

namespace treewright::counts {

struct Pruned {
  EdgeView edges;      // arrays of the forest, or of work.pruned
  const double* mass;  // [nodes], their posteriors
  double lost = 0;     // at least the probability of a derivation that uses an edge left out
};

// The edges of posterior `least` or more; all of them, if few are below. Needs p in `work` and
// changes work.node and work.pruned, which the result points to.
Pruned prune(const Forest& forest, Workspace& work, double least);

// Mean and covariance of a derivation's counts.
struct CountMoments {
  double n = 0, d = 0, nn = 0, nd = 0, dd = 0;
};
CountMoments count_moments(const Pruned& pruned, const CountTable& counts);

// What some derivations that are drawn from the law say of it; the same ones every time.
struct SampledLaw {
  struct Counts {
    std::int32_t n, d;
  };
  std::vector<Counts> counts;  // [samples]
  // How flat the law is where they are: their entropy, over that of a law that takes all edges of
  // a node to be as likely.
  double flatness = 0;
};
SampledLaw sample_law(const EdgeView& edges, const CountTable& counts, int samples);
// Of samples with these weights, which need not add up to 1.
CountMoments weighted_moments(std::span<const SampledLaw::Counts> samples,
                              std::span<const double> weight);

}  // namespace treewright::counts
