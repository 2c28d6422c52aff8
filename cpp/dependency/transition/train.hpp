// The averaged structured perceptron for transition parsers.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "dependency/transition/beam.hpp"
#include "dependency/transition/weight_rows.hpp"

namespace treewright::dependency::transition {

class TransitionLearner {
 public:
  explicit TransitionLearner(const TransitionModel& model)
      : model_(model), search_(model, rows_), scorer_(model, rows_) {}

  // Searches for a violation of a gold sequence and updates on it; true if there was one. No tick.
  bool learn(const Sentence& sentence, std::span<const std::int32_t> gold, std::size_t beam,
             Update update, float aggressiveness);
  // A greedy arc-hybrid parse that learns from every wrong action and goes on with it in a share
  // `exploration` of the cases (Goldberg and Nivre 2013); true if there was one. No tick.
  bool explore(const Sentence& sentence, std::span<const std::int32_t> heads,
               std::span<const std::int32_t> labels, double exploration);
  // w += rate * (f(better) - f(worse)) over two sequences of actions, or over prefixes of them.
  void update(const Sentence& sentence, std::span<const std::int32_t> better,
              std::span<const std::int32_t> worse, float rate);
  void tick() { time_ += 1; }
  double time() const { return time_; }
  // The numbers that the generator of `explore` goes on from.
  std::vector<std::uint64_t> random_state() const;
  // Continues where another learner was; throws std::invalid_argument on what no learner gave.
  void restore(double time, std::span<const std::uint64_t> random);
  LearningRows& rows() { return rows_; }
  BeamSearch<LearningRows>& search() { return search_; }

 private:
  struct Change {
    std::uint64_t key;
    std::int32_t output;
    float amount;
  };
  void gather(const Sentence& sentence, std::span<const std::int32_t> actions, std::size_t shared,
              float sign);
  void gather_all(const Sentence& sentence, std::span<const std::int32_t> better,
                  std::span<const std::int32_t> worse);
  void gather_step(const Sentence& sentence, const State& state, std::int32_t action, float sign);
  std::pair<std::int32_t, std::int32_t> choose(const Sentence& sentence, const State& state,
                                               std::span<const std::int32_t> heads,
                                               std::span<const std::int32_t> labels);
  double squared_norm();
  void apply(float rate);

  const TransitionModel& model_;
  LearningRows rows_;
  BeamSearch<LearningRows> search_;
  ActionScorer<LearningRows> scorer_;
  std::vector<float> scores_;
  std::vector<std::uint64_t> keys_;
  std::mt19937_64 random_;  // its numbers are the same everywhere
  std::vector<Change> changes_;
  double time_ = 0;
};

}  // namespace treewright::dependency::transition
