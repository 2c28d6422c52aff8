// The packed forest: an acyclic hypergraph in struct-of-arrays form (DESIGN section 2).
//
// Nodes come children first and the goal last. Edges are grouped by their head node. An edge has at
// most two tails and exactly one part, the scored unit. A tail of -1 is "no tail": every per-node
// array of a sweep has a slot at index -1 that holds the semiring's one, so no loop has to branch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treewright {

using Index = std::int32_t;
// An index into arrays.
constexpr std::size_t at(Index i) { return static_cast<std::size_t>(i); }
constexpr Index kNoTail = -1;

// Views of arrays owned by the caller, and the blocks found by the checks.
class Forest {
 public:
  // Throws std::invalid_argument naming the node or edge of a broken invariant.
  Forest(std::span<const Index> first_edge, std::span<const Index> left,
         std::span<const Index> right, std::span<const Index> part, Index parts);

  Index nodes() const { return nodes_; }
  Index edges() const { return edges_; }
  Index parts() const { return parts_; }
  Index goal() const { return nodes_ - 1; }

  const Index* first_edge;  // [nodes + 1]
  const Index* left;        // [edges]
  const Index* right;       // [edges]
  const Index* part;        // [edges]

  // First nodes of runs in which no node is a tail of another, followed by `nodes`: sweeps process
  // the edges of a run as one array.
  const std::vector<Index>& blocks() const { return blocks_; }

 private:
  void check_shapes(std::span<const Index> first_edge, std::span<const Index> left,
                    std::span<const Index> right, std::span<const Index> part);
  void check_edges();

  Index nodes_ = 0, edges_ = 0, parts_ = 0;
  std::vector<Index> blocks_;
};

// Values for nodes -1..N-1; index -1 is "no tail".
template <class Value>
class NodeValues {
 public:
  NodeValues(Index nodes, Value fill) : values_(static_cast<std::size_t>(nodes) + 1, fill) {}
  Value& operator[](Index v) { return values_[static_cast<std::size_t>(v + 1)]; }
  const Value& operator[](Index v) const { return values_[static_cast<std::size_t>(v + 1)]; }
  Value* data() { return values_.data() + 1; }
  const Value* data() const { return values_.data() + 1; }

 private:
  std::vector<Value> values_;
};

// One byte per node: whether derivations of the goal use it.
NodeValues<std::uint8_t> reachable_nodes(const Forest& forest);

// One byte per part: whether a derivation of the goal uses it.
std::vector<std::uint8_t> reachable_parts(const Forest& forest);

// Owned arrays of a forest under construction, as the builders and `restrict` return them.
struct ForestArrays {
  std::vector<Index> first_edge{0}, left, right, part;
  Index parts = 0;

  Index nodes() const { return static_cast<Index>(first_edge.size()) - 1; }
  Index edges() const { return static_cast<Index>(part.size()); }
  void add_edge(Index l, Index r, Index p) {
    left.push_back(l);
    right.push_back(r);
    part.push_back(p);
  }
  Index close_node() {
    first_edge.push_back(edges());
    return nodes() - 1;
  }
};

// The sub-forest of the kept edges that are in complete derivations of the goal. Part numbers do
// not change. `node_of` and `edge_of` receive the old number of each new node and edge. The result
// has no nodes if no derivation is left.
ForestArrays restrict_edges(const Forest& forest, std::span<const std::uint8_t> keep,
                            std::vector<Index>& node_of, std::vector<Index>& edge_of);

}  // namespace treewright
