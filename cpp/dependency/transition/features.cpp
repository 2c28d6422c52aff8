#include "dependency/transition/features.hpp"

#include <algorithm>
#include <stdexcept>

namespace treewright::dependency::transition {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
  h = (h ^ value) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 29);
}
std::uint64_t finish(std::uint64_t h) {
  h *= 0xBF58476D1CE4E5B9u;
  return h ^ (h >> 32);
}

class Reader {
 public:
  explicit Reader(std::span<const std::int32_t> code) : code_(code) {}
  bool more() const { return next_ < code_.size(); }
  std::int32_t take() {
    if (!more()) throw std::invalid_argument("templates: the program is cut short");
    return code_[next_++];
  }
  std::int32_t take(std::int32_t below) {
    const std::int32_t value = take();
    if (value < 0 || value >= below) throw std::invalid_argument("templates: number out of range");
    return value;
  }

 private:
  std::span<const std::int32_t> code_;
  std::size_t next_ = 0;
};

std::vector<Atom> take_atoms(Reader& reader, std::int32_t count, std::int32_t columns) {
  std::vector<Atom> atoms;
  for (std::int32_t i = 0; i < count; ++i) {
    Atom atom{reader.take(kAtomKinds), reader.take(kSlots), reader.take(kSlots)};
    if (atom.kind < kColumns && atom.kind >= columns)
      throw std::invalid_argument("templates: an attribute that words do not have");
    atoms.push_back(atom);
  }
  return atoms;
}

TemplateProgram::Template take_template(Reader& reader, TemplateProgram::Group& group) {
  TemplateProgram::Template made{};
  made.seed = finish(static_cast<std::uint64_t>(reader.take()) + 0x51ED270B7A1F39C5u);
  made.first = static_cast<std::uint32_t>(group.operands.size());
  const std::int32_t length = reader.take(16);
  for (std::int32_t i = 0; i < length; ++i) {
    const std::int32_t code = reader.take(), atom = code < 0 ? ~code : code;
    if (at(atom) >= group.atoms.size()) throw std::invalid_argument("templates: no such atom");
    if (code >= 0) made.needed[atom / 64] |= std::uint64_t{1} << (atom % 64);
    group.operands.push_back(static_cast<std::uint8_t>(atom));
  }
  made.end = static_cast<std::uint32_t>(group.operands.size());
  return made;
}

std::uint64_t distance_class(std::int32_t d) {
  if (d <= 4) return static_cast<std::uint64_t>(std::max(d, 0));
  return d <= 6 ? 5 : d <= 10 ? 6 : d <= 20 ? 7 : 8;
}

// How many words of each class stand strictly between two, as one number.
std::uint64_t between(const Sentence& sentence, std::int32_t a, std::int32_t b) {
  constexpr std::int32_t most[kClasses] = {2, 3, 1};
  std::uint64_t value = 1;
  for (std::size_t c = 0; c < kClasses; ++c) {
    const std::int32_t before = sentence.class_counts[at(a) * kClasses + c];
    const std::int32_t inside = sentence.class_counts[at(b - 1) * kClasses + c] - before;
    value = value * 4 + static_cast<std::uint64_t>(std::clamp(inside, 0, most[c]));
  }
  return value;
}

std::uint64_t small(std::uint8_t count) { return std::min<std::uint64_t>(count, 4) + 1; }

std::uint64_t pair_value(const Atom& atom, const Slots& slots, const Sentence& sentence) {
  const auto [a, b] = std::minmax(slots[atom.slot], slots[atom.slot2]);
  if (a == 0) return 0;
  return atom.kind == kDistance ? distance_class(b - a) : between(sentence, a, b);
}

std::uint64_t dynamic_value(const Atom& atom, const State& state, const Slots& slots,
                            const Sentence& sentence) {
  const std::int32_t word = slots[atom.slot];
  switch (atom.kind) {
    case kDistance:
    case kBetween:
      return pair_value(atom, slots, sentence);
    case kAhead:
      return static_cast<std::uint64_t>(std::min(sentence.words - state.next, 2)) + 2;
    case kDepth:
      return std::min<std::uint64_t>(state.stack.size(), 4) + 1;
    case kLastKind:
      return static_cast<std::uint64_t>(std::min(state.last_action, kArcs)) + 2;
    default:
      break;
  }
  if (word == 0) return 0;
  const DepNode& node = state.nodes[at(word)];
  switch (atom.kind) {
    case kPosition:
      return static_cast<std::uint64_t>(word);
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

std::uint64_t value_of(const Atom& atom, const State& state, const Slots& slots,
                       const Sentence& sentence) {
  if (atom.kind >= kColumns) return dynamic_value(atom, state, slots, sentence);
  const std::int32_t word = slots[atom.slot];
  if (word == 0) return 0;
  return static_cast<std::uint64_t>(sentence.table[at((word - 1) * sentence.columns + atom.kind)]);
}

}  // namespace

TemplateProgram::TemplateProgram(std::span<const std::int32_t> code, std::int32_t columns) {
  if (columns < 1 || columns > kColumns) throw std::invalid_argument("from 1 to 64 attributes");
  Reader reader(code);
  while (reader.more()) {
    Group& group = groups_.emplace_back();
    group.cached = reader.take(2) == 1;
    const std::int32_t supports = reader.take(kMaxAtoms + 1), atoms = reader.take(kMaxAtoms + 1);
    const std::int32_t count = reader.take(1 << 16);
    group.support = take_atoms(reader, supports, columns);
    group.atoms = take_atoms(reader, atoms, columns);
    for (std::int32_t i = 0; i < count; ++i)
      group.templates.push_back(take_template(reader, group));
    templates_ += group.templates.size();
  }
}

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

std::uint64_t support_key(const TemplateProgram::Group& group, const State& state,
                          const Slots& slots, const Sentence& sentence) {
  std::uint64_t h = 0;
  for (const Atom& atom : group.support) h = mix(h, value_of(atom, state, slots, sentence));
  return finish(h);
}

void group_features(const TemplateProgram::Group& group, const State& state, const Slots& slots,
                    const Sentence& sentence, std::vector<std::uint64_t>& keys) {
  std::uint64_t value[kMaxAtoms];
  std::uint64_t missing[2] = {0, 0};
  for (std::size_t i = 0; i < group.atoms.size(); ++i) {
    value[i] = value_of(group.atoms[i], state, slots, sentence);
    missing[i / 64] |= std::uint64_t{value[i] == 0} << (i % 64);
  }
  const std::size_t before = keys.size();
  keys.resize(before + group.templates.size());
  std::uint64_t* key = keys.data() + before;
  for (const auto& each : group.templates) {
    if ((each.needed[0] & missing[0]) | (each.needed[1] & missing[1])) continue;
    std::uint64_t h = each.seed;
    for (std::uint32_t i = each.first; i < each.end; ++i) h = mix(h, value[group.operands[i]]);
    *key++ = finish(h);
  }
  keys.resize(static_cast<std::size_t>(key - keys.data()));
}

}  // namespace treewright::dependency::transition
