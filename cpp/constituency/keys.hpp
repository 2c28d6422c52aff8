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

// Lengths of spans in bins: 1 to 5 each, then ever coarser.
inline Index length_bin(Index length) {
  if (length <= 5) return length;
  if (length <= 7) return 6;
  if (length <= 10) return 7;
  if (length <= 15) return 8;
  return length <= 25 ? 9 : 10;
}

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
  Key value(const Atom& atom, const Split& where) const {
    if (atom.is_value()) return computed(atom.value(), where);
    if (atom.place == kInside) return inside(atom, where.begin, where.end);
    const Index place = atom.place == kBegin ? where.begin
                        : atom.place == kEnd ? where.end - 1
                                             : where.split;
    return tokens_.table.near(place + atom.offset, atom.attribute);
  }
  Key computed(Index value, const Split& where) const {
    switch (value) {
      case kRule:
        return where.rule;
      case kParent:
        return where.parent;
      case kLength:
        return static_cast<Key>(length_bin(where.end - where.begin));
      case kLeftLength:
        return static_cast<Key>(length_bin(where.split - where.begin));
      case kRightLength:
        return static_cast<Key>(length_bin(where.end - where.split));
      case kContent:
        return content(where.begin, where.end);
      default:
        return where.end - where.begin > kShort;
    }
  }
  Key inside(const Atom& atom, Index begin, Index end) const;
  Key content(Index begin, Index end) const;

  const TemplateProgram& templates_;
  Tokens tokens_;
  std::vector<std::vector<Key>> left_, right_;
  std::vector<std::array<Index, kSorts>> seen_;  // words of a Sort before position i, by Sort
};

}  // namespace treewright::constituency
