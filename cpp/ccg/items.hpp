// Items of the full chart: head words of all variables, and open slots.
//
// An item is a sequence of integers: the coarse node, the lexical head (0 if the category's own
// head is known), a set of heads per variable (0: none yet), then pairs (slot, variable). Items are
// identical if their sequences are equal.
#pragma once

#include "ccg/chart.hpp"

namespace treewright::ccg {

// Sets of words as numbers: 0 is empty, 1 + w is word w alone, larger ones are coordinations.
class HeadSets {
 public:
  explicit HeadSets(Index words);
  Index of(Index word) const { return word + 1; }
  Index join(Index one, Index two);
  std::span<const Index> words(Index set) const { return sets_[set]; }
  Index first(Index set) const { return sets_[set].empty() ? -1 : sets_[set][0]; }

 private:
  Interner sets_;
  std::vector<Index> scratch_;
};

class Items {
 public:
  Items(const CcgGrammar& grammar, const CcgSentence& sentence, bool dependencies);

  Index lexical(Index coarse, Index cell);
  // The item that a rule makes of one (right = -1) or two; `filled` receives the filled slots.
  Index apply(Index coarse, const CcgRule& rule, Index left, Index right);
  // The word of an item in features: its head, or its lexical head.
  Index word(Index item) const;
  Index size() const { return items_.size(); }
  Index words_of(Index cell) const { return word_of_cell_[static_cast<std::size_t>(cell)]; }

  std::vector<Index> filled;  // numbers of dependencies
  // [dependencies][3] functor's cell, relation, argument
  std::vector<Index> dependencies() const;
  std::span<const Index> dependency(Index number) const { return dependencies_[number]; }

 private:
  void take_heads(const std::uint8_t* map, std::span<const Index> item, int variables);
  void take_slots(const std::uint8_t* map, std::span<const Index> item, int variables, int kept);
  void fill(Index slot, Index set);

  const CcgGrammar& grammar_;
  const CcgSentence& sentence_;
  bool full_;
  HeadSets sets_;
  Interner items_, dependencies_;
  std::vector<Index> word_of_cell_, heads_, scratch_;
};

}  // namespace treewright::ccg
