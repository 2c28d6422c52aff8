// Builders of forests from integers: chains (sequence lattices) and CKY charts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/forest.hpp"

namespace treewright {

// A lattice of tags: position i has the candidates tag[first_tag[i]] .. tag[first_tag[i + 1] - 1].
//
// Parts 0..T-1 are the emissions, one per candidate, in order. The other parts are transitions: one
// per distinct (order + 1)-gram of tags, shared between positions; `ngrams` lists them, oldest tag
// first, kBoundary before the sentence. A node is a position with the tags of its last `order`
// positions. Order 0 has no transitions.
struct Chain {
  ForestArrays forest;
  std::vector<Index> ngrams;
};
constexpr Index kBoundary = -1;
Chain build_chain(std::span<const Index> first_tag, std::span<const Index> tag, int order,
                  std::size_t max_edges);

// A compiled grammar. Rules are numbered from 0, binary ones first, then unary ones.
class Grammar {
 public:
  // binary: [rules][3] parent, left, right; unary: [rules][2] parent, child. Throws
  // std::invalid_argument on a symbol out of range and on a cycle of unary rules.
  Grammar(Index symbols, std::span<const Index> binary, std::span<const Index> unary);

  struct BinaryRule {
    Index right, parent, number;
  };
  struct UnaryRule {
    Index parent, number;
  };
  Index symbols() const { return symbols_; }
  const std::vector<BinaryRule>& with_left(Index s) const { return by_left_[at(s)]; }
  const std::vector<UnaryRule>& with_child(Index s) const { return by_child_[at(s)]; }
  // Positions in an order in which every unary rule's child comes before its parent.
  Index rank(Index symbol) const { return rank_[at(symbol)]; }
  Index symbol_of_rank(Index rank) const { return order_[at(rank)]; }

 private:
  void rank_symbols();

  Index symbols_;
  std::vector<std::vector<BinaryRule>> by_left_;
  std::vector<std::vector<UnaryRule>> by_child_;
  std::vector<Index> rank_, order_;
};

// What instances of a rule share a part: none, those over the same span, or all.
enum class Sharing { kNone, kSpan, kRule };

// Rows of 3 and 4 numbers that describe nodes and parts. The parts of entries come first, in order,
// with rule -1; fields that vary within a shared part are -1 as well.
struct Chart {
  ForestArrays forest;       // no nodes if the goal cannot be built
  std::vector<Index> nodes;  // begin, end, symbol
  std::vector<Index> parts;  // rule, begin, split, end
};

// All derivations of `goal` over the whole sentence by CKY, from the entries (word, symbol). Items
// that the goal does not use are removed. Throws std::length_error above max_edges edges.
Chart build_chart(const Grammar& grammar, Index words, std::span<const Index> entry_word,
                  std::span<const Index> entry_symbol, Index goal, Sharing sharing,
                  std::size_t max_edges);

}  // namespace treewright
