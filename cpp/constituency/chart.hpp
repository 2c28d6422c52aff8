// Forests of treebank grammars over the spans and symbols that a coarser model left over.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/build.hpp"

namespace treewright::constituency {

// Symbols are tags 0 .. tags-1, then labels. Rules are numbered: binary ones, then label over tag,
// then those of the root (a symbol that may span the sentence).
class TreebankGrammar {
 public:
  // binary: [rules][3] parent, left, right; unary: [rules][2] label, tag; root: [rules] symbols.
  // Throws std::invalid_argument on a symbol out of range or a rule that appears twice.
  TreebankGrammar(Index tags, Index symbols, std::span<const Index> binary,
                  std::span<const Index> unary, std::span<const Index> root);

  struct Made {
    Index parent, rule;
  };
  Index tags() const { return tags_; }
  Index symbols() const { return symbols_; }
  Index rules() const { return rules_; }
  // The rules with these children.
  std::span<const Made> over(Index left, Index right) const;
  // The number of the rule label -> tag or root -> symbol, or -1.
  Index unary(Index label, Index tag) const;
  Index root(Index symbol) const { return root_[static_cast<std::size_t>(symbol)]; }
  // Parent, left and right of a binary rule.
  const Index* binary(Index rule) const { return &binary_[3 * static_cast<std::size_t>(rule)]; }
  Index binary_rules() const { return static_cast<Index>(binary_.size() / 3); }

 private:
  static std::uint64_t pair(Index a, Index b) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 |
           static_cast<std::uint32_t>(b);
  }
  Index tags_, symbols_, rules_;
  std::vector<Index> binary_, root_;
  std::vector<Made> made_;
  std::unordered_map<std::uint64_t, std::pair<Index, Index>> over_;
  std::unordered_map<std::uint64_t, Index> unary_;
};

// How the instances of rules become parts.
//   kSpans: a part for each rule over a span and its split, and one more for each symbol over a
//           span, on an edge of its own, which all its rules share;
//   kRules: a part for each rule over a span, whatever the split.
enum class SpanLayout { kSpans, kRules };

// Rows as in Chart. A word's part comes first and has rule kWordPart; the part of symbol s over a
// span has rule kFirstSpanPart - s; a node (begin, end, ~s) is below such a part.
constexpr Index kWordPart = -1, kFirstSpanPart = -2;

// All derivations from one tag a word and the candidates [rows][3] begin, end, label.
Chart build_pruned(const TreebankGrammar& grammar, std::span<const Index> tag,
                   std::span<const Index> candidates, SpanLayout layout, std::size_t max_edges);

}  // namespace treewright::constituency
