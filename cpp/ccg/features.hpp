// Features of a CCG chart's parts: templates over atoms, hashed to 64-bit keys.
//
// A template is a list of atoms; an atom is a value of the part (its rule, a distance ...) or an
// attribute of a word at a place of the part (its head, the first word of its span ...). Templates
// belong to a group: lexical parts, rules, roots, or the dependencies that a part fills.
#pragma once

#include "ccg/chart.hpp"

namespace treewright::ccg {

enum class Group : std::uint8_t { kLexical, kRule, kRoot, kDependency };
constexpr int kGroups = 4;

enum Value {
  kValueRule,      // of categories, or the entry, or the relation
  kValueCategory,  // of the result, the word, the root or the functor
  kValueLeft,      // categories of the children
  kValueRight,
  kValueDistance,  // between two heads, or functor and argument: 0, 1, 2+ words
  kValueVerbs,     // 0, 1+ verbs between
  kValueStops,     // 0, 1, 2+ punctuation marks between
  kValueGap,       // words between, in eight classes
  kValueLength,    // of the span, in eight classes
  kValueSide,      // which child has the head; is the argument before its functor?
  kValues
};
enum Place {
  kPlaceHead,   // of the constituent; the word, the functor
  kPlaceLeft,   // heads of the children
  kPlaceRight,  // also the argument
  kPlaceBegin,  // first and last word of the span
  kPlaceEnd,
  kPlaceSplit,  // first word of the right child
  kPlaces
};

struct CcgAtom {
  std::int16_t place;      // -1: a value of the part
  std::int16_t attribute;  // or the value
  std::int16_t offset;
};

class CcgTemplates {
 public:
  // rows: [atoms][4]: template, place, attribute, offset; group: [templates].
  // Throws std::invalid_argument.
  CcgTemplates(std::span<const Index> group, std::span<const Index> rows);

  struct Template {
    std::uint64_t seed;
    std::vector<CcgAtom> atoms;
  };
  const std::vector<Template>& of(Group group) const {
    return groups_[static_cast<std::size_t>(group)];
  }
  int attributes() const { return attributes_; }

 private:
  std::vector<Template> groups_[kGroups];
  int attributes_ = 0;
};

// The words of a sentence as features see them.
struct Words {
  std::span<const std::uint64_t> attribute;  // [words][attributes]
  std::span<const Index> verbs;              // [words + 1], verbs before a position
  std::span<const Index> stops;              // [words + 1], punctuation before a position
  int attributes = 0;
};

// The keys of a chart's parts as rows of a sparse matrix.
struct KeyRows {
  std::vector<std::int64_t> first{0};
  std::vector<std::uint64_t> key;
};
KeyRows feature_keys(const CcgGrammar& grammar, const CcgChart& chart, const CcgSentence& sentence,
                     const Words& words, const CcgTemplates& templates);

// The same, of the keys that a table has.
struct NumberRows {
  std::vector<Index> first{0}, number;
};
NumberRows feature_numbers(const CcgGrammar& grammar, const CcgChart& chart,
                           const CcgSentence& sentence, const Words& words,
                           const CcgTemplates& templates, const KeyNumbers& table);

// score[part] = sum of the weights of its features, and cell_weight times the sentence's score of
// a lexical part's cell
std::vector<double> feature_scores(const CcgGrammar& grammar, const CcgChart& chart,
                                   const CcgSentence& sentence, const Words& words,
                                   const CcgTemplates& templates, const KeyNumbers& table,
                                   std::span<const double> weight, double cell_weight = 0);

}  // namespace treewright::ccg
