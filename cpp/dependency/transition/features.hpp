// Features of transition states: what templates read of the stack, the buffer and the partial
// parse.
//
// All templates of a group depend on the group's support alone, so their summed scores can be kept
// for states that agree on it.
#pragma once

#include "core/templates.hpp"
#include "dependency/transition/system.hpp"

namespace treewright::dependency::transition {

// Places of words in a state, in the order of PLACES in scores/dependency/state_templates.py.
enum Slot : std::int32_t {
  kS0,
  kS1,
  kS2,
  kB0,
  kB1,
  kB2,
  kB3,
  kS0h,
  kS0hh,
  kS0l,
  kS0l2,
  kS0r,
  kS0r2,
  kB0l,
  kB0l2,
  kS1h,
  kS1l,
  kS1l2,
  kS1r,
  kS1r2,
  kS0before,
  kS0after,
  kB0before,
  kS0ll,
  kS0rr,
  kB0ll,
  kS0rl,
  kSlots
};

// What the partial parse knows, in the order of VALUES there. Distances and what is between have
// the second place as their atom's offset.
enum StateValue : Index {
  kPosition,
  kLabel,
  kLeftCount,
  kRightCount,
  kLeftLabels,
  kRightLabels,
  kDistance,
  kBetween,
  kAhead,
  kLastKind,
  kDepth,
  kStateValues
};
enum StateMark : Index { kPlain, kCached, kStateMarks };

// The rows of a sentence, and how many words of each class stand before each word.
struct Sentence {
  WordTable table;
  std::int32_t words;
  std::vector<std::int32_t> class_counts;  // [words + 1][kClasses]
};
constexpr std::size_t kClasses = 3;

using Slots = std::int32_t[kSlots];
void find_slots(const State& state, Slots& slots);
Key support_key(const TemplateGroup& group, const State& state, const Slots& slots,
                const Sentence& sentence);
// Appends the features of a group's templates to `keys`.
void group_features(const TemplateGroup& group, const State& state, const Slots& slots,
                    const Sentence& sentence, std::vector<Key>& keys);

}  // namespace treewright::dependency::transition
