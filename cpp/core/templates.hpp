// Feature templates, compiled to integers by scores/features/templates.py; all formalisms run them.
//
// An atom is one value: an attribute of a word at a place, or something that the formalism
// computes. A template is a conjunction of atoms, and the hash of their values is the feature.
// Templates come in groups: the atoms of a group are evaluated once, then hashed by each template
// that has them.
#pragma once

#include "core/hash.hpp"

namespace treewright {

constexpr Index kFirstValue = 1 << 10;  // from here on an attribute is a value of the formalism
constexpr std::size_t kMaxAtoms = 128;  // of a group

struct Atom {
  Index attribute, place;
  Index offset;  // or a second place

  bool is_value() const { return attribute >= kFirstValue; }
  Index value() const { return attribute - kFirstValue; }
};

// Attributes of missing words. An atom's value of 0 means that it has none.
constexpr Key kBefore = ~Key{0}, kAfter = ~Key{1}, kNowhere = ~Key{2};

// The words of a sentence as features see them: attributes, [words][columns].
class WordTable {
 public:
  WordTable() = default;
  // Throws std::invalid_argument unless the values are whole rows.
  WordTable(std::span<const Key> values, Index columns);

  // A range of rows.
  WordTable part(Index first, Index words) const {
    WordTable found = *this;
    if (columns_) found.values_ += at(first) * at(columns_), found.words_ = words;
    return found;
  }
  Index words() const { return words_; }
  Index columns() const { return columns_; }
  Key operator()(Index word, Index column) const {
    return values_[at(word) * at(columns_) + at(column)];
  }
  // Any position, including those before and after the sentence.
  Key near(Index word, Index column) const {
    return word < 0 ? kBefore : word >= words_ ? kAfter : (*this)(word, column);
  }

 private:
  const Key* values_ = nullptr;
  Index words_ = 0, columns_ = 0;
};

struct Template {
  Key seed;
  Key needed[2];             // the atoms that must have a value, as bits
  std::uint32_t first, end;  // into TemplateGroup::operands
};

struct TemplateGroup {
  Index mark;                 // what the formalism makes of it
  std::vector<Atom> support;  // what all its templates depend on, where a formalism asks for it
  std::vector<Atom> atoms;
  std::vector<Template> templates;
  std::vector<std::uint8_t> operands;

  // Calls emit(hash), before `finish`, for each template that holds; value_of(atom) returns values.
  template <class ValueOf, class Emit>
  void each_hash(const ValueOf& value_of, const Emit& emit) const {
    Key value[kMaxAtoms], missing[2] = {0, 0};
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      value[i] = value_of(atoms[i]);
      missing[i / 64] |= Key{value[i] == 0} << (i % 64);
    }
    for (const Template& each : templates) {
      if ((each.needed[0] & missing[0]) | (each.needed[1] & missing[1])) continue;
      Key hash = each.seed;
      for (std::uint32_t i = each.first; i < each.end; ++i) hash = mix(hash, value[operands[i]]);
      emit(hash);
    }
  }
};

// The limits of a program: columns of words, values, places, marks of groups.
struct TemplateLimits {
  Index columns, values, places, marks;
};

class TemplateProgram {
 public:
  // code: groups, each [mark, supports, atoms, templates], then supports and atoms as [attribute,
  // place, offset], then the templates as [number, length, atom or ~atom ...]; ~ marks an optional
  // atom. Throws std::invalid_argument.
  TemplateProgram(std::span<const Index> code, TemplateLimits limits);

  // Throws std::invalid_argument if the program does not fit these limits.
  void require(Index values, Index places, Index marks) const;
  const std::vector<TemplateGroup>& groups() const { return groups_; }
  std::size_t templates() const { return templates_; }
  const TemplateLimits& limits() const { return limits_; }

 private:
  TemplateLimits limits_;
  std::vector<TemplateGroup> groups_;
  std::size_t templates_ = 0;
};

}  // namespace treewright
