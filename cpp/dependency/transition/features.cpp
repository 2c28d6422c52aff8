#include "dependency/transition/features.hpp"

#include <algorithm>
#include <stdexcept>

namespace treewright::dependency::transition {

namespace {

Key distance_class(std::int32_t d) {
  if (d <= 4) return static_cast<Key>(std::max(d, 0));
  return d <= 6 ? 5 : d <= 10 ? 6 : d <= 20 ? 7 : 8;
}

// How many words of each class stand strictly between two, as one number.
Key between(const Sentence& sentence, std::int32_t a, std::int32_t b) {
  constexpr std::int32_t most[kClasses] = {2, 3, 1};
  Key value = 1;
  for (std::size_t c = 0; c < kClasses; ++c) {
    const std::int32_t before = sentence.class_counts[at(a) * kClasses + c];
    const std::int32_t inside = sentence.class_counts[at(b - 1) * kClasses + c] - before;
    value = value * 4 + static_cast<Key>(std::clamp(inside, 0, most[c]));
  }
  return value;
}

Key small(std::uint8_t count) { return std::min<Key>(count, 4) + 1; }

Key pair_value(const Atom& atom, const Slots& slots, const Sentence& sentence) {
  const auto [a, b] = std::minmax(slots[atom.place], slots[atom.offset]);
  if (a == 0) return 0;
  return atom.value() == kDistance ? distance_class(b - a) : between(sentence, a, b);
}

Key dynamic_value(const Atom& atom, const State& state, const Slots& slots,
                  const Sentence& sentence) {
  const std::int32_t word = slots[atom.place];
  switch (atom.value()) {
    case kDistance:
    case kBetween:
      return pair_value(atom, slots, sentence);
    case kAhead:
      return static_cast<Key>(std::min(sentence.words - state.next, 2)) + 2;
    case kDepth:
      return std::min<Key>(state.stack.size(), 4) + 1;
    case kLastKind:
      return static_cast<Key>(std::min(state.last_action, kArcs)) + 2;
    default:
      break;
  }
  if (word == 0) return 0;
  const DepNode& node = state.nodes[at(word)];
  switch (atom.value()) {
    case kPosition:
      return static_cast<Key>(word);
    case kLabel:
      return node.label;
    case kLeftCount:
      return small(node.left_count);
    case kRightCount:
      return small(node.right_count);
    case kLeftLabels:
      return node.left_labels * 2 + 1;
    default:
      return node.right_labels * 2 + 1;
  }
}

Key value_of(const Atom& atom, const State& state, const Slots& slots, const Sentence& sentence) {
  if (atom.is_value()) return dynamic_value(atom, state, slots, sentence);
  const std::int32_t word = slots[atom.place];
  return word == 0 ? 0 : sentence.table(word - 1, atom.attribute);
}

}  // namespace

void find_slots(const State& state, Slots& slots) {
  const std::int32_t n = state.words(), s0 = state.top(0), s1 = state.top(1);
  const auto ahead = [&](std::int32_t k) { return state.next + k <= n ? state.next + k : 0; };
  const auto node = [&](std::int32_t word) -> const DepNode& { return state.nodes[at(word)]; };
  slots[kS0] = s0, slots[kS1] = s1, slots[kS2] = state.top(2);
  for (std::int32_t k = 0; k < 4; ++k) slots[kB0 + k] = ahead(k);
  const std::int32_t b0 = slots[kB0];
  slots[kS0h] = node(s0).head, slots[kS0hh] = node(slots[kS0h]).head;
  slots[kS0l] = node(s0).left, slots[kS0l2] = node(s0).left2;
  slots[kS0r] = node(s0).right, slots[kS0r2] = node(s0).right2;
  slots[kB0l] = node(b0).left, slots[kB0l2] = node(b0).left2;
  slots[kS1h] = node(s1).head, slots[kS1l] = node(s1).left, slots[kS1l2] = node(s1).left2;
  slots[kS1r] = node(s1).right, slots[kS1r2] = node(s1).right2;
  slots[kS0before] = s0 > 1 ? s0 - 1 : 0;
  slots[kS0after] = s0 && s0 < n ? s0 + 1 : 0;
  slots[kB0before] = b0 > 1 ? b0 - 1 : 0;
  slots[kS0ll] = node(slots[kS0l]).left, slots[kS0rr] = node(slots[kS0r]).right;
  slots[kB0ll] = node(slots[kB0l]).left, slots[kS0rl] = node(slots[kS0r]).left;
}

Key support_key(const TemplateGroup& group, const State& state, const Slots& slots,
                const Sentence& sentence) {
  Key hash = 0;
  for (const Atom& atom : group.support) hash = mix(hash, value_of(atom, state, slots, sentence));
  return finish(hash);
}

void group_features(const TemplateGroup& group, const State& state, const Slots& slots,
                    const Sentence& sentence, std::vector<Key>& keys) {
  const std::size_t before = keys.size();
  keys.resize(before + group.templates.size());
  Key* key = keys.data() + before;
  group.each_hash([&](const Atom& atom) { return value_of(atom, state, slots, sentence); },
                  [&](Key hash) { *key++ = finish(hash); });
  keys.resize(static_cast<std::size_t>(key - keys.data()));
}

}  // namespace treewright::dependency::transition
