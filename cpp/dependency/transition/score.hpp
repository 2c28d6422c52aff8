// The scores of all actions in a state: rows of weights summed over the state's features, with the
// sums of cached groups kept for the states of one sentence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "core/simd.hpp"
#include "dependency/transition/model.hpp"

namespace treewright::dependency::transition {

void add_floats(float* to, const float* from, std::size_t count);

// Sums of groups of templates, by what the groups depend on.
class GroupCache {
 public:
  explicit GroupCache(std::size_t width) : width_(width), slots_(kSlots) {}
  void clear() {
    ++stamp_;
    used_ = 0;
  }
  // The row for a key, and whether it is there already. A cache that is full gives its scratch row.
  std::pair<std::size_t, bool> row(std::uint64_t key);
  float* at(std::size_t row) { return &values_[row * width_]; }

 private:
  static constexpr std::size_t kSlots = 1 << 14;
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t row = 0, stamp = 0;
  };
  std::size_t width_, used_ = 0;
  std::uint32_t stamp_ = 1;
  std::vector<Slot> slots_;
  std::vector<float> values_;
};

template <class Rows>
class ActionScorer {
 public:
  ActionScorer(const TransitionModel& model, const Rows& rows)
      : model_(model),
        rows_(rows),
        width_((static_cast<std::size_t>(model.outputs()) + 15) / 16 * 16),
        cache_(width_) {}
  std::size_t width() const { return width_; }
  void begin(const Sentence& sentence) {
    sentence_ = &sentence;
    cache_.clear();
  }
  // scores[width()]: for every action the sum over the state's features.
  void score(const State& state, float* scores);

 private:
  struct Segment {
    std::size_t first, end, row;  // the keys of a group, and where their sum is kept
    bool cached, known;
  };
  void gather(const State& state);
  void add_keys(const Segment& segment, float* to) const {
    for (std::size_t i = segment.first; i < segment.end; ++i)
      if (found_[i]) rows_.add_row(found_[i], to);
  }

  const TransitionModel& model_;
  const Rows& rows_;
  std::size_t width_;
  GroupCache cache_;
  const Sentence* sentence_ = nullptr;
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> places_;
  std::vector<const void*> found_;
  std::vector<Segment> segments_;
};

template <class Rows>
void ActionScorer<Rows>::gather(const State& state) {
  Slots slots;
  find_slots(state, slots);
  keys_.clear();
  segments_.clear();
  Key number = 0;
  for (const auto& group : model_.program().groups()) {
    Segment segment{keys_.size(), keys_.size(), 0, group.mark == kCached, false};
    if (group.mark == kCached)
      std::tie(segment.row, segment.known) =
          cache_.row(support_key(group, state, slots, *sentence_) ^ seed(++number));
    if (!segment.known) group_features(group, state, slots, *sentence_, keys_);
    segment.end = keys_.size();
    segments_.push_back(segment);
  }
}

template <class Rows>
void ActionScorer<Rows>::score(const State& state, float* scores) {
  gather(state);
  for (const std::uint64_t key : keys_) rows_.prefetch(key);
  found_.resize(keys_.size());
  places_.resize(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i) places_[i] = rows_.locate(keys_[i]);
  for (std::size_t i = 0; i < keys_.size(); ++i) found_[i] = rows_.find(keys_[i], places_[i]);
  std::fill(scores, scores + width_, 0.0f);
  for (const Segment& segment : segments_) {
    if (!segment.cached) {
      add_keys(segment, scores);
      continue;
    }
    float* const kept = cache_.at(segment.row);
    if (!segment.known) {
      std::fill(kept, kept + width_, 0.0f);
      add_keys(segment, kept);
    }
    add_floats(scores, kept, width_);
  }
  const Transitions& transitions = model_.transitions();
  const auto labels = static_cast<std::size_t>(transitions.labels());
  const auto actions = static_cast<std::size_t>(transitions.actions());
  for (std::size_t l = 0; l < labels; ++l) scores[kArcs + l] += scores[actions];
  for (std::size_t l = 0; l < labels; ++l) scores[kArcs + labels + l] += scores[actions + 1];
}

}  // namespace treewright::dependency::transition
