// The best tree of a sentence under a weighted treebank grammar, without pruning and without a
// forest: CKY over dense cells.
#pragma once

#include "constituency/chart.hpp"

namespace treewright::constituency {

struct BestTree {
  double score;              // -infinity: there is no tree
  std::vector<Index> nodes;  // [nodes][3] begin, end, symbol, parents first, left before right
};

// score: [rules]; entries: a word, a tag for it, and the score of the two.
BestTree cky_best(const TreebankGrammar& grammar, std::span<const double> score, Index words,
                  std::span<const Index> entry_word, std::span<const Index> entry_tag,
                  std::span<const double> entry_score);

}  // namespace treewright::constituency
