#include "dependency/transition/train.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "dependency/transition/dynamic_oracle.hpp"

namespace treewright::dependency::transition {

// The standard's own way to save a generator is text: numbers with spaces between them.
std::vector<std::uint64_t> TransitionLearner::random_state() const {
  std::stringstream text;
  text << random_;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t number; text >> number;) numbers.push_back(number);
  return numbers;
}

void TransitionLearner::restore(double time, std::span<const std::uint64_t> random) {
  std::stringstream text;
  for (const std::uint64_t number : random) text << number << ' ';
  std::mt19937_64 read;
  if (!(text >> read)) throw std::invalid_argument("not the state of a random generator");
  random_ = read;
  time_ = time;
}

// Adds sign * f of one action in one state.
void TransitionLearner::gather_step(const Sentence& sentence, const State& state,
                                    std::int32_t action, float sign) {
  const Transitions& transitions = model_.transitions();
  Slots slots;
  find_slots(state, slots);
  keys_.clear();
  for (const auto& group : model_.program().groups())
    group_features(group, state, slots, sentence, keys_);
  for (const std::uint64_t key : keys_) changes_.push_back({key, action, sign});
  if (action < kArcs) return;
  const std::int32_t kind = transitions.actions() + (action >= transitions.right_arc(0) ? 1 : 0);
  for (const std::uint64_t key : keys_) changes_.push_back({key, kind, sign});
}

// The same for all actions from `shared` on; what the two sequences share cancels.
void TransitionLearner::gather(const Sentence& sentence, std::span<const std::int32_t> actions,
                               std::size_t shared, float sign) {
  State state;
  state.begin(sentence.words);
  for (std::size_t t = 0; t < actions.size(); ++t) {
    if (t >= shared) gather_step(sentence, state, actions[t], sign);
    model_.transitions().apply(state, actions[t]);
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

// The best action, and the best of those that cost least.
std::pair<std::int32_t, std::int32_t> TransitionLearner::choose(
    const Sentence& sentence, const State& state, std::span<const std::int32_t> heads,
    std::span<const std::int32_t> labels) {
  const Transitions& transitions = model_.transitions();
  const unsigned legal = transitions.legal(state);
  std::int32_t best = -1, gold = -1, least = 0;
  const auto consider = [&](std::int32_t action) {
    const float score = scores_[static_cast<std::size_t>(action)];
    const auto beats = [&](std::int32_t other) {
      return other < 0 || score > scores_[static_cast<std::size_t>(other)];
    };
    if (beats(best)) best = action;
    const std::int32_t cost = hybrid_cost(transitions, state, heads, labels, action);
    if (gold < 0 || cost < least || (cost == least && beats(gold))) gold = action, least = cost;
  };
  scorer_.score(state, scores_.data());
  for (const std::int32_t action : {kShift, kReduce, kRoot})
    if (legal & 1u << action) consider(action);
  for (const bool left : {true, false}) {
    if (!(legal & (left ? kCanLeft : kCanRight))) continue;
    for (const std::uint16_t label : model_.labels(sentence, transitions.governor(state, left),
                                                   transitions.dependent(state, left), left))
      consider(left ? transitions.left_arc(label) : transitions.right_arc(label));
  }
  return {best, gold};
}

// Each wrong action is an update of its own; the scores that the cache keeps go stale with it.
bool TransitionLearner::explore(const Sentence& sentence, std::span<const std::int32_t> heads,
                                std::span<const std::int32_t> labels, double exploration) {
  State state;
  state.begin(sentence.words);
  scores_.resize(scorer_.width());
  scorer_.begin(sentence);
  bool wrong = false;
  while (!state.finished) {
    const auto [best, gold] = choose(sentence, state, heads, labels);
    const Transitions& transitions = model_.transitions();
    std::int32_t taken = best;
    if (hybrid_cost(transitions, state, heads, labels, best) >
        hybrid_cost(transitions, state, heads, labels, gold)) {
      wrong = true;
      changes_.clear();
      gather_step(sentence, state, gold, 1.0f);
      gather_step(sentence, state, best, -1.0f);
      apply(1.0f);
      scorer_.begin(sentence);
      if (static_cast<double>(random_() >> 11) * 0x1p-53 >= exploration) taken = gold;
    }
    transitions.apply(state, taken);
  }
  return wrong;
}

}  // namespace treewright::dependency::transition
