#include "transition_train.hpp"

#include <algorithm>

namespace treewright {

// Adds sign * f of the actions from `shared` on; what the two sequences share cancels.
void TransitionLearner::gather(const Sentence& sentence, std::span<const std::int32_t> actions,
                               std::size_t shared, float sign) {
  const Transitions& transitions = model_.transitions();
  State state;
  state.begin(sentence.words);
  std::vector<std::uint64_t> keys;
  for (std::size_t t = 0; t < actions.size(); ++t) {
    const std::int32_t action = actions[t];
    if (t >= shared) {
      keys.clear();
      Slots slots;
      find_slots(state, slots);
      for (const auto& group : model_.program().groups())
        group_features(group, state, slots, sentence, keys);
      const bool right = action >= transitions.right_arc(0);
      const std::int32_t kind = transitions.actions() + (right ? 1 : 0);
      for (const std::uint64_t key : keys) changes_.push_back({key, action, sign});
      if (action >= kArcs)
        for (const std::uint64_t key : keys) changes_.push_back({key, kind, sign});
    }
    transitions.apply(state, action);
  }
}

void TransitionLearner::gather_all(const Sentence& sentence, std::span<const std::int32_t> better,
                                   std::span<const std::int32_t> worse) {
  changes_.clear();
  const auto [a, b] = std::ranges::mismatch(better, worse);
  const auto shared = static_cast<std::size_t>(a - better.begin());
  gather(sentence, better, shared, 1.0f);
  gather(sentence, worse, shared, -1.0f);
}

// |f(better) - f(worse)|^2; merges equal changes on the way.
double TransitionLearner::squared_norm() {
  std::ranges::sort(changes_, {}, [](const Change& c) { return std::pair(c.key, c.output); });
  double sum = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < changes_.size();) {
    Change merged = changes_[i++];
    for (; i < changes_.size() && changes_[i].key == merged.key &&
           changes_[i].output == merged.output;
         ++i)
      merged.amount += changes_[i].amount;
    if (merged.amount == 0) continue;
    sum += static_cast<double>(merged.amount) * static_cast<double>(merged.amount);
    changes_[kept++] = merged;
  }
  changes_.resize(kept);
  return sum;
}

void TransitionLearner::apply(float rate) {
  for (const Change& change : changes_)
    rows_.update(change.key, change.output, rate * change.amount, time_);
}

void TransitionLearner::update(const Sentence& sentence, std::span<const std::int32_t> better,
                               std::span<const std::int32_t> worse, float rate) {
  gather_all(sentence, better, worse);
  squared_norm();
  apply(rate);
}

bool TransitionLearner::learn(const Sentence& sentence, std::span<const std::int32_t> gold,
                              std::size_t beam, Update update, float aggressiveness) {
  const Violation violation = search_.run_with_gold(sentence, beam, gold, update);
  if (violation.found) {
    gather_all(sentence, gold.first(violation.gold_length), search_.actions(violation.step));
    const double norm = squared_norm();
    // Passive-aggressive (Crammer et al. 2006): the smallest step that makes gold win by 1.
    const double step = (static_cast<double>(violation.amount) + 1.0) / std::max(norm, 1.0);
    const auto most = static_cast<double>(aggressiveness);
    apply(aggressiveness > 0 ? static_cast<float>(std::clamp(step, 0.0, most)) : 1.0f);
  }
  return violation.found;
}

}  // namespace treewright
