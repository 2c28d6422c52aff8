// The gold analysis of a sentence, as used by charts.
#pragma once

#include "ccg/chart.hpp"

namespace treewright::ccg {

class CcgGold {
 public:
  CcgGold(const CcgGrammar& grammar, const CcgSentence& sentence);

  bool known() const { return known_; }
  bool has_cell(Index cell) const {
    return !sentence_.gold_cell.empty() && sentence_.gold_cell[static_cast<std::size_t>(cell)];
  }
  // Whether gold has this constituent with this split; `split` is -1 for a unary rule.
  bool has_node(Index begin, Index split, Index end, const CcgRule& rule) const;
  // Whether a constituent over the sentence is gold's root, not the child of its unary rule.
  bool has_root(Index category) const { return root_ < 0 || category == root_; }
  bool has_dependency(Index functor, Index relation, Index argument) const;
  // Gold dependencies with one end in begin..split-1 and the other in split..end-1.
  Index across(Index begin, Index split, Index end) const;

 private:
  const CcgGrammar& grammar_;
  const CcgSentence& sentence_;
  bool known_;
  Index root_;  // -1: gold is one word
  KeyTable nodes_, dependencies_;
  std::vector<Index> links_;  // [words + 1][words + 1]: links among words before row and column
};

}  // namespace treewright::ccg
