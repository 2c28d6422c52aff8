// Maximum spanning arborescences: the best non-projective dependency trees of arc scores.
//
// Positions are 0 (the root) to n (the last word). score[h * (n + 1) + m] is that of the arc from
// head h to word m; -infinity forbids it. Arcs into the root and from a word to itself are ignored.
#pragma once

#include <vector>

#include "core/forest.hpp"

namespace treewright::dependency {

struct HeadTree {
  std::vector<Index> head;  // [n + 1], the head of every word; head[0] is -1
  double score;
};

// The k best trees, best first, each in O(n^2): Tarjan's contraction for one, Camerini, Fratta and
// Maffioli (1980) for the others. With single_root only trees count in which one word hangs on the
// root. Fewer than k if there are fewer.
std::vector<HeadTree> best_trees(Index words, const double* score, std::size_t k, bool single_root);

// The heads [n + 1] of the tree with the largest sum of gains; of equals, the one with the largest
// sum of scores. Empty if there is no tree. Gains must add up without rounding, as multiples of a
// power of 2 do.
std::vector<Index> best_tree_by(Index words, const double* gain, const double* score,
                                bool single_root);

struct LabelledTree {
  std::vector<Index> head, label;  // [n + 1]
  double score;
};

// The k best labelled trees. score has `labels` entries an arc. With `variants`, trees that differ
// in labels alone count as different; without, each tree comes once, with its best labels.
std::vector<LabelledTree> best_labelled_trees(Index words, Index labels, const float* score,
                                              std::size_t k, bool single_root, bool variants);

// The k best ways to label the given trees, best first; the trees' own scores are not looked at.
std::vector<LabelledTree> best_labellings(const std::vector<HeadTree>& trees, Index labels,
                                          const float* score, std::size_t k);

}  // namespace treewright::dependency
