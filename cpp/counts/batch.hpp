// Objectives over many forests at once: features, threads, one gradient.
//
// Results do not depend on the number of threads: forests are shared out one by one, but what they
// return is added in the order of the forests.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "counts/compiled_objective.hpp"

namespace treewright::counts {

// The features of a forest's parts: a CSR matrix over the forest's own vocabulary. The forest's
// weights are gathered once and its gradient scattered once, so that the loops over parts stay in
// the cache.
struct Features {
  std::span<const Index> first;       // [parts + 1]
  std::span<const Index> local;       // [entries], indices into vocabulary
  std::span<const float> value;       // [entries], or empty: all 1
  std::span<const Index> vocabulary;  // [local features], feature numbers

  // Throws std::invalid_argument; `features` is the length of the weight vector, or -1.
  void check(Index parts, std::int64_t features) const;
};

// out[part] = sum over its features of value * weight
void score_parts(const Features& features, const double* weight, std::vector<double>& local,
                 double* out);
// Throws std::invalid_argument on NaN and +infinity; -infinity forbids a part.
void check_scores(std::span<const double> score);
// local[feature] = sum over parts of value * gradient[part]
void backpropagate(const Features& features, const double* gradient, std::vector<double>& local);

// One forest's share of the work; null pointers where there is nothing.
struct Item {
  const Forest* forest;
  const Forest* gold;
  const CountTable* counts;
  const Features* features;
  const CompiledObjective* objective;
};

// Runs work(i, thread) for i in 0..count-1 on `threads` threads, and finish(i) in the order of i
// under a lock. The calling thread waits and asks `interrupted` now and then. The first exception
// by order of i is thrown again, with the index in front.
void run_ordered(std::size_t count, unsigned threads,
                 const std::function<void(std::size_t, unsigned)>& work,
                 const std::function<void(std::size_t)>& finish, StopFlag& stop,
                 const std::function<bool()>& interrupted);

// value[i] of every item; add(i, gradient over its own vocabulary) is called in the order of i. The
// weights of item i begin at weight[first[i]], or at weight[0] if `first` is empty.
void evaluate_batch(std::span<const Item> items, std::span<const double> weight,
                    std::span<const std::int64_t> first, unsigned threads,
                    const std::function<bool()>& interrupted, double* value,
                    const std::function<void(std::size_t, const std::vector<double>&)>& add);

// A gradient over few of many features: those that some forests have, in the order in which they
// are first seen. The sums stand in arrays over all features, which are zero between two takes.
struct SparseSum {
  explicit SparseSum(std::size_t features = 0) : gradient(features), uses(features) {}

  void add(std::span<const Index> vocabulary, const std::vector<double>& local);
  // Moves the sums at the touched features to vectors over these alone.
  void take(std::vector<double>& gradient_there, std::vector<Index>& uses_there);

  std::vector<double> gradient;  // [features]
  std::vector<Index> uses;       // [features]: how many forests have each
  std::vector<Index> touched;
};

}  // namespace treewright::counts
