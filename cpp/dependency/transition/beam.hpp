// Beam search over transition sequences, with or without a gold sequence beside it
// (Zhang and Clark 2008; early update: Collins and Roark 2004; max-violation: Huang et al. 2012).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/deadline.hpp"
#include "dependency/transition/score.hpp"

namespace treewright::dependency::transition {

enum class Update { kEarly, kMaxViolation };

// A search item points to its last step; steps point back. -1 is the empty sequence.
struct BeamStep {
  std::int32_t parent, action;
};
struct BeamItem {
  State state;
  float score = 0;
  std::int32_t step = -1;
  bool gold = false;
};
// Where the beam goes wrong: the gold prefix of `gold_length` actions and the best rival's step.
struct Violation {
  bool found = false;
  float amount = 0;
  std::size_t gold_length = 0;
  std::int32_t step = -1;
};

template <class Rows>
class BeamSearch {
 public:
  BeamSearch(const TransitionModel& model, const Rows& rows)
      : model_(model), scorer_(model, rows) {}

  // The finished items, best first; if `root` is a word, only parses with that root.
  std::span<BeamItem> run(const Sentence& sentence, std::size_t beam, std::int32_t root = 0);
  // Runs beside a gold sequence; the violation to update on, if the best parse is not gold.
  Violation run_with_gold(const Sentence& sentence, std::size_t beam,
                          std::span<const std::int32_t> gold, Update update);
  std::vector<std::int32_t> actions(std::int32_t step) const;

 private:
  struct Candidate {
    float score;
    std::int32_t item, action;  // action -1: a finished item stays as it is
  };
  void begin(const Sentence& sentence, std::size_t beam, std::int32_t root = 0);
  bool advance(std::int32_t gold_action);
  void propose(std::size_t item);
  void propose_arcs(std::size_t item, bool left);
  void consider(float score, std::size_t item, std::int32_t action);
  void expand(std::int32_t gold_action);

