// What a constituency parser looks at, as 64-bit keys: words around the ends and the split of a
// span.
//
// A key is a template with the numbers that it conjoins. Keys of a boundary are computed once for
// each position, keys of a span once for each span; labels and rules are mixed in afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/forest.hpp"

namespace treewright::constituency {

using Key = std::uint64_t;

// A bijection that spreads every bit (the finaliser of splitmix64).
inline Key mix(Key x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ x >> 31;
}
inline Key join(Key key, Key value) { return mix(key * 0x9e3779b97f4a7c15ull + value + 1); }

template <class... Values>
Key make_key(int pattern, Values... values) {
  Key key = mix(static_cast<Key>(pattern) + 0x51ed270b);
  ((key = join(key, static_cast<Key>(values))), ...);
  return key;
}

// What a word is to the shape of a span; Python says which tags are which.
enum class Sort : Index { kOther, kConjunction, kComma, kOpen, kClose, kVerb, kColon };

// A sentence: a number for each word, its tag, its shape, and its Sort.
struct Tokens {
  std::span<const Index> word, tag, shape, sort;
  Index size() const { return static_cast<Index>(word.size()); }
  // Throws std::invalid_argument unless all four are of one length, between 1 and 2000.
  void check() const;
};

constexpr std::size_t kLeftKeys = 16, kRightKeys = 16, kSpanKeys = 14;

// All keys of one sentence.
class SpanKeys {
 public:
  explicit SpanKeys(const Tokens& tokens);

  Index size() const { return tokens_.size(); }
  // Keys of a span that begins at `begin`, of one that ends before `end`, of the two together.
  const std::array<Key, kLeftKeys>& left(Index begin) const { return left_[at(begin)]; }
  const std::array<Key, kRightKeys>& right(Index end) const { return right_[at(end)]; }
  void span(Index begin, Index end, std::array<Key, kSpanKeys>& keys) const;

  Index word(Index i) const { return inside(i) ? tokens_.word[at(i)] : kOutside; }
  Index tag(Index i) const { return inside(i) ? tokens_.tag[at(i)] : kOutside; }
  Index shape(Index i) const { return inside(i) ? tokens_.shape[at(i)] : kOutside; }

 private:
  static constexpr Index kOutside = -1;
  bool inside(Index i) const { return i >= 0 && i < tokens_.size(); }
  void fill_left(Index begin);
  void fill_right(Index end);
  Key content(Index begin, Index end) const;

  Tokens tokens_;
  std::vector<std::array<Key, kLeftKeys>> left_;
  std::vector<std::array<Key, kRightKeys>> right_;
  // Up to position i: words of a Sort, by Sort; brackets open minus closed.
  std::vector<std::array<Index, 7>> seen_;
};

// Lengths of spans in bins: 1 to 5 each, then ever coarser.
Index length_bin(Index length);

}  // namespace treewright::constituency
