// What templates read of spans and their splits, as 64-bit keys.
//
// Keys of templates that look at one end of a span alone are computed once for each position, the
// others once for each span; labels are mixed in afterwards.
#pragma once

#include <array>

#include "core/templates.hpp"

namespace treewright::constituency {

// What a word is to the shape of a span; Python says which tags are which.
enum class Sort : Index { kOther, kConjunction, kComma, kOpen, kClose, kVerb, kColon };
constexpr std::size_t kSorts = 7;

// A sentence: attributes of its words, and their Sorts.
struct Tokens {
  WordTable table;
  std::span<const Index> sort;
  Index size() const { return static_cast<Index>(sort.size()); }
  // Throws std::invalid_argument unless it has 1 to 2000 words.
  void check() const;
};

// In the order of PLACES, VALUES and MARKS in scores/constituency/templates.py.
enum SpanPlace : Index { kBegin, kEnd, kSplit, kInside, kSpanPlaces };
enum SpanValue : Index {
  kRule,        // of a binary part: labels of parent and children
  kParent,      // its parent's label
  kLength,      // of the span, in bins
  kLeftLength,  // of the children
  kRightLength,
  kContent,  // conjunctions, commas, colons, verbs and lone brackets in the span
  kLong,     // only there for spans of more than kShort words
  kSpanValues
};
enum SpanMark : Index { kAtBegin, kAtEnd, kOfSpan, kOfSplit, kSpanMarks };
constexpr Index kShort = 5;  // spans whose words' attributes are one value, at the place kInside

// All keys of one sentence.
class SpanKeys {
 public:
  // Throws std::invalid_argument where the words lack attributes.
  SpanKeys(const TemplateProgram& templates, const Tokens& tokens);

  Index size() const { return tokens_.size(); }
  // Keys of a span that begins at `begin`, of one that ends before `end`, of the two together.
  std::span<const Key> left(Index begin) const { return left_[at(begin)]; }
  std::span<const Key> right(Index end) const { return right_[at(end)]; }
  template <class Emit>
  void span(Index begin, Index end, const Emit& emit) const {
    each_key(kOfSpan, {begin, begin, end}, emit);
  }

  struct Split {
    Index begin, split, end;
    Key rule = 0, parent = 0;
  };
  // Calls emit(key) for all keys of a binary part.
  template <class Emit>
  void split(const Split& where, const Emit& emit) const {
    each_key(kOfSplit, where, emit);
  }

 private:
  template <class Emit>
  void each_key(SpanMark mark, const Split& where, const Emit& emit) const {
    for (const TemplateGroup& group : templates_.groups())
      if (group.mark == mark)
        group.each_hash([&](const Atom& atom) { return value(atom, where); },
                        [&](Key hash) { emit(finish(hash)); });
  }
  Key value(const Atom& atom, const Split& where) const;
  Key inside(const Atom& atom, Index begin, Index end) const;
  Key content(Index begin, Index end) const;

  const TemplateProgram& templates_;
  Tokens tokens_;
  std::vector<std::vector<Key>> left_, right_;
  std::vector<std::array<Index, kSorts>> seen_;  // words of a Sort before position i, by Sort
};

// Lengths of spans in bins: 1 to 5 each, then ever coarser.
Index length_bin(Index length);

}  // namespace treewright::constituency
