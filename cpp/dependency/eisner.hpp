// The projective dependency trees of a sentence as a forest (Eisner 1996).
#pragma once

#include <span>
#include <vector>

#include "core/forest.hpp"

namespace treewright::dependency {

// Parts 0 .. arcs-1 are the given arcs (several between two words where they differ in label), then
// come the sibling parts, if asked for, and at last one part that scores nothing. `siblings` has a
// row of 3 for each sibling part: head, word, and the next word on the way to the head that hangs
// on it too, -1 if there is none.
struct ArcForest {
  ForestArrays forest;  // no nodes if there is no tree
  std::vector<Index> siblings;
};

// Words are 1 .. n and the root is 0. Throws std::invalid_argument on an arc that is none, and
// std::length_error past max_edges edges.
ArcForest build_arc_forest(Index words, std::span<const Index> head, std::span<const Index> word,
                           bool siblings, bool single_root, std::size_t max_edges);

}  // namespace treewright::dependency
