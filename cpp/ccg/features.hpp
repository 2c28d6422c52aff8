// Features of the parts of CCG charts: the values and places of templates.
//
// Values belong to the part (its rule, a distance ...), places are its head, the first word of its
// span and so on. Templates are for lexical parts, rules, roots, or the dependencies that a part
// fills.
#pragma once

#include "ccg/chart.hpp"
#include "core/templates.hpp"

namespace treewright::ccg {

enum Mark : Index { kLexical, kRule, kRoot, kDependency, kMarks };

enum Value : Index {
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
enum Place : Index {
  kPlaceHead,   // of the constituent; the word, the functor
  kPlaceLeft,   // heads of the children
  kPlaceRight,  // also the argument
  kPlaceBegin,  // first and last word of the span
  kPlaceEnd,
  kPlaceSplit,  // first word of the right child
  kPlaces
};

// The words of a sentence, encoded for features.
struct Words {
  WordTable table;
  std::span<const Index> verbs;  // [words + 1], verbs before a position
  std::span<const Index> stops;  // [words + 1], punctuation before a position
};

// The keys of a chart's parts as rows of a sparse matrix.
struct KeyRows {
  std::vector<std::int64_t> first{0};
  std::vector<Key> key;
};
KeyRows feature_keys(const CcgGrammar& grammar, const CcgChart& chart, const CcgSentence& sentence,
                     const Words& words, const TemplateProgram& templates);

// The same, for keys in a table.
struct NumberRows {
  std::vector<Index> first{0}, number;
};
NumberRows feature_numbers(const CcgGrammar& grammar, const CcgChart& chart,
                           const CcgSentence& sentence, const Words& words,
                           const TemplateProgram& templates, const KeyTable& table);

// score[part] = sum of the weights of its features, plus cell_weight times the cell's score for a
// lexical part
std::vector<double> feature_scores(const CcgGrammar& grammar, const CcgChart& chart,
                                   const CcgSentence& sentence, const Words& words,
                                   const TemplateProgram& templates, const KeyTable& table,
                                   std::span<const double> weight, double cell_weight = 0);

}  // namespace treewright::ccg
