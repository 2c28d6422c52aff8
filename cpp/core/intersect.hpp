// The intersection of a forest with a first-order chain over its leaves (Bar-Hillel et al. 1964;
// docs/integrated.md, section 5). It is exact and large: each node is split by the pair of values
// at its ends.
#pragma once

#include <span>
#include <vector>

#include "core/forest.hpp"

namespace treewright {

// A chain over variables whose values are numbered through; variable v has the values first[v] to
// first[v + 1] - 1.
struct ChainTables {
  std::span<const Index> first;
  std::span<const double> emission;     // [values]
  std::span<const double> start, stop;  // [values of the first variable], [values of the last one]
  std::span<const double> transition;  // for each neighbouring pair of variables a table, row-major
};

struct Intersection {
  ForestArrays forest;         // one part an edge
  std::vector<double> score;   // [edges], of the forest's part and of the chain
  std::vector<Index> edge_of;  // [edges], the forest's own edge; -1 for those of the goal
};

// value_of_part: [parts], -1 for none; the parts of leaf edges have one and no others do. Throws
// std::invalid_argument if leaves are not the variables in their order or nothing is left,
// std::length_error past max_edges edges. Transitions of -infinity make no edge.
Intersection intersect(const Forest& forest, std::span<const double> score,
                       std::span<const Index> value_of_part, const ChainTables& chain,
                       std::size_t max_edges);

}  // namespace treewright
