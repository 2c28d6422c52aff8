// Feature templates of transition states, compiled to integers by grammar/templates.py.
//
// An atom is one value read from a state: a column of a word's row, or what the partial parse knows
// of it. A template is a conjunction of atoms; its 64-bit hash is the feature. Templates come in
// groups: all templates of a group depend on the group's support alone, so their summed scores can
// be kept for states that agree on it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dependency/transition/system.hpp"

namespace treewright::dependency::transition {

// Places of words in a state, in the order of SLOTS in grammar/templates.py.
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

// What an atom reads; below kColumns it is a column of the word's row.
constexpr std::int32_t kColumns = 64;
enum AtomKind : std::int32_t {
  kPosition = kColumns,
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
  kAtomKinds
};

constexpr std::int32_t kMaxAtoms = 128;  // of a group

struct Atom {
  std::int32_t kind, slot, slot2;
};

// The rows of a sentence, and how many words of each class stand before each word.
struct Sentence {
  std::span<const std::int32_t> table;  // [words][columns]
  std::int32_t words, columns;
  std::vector<std::int32_t> class_counts;  // [words + 1][kClasses]
};
constexpr std::size_t kClasses = 3;

class TemplateProgram {
 public:
  // code: groups, each [cached, supports, atoms, templates], then supports and atoms as
  // [kind, slot, slot2], then the templates as [number, length, atom or ~atom ...]; ~ marks an atom
  // without which the template still holds. Throws std::invalid_argument.
  TemplateProgram(std::span<const std::int32_t> code, std::int32_t columns);

  struct Template {
    std::uint64_t seed;
    std::uint64_t needed[2];   // the atoms that must be there, as bits
    std::uint32_t first, end;  // into Group::operands
  };
  struct Group {
    bool cached;
    std::vector<Atom> support, atoms;
    std::vector<Template> templates;
    std::vector<std::uint8_t> operands;
  };
  const std::vector<Group>& groups() const { return groups_; }
  std::size_t templates() const { return templates_; }

 private:
  std::vector<Group> groups_;
  std::size_t templates_ = 0;
};

using Slots = std::int32_t[kSlots];
void find_slots(const State& state, Slots& slots);
std::uint64_t support_key(const TemplateProgram::Group& group, const State& state,
                          const Slots& slots, const Sentence& sentence);
// Appends the features of a group's templates to `keys`.
void group_features(const TemplateProgram::Group& group, const State& state, const Slots& slots,
                    const Sentence& sentence, std::vector<std::uint64_t>& keys);

}  // namespace treewright::dependency::transition