  const TransitionModel& model_;
  ActionScorer<Rows> scorer_;
  const Sentence* sentence_ = nullptr;
  std::size_t beam_ = 1, size_ = 0;
  std::int32_t root_ = 0;  // 0: any
  std::vector<BeamItem> items_, next_;
  std::vector<Candidate> best_;  // sorted, the best first
  std::vector<float> scores_;
  std::vector<BeamStep> steps_;
};

template <class Rows>
void BeamSearch<Rows>::begin(const Sentence& sentence, std::size_t beam, std::int32_t root) {
  sentence_ = &sentence;
  beam_ = beam, root_ = root;
  scorer_.begin(sentence);
  steps_.clear();
  if (items_.size() < beam) items_.resize(beam), next_.resize(beam);
  scores_.resize(beam * scorer_.width());
  items_[0].state.begin(sentence.words);
  items_[0].score = 0, items_[0].step = -1, items_[0].gold = true;
  size_ = 1;
}

// Ties go to the earlier item, then to the smaller action: candidates come in that order.
template <class Rows>
void BeamSearch<Rows>::consider(float score, std::size_t item, std::int32_t action) {
  if (best_.size() == beam_) {
    if (!(score > best_.back().score)) return;
    best_.pop_back();
  }
  auto place = best_.end();
  while (place != best_.begin() && (place - 1)->score < score) --place;
  best_.insert(place, {score, static_cast<std::int32_t>(item), action});
}

template <class Rows>
void BeamSearch<Rows>::propose_arcs(std::size_t item, bool left) {
  const BeamItem& from = items_[item];
  const float* const scores = &scores_[item * scorer_.width()];
  const Transitions& transitions = model_.transitions();
  const std::int32_t first = left ? transitions.left_arc(0) : transitions.right_arc(0);
  for (const std::uint16_t label : model_.labels(*sentence_, transitions.governor(from.state, left),
                                                 transitions.dependent(from.state, left), left))
    consider(from.score + scores[first + label], item, first + label);
}

template <class Rows>
void BeamSearch<Rows>::propose(std::size_t item) {
  const BeamItem& from = items_[item];
  const Transitions& transitions = model_.transitions();
  const unsigned legal =
      root_ ? transitions.legal_for_root(from.state, root_) : transitions.legal(from.state);
  if (legal == 0) return consider(from.score, item, -1);
  float* const scores = &scores_[item * scorer_.width()];
  scorer_.score(from.state, scores);
  for (const std::int32_t action : {kShift, kReduce, kRoot})
    if (legal & 1u << action) consider(from.score + scores[action], item, action);
  if (legal & kCanLeft) propose_arcs(item, true);
  if (legal & kCanRight) propose_arcs(item, false);
}

template <class Rows>
void BeamSearch<Rows>::expand(std::int32_t gold_action) {
  for (std::size_t i = 0; i < best_.size(); ++i) {
    const Candidate& candidate = best_[i];
    const BeamItem& from = items_[static_cast<std::size_t>(candidate.item)];
    BeamItem& to = next_[i];
    to.state = from.state;
    to.score = candidate.score, to.step = from.step;
    to.gold = from.gold && (candidate.action == -1 || candidate.action == gold_action);
    if (candidate.action == -1) continue;
    model_.transitions().apply(to.state, candidate.action);
    to.step = static_cast<std::int32_t>(steps_.size());
    steps_.push_back({from.step, candidate.action});
  }
  size_ = best_.size();
  items_.swap(next_);
}

// One action for every item; false when all are finished.
template <class Rows>
bool BeamSearch<Rows>::advance(std::int32_t gold_action) {
  check_deadline();
  const auto done = [](const BeamItem& item) { return item.state.finished; };
  if (std::all_of(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(size_), done))
    return false;
  best_.clear();
  for (std::size_t i = 0; i < size_; ++i) propose(i);
  expand(gold_action);
  return true;
}

template <class Rows>
std::span<BeamItem> BeamSearch<Rows>::run(const Sentence& sentence, std::size_t beam,
                                          std::int32_t root) {
  begin(sentence, beam, root);
  while (advance(-2)) {
  }
  return {items_.data(), size_};
}

template <class Rows>
Violation BeamSearch<Rows>::run_with_gold(const Sentence& sentence, std::size_t beam,
                                          std::span<const std::int32_t> gold, Update update) {
  begin(sentence, beam);
  State state;
  state.begin(sentence.words);
  float gold_score = 0;
  std::vector<float> scores(scorer_.width());
  Violation worst;
  for (std::size_t t = 0;; ++t) {
    const std::int32_t action = t < gold.size() ? gold[t] : -2;
    if (action >= 0) {
      scorer_.score(state, scores.data());
      gold_score += scores[static_cast<std::size_t>(action)];
      model_.transitions().apply(state, action);
    }
    if (!advance(action)) break;
    const std::size_t length = std::min(t + 1, gold.size());
    const auto end = items_.begin() + static_cast<std::ptrdiff_t>(size_);
    const bool kept = std::any_of(items_.begin(), end, [](const auto& i) { return i.gold; });
    const float amount = items_[0].score - gold_score;
    const bool rival = !items_[0].gold;
    if (update == Update::kEarly && !kept) return {true, amount, length, items_[0].step};
    if (rival && (!worst.found || amount > worst.amount))
      worst = {true, amount, length, items_[0].step};
  }
  if (items_[0].gold) return {};
  if (update == Update::kEarly)
    return {true, items_[0].score - gold_score, gold.size(), items_[0].step};
  return worst;
}

template <class Rows>
std::vector<std::int32_t> BeamSearch<Rows>::actions(std::int32_t step) const {
  std::vector<std::int32_t> found;
  for (; step >= 0; step = steps_[static_cast<std::size_t>(step)].parent)
    found.push_back(steps_[static_cast<std::size_t>(step)].action);
  std::ranges::reverse(found);
  return found;
}

}  // namespace treewright::dependency::transition
