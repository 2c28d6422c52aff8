#include "core/forest.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace treewright {
namespace {

// Blocks are also cut here, so that a block's edges stay in the first-level cache.
constexpr Index kBlockEdges = 2048;

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

std::string at(const char* what, Index index) {
  return std::string(what) + " " + std::to_string(index);
}

}  // namespace

Forest::Forest(std::span<const Index> first_edge, std::span<const Index> left,
               std::span<const Index> right, std::span<const Index> part, Index parts)
    : parts_(parts) {
  check_shapes(first_edge, left, right, part);
  check_edges();
}

void Forest::check_shapes(std::span<const Index> first, std::span<const Index> l,
                          std::span<const Index> r, std::span<const Index> p) {
  constexpr std::size_t limit = std::numeric_limits<Index>::max();
  if (first.size() < 2)
    fail("a forest needs at least one node: first_edge has fewer than 2 entries");
  if (first.size() > limit || p.size() > limit)
    fail("a forest holds fewer than 2^31 nodes and edges");
  if (parts_ < 0) fail("the number of parts is negative");
  if (l.size() != p.size() || r.size() != p.size())
    fail("left, right and part differ in length: " + std::to_string(l.size()) + ", " +
         std::to_string(r.size()) + ", " + std::to_string(p.size()));
  nodes_ = static_cast<Index>(first.size()) - 1;
  edges_ = static_cast<Index>(p.size());
  if (first[0] != 0) fail("first_edge must start with 0, not " + std::to_string(first[0]));
  if (first[first.size() - 1] != edges_)
    fail("first_edge must end with the number of edges, " + std::to_string(edges_) + ", not " +
         std::to_string(first[first.size() - 1]));
  first_edge = first.data();
  left = l.data();
  right = r.data();
  part = p.data();
}

void Forest::check_edges() {
  Index block = 0;
  blocks_.push_back(0);
  for (Index v = 0; v < nodes_; ++v) {
    const Index begin = first_edge[v], end = first_edge[v + 1];
    if (end <= begin) fail(at("node", v) + " has no edge");
    if (end > edges_) fail(at("node", v) + " has edges past the end of the arrays");
    Index latest = kNoTail;
    for (Index e = begin; e < end; ++e) {
      if (left[e] < kNoTail || left[e] >= v || right[e] < kNoTail || right[e] >= v)
        fail(at("edge", e) + " of " + at("node", v) + " has a tail that does not come before it: " +
             std::to_string(left[e]) + ", " + std::to_string(right[e]));
      if (left[e] == kNoTail && right[e] != kNoTail)
        fail(at("edge", e) + " has a right tail but no left tail");
      if (part[e] < 0 || part[e] >= parts_)
        fail(at("edge", e) + " has part " + std::to_string(part[e]) + ", but there are " +
             std::to_string(parts_) + " parts");
      latest = std::max(latest, std::max(left[e], right[e]));
    }
    if (v > block && (latest >= block || end - first_edge[block] > kBlockEdges)) {
      blocks_.push_back(v);
      block = v;
    }
  }
  blocks_.push_back(nodes_);
  blocks_.shrink_to_fit();
}

NodeValues<std::uint8_t> reachable_nodes(const Forest& forest) {
  NodeValues<std::uint8_t> used(forest.nodes(), 0);
  used[forest.goal()] = 1;
  for (Index v = forest.goal(); v >= 0; --v) {
    if (!used[v]) continue;
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e)
      used[forest.left[e]] = used[forest.right[e]] = 1;
  }
  return used;
}

std::vector<std::uint8_t> reachable_parts(const Forest& forest) {
  const auto nodes = reachable_nodes(forest);
  std::vector<std::uint8_t> used(static_cast<std::size_t>(forest.parts()), 0);
  for (Index v = 0; v < forest.nodes(); ++v)
    if (nodes[v])
      for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e)
        used[forest.part[e]] = 1;
  return used;
}

ForestArrays restrict_edges(const Forest& forest, std::span<const std::uint8_t> keep,
                            std::vector<Index>& node_of, std::vector<Index>& edge_of) {
  // Bottom-up: which nodes lead to leaves through kept edges only; top-down: which the goal uses.
  NodeValues<std::uint8_t> up(forest.nodes(), 0), down(forest.nodes(), 0);
  up[kNoTail] = 1;
  const auto usable = [&](Index e) { return keep[e] && up[forest.left[e]] && up[forest.right[e]]; };
  for (Index v = 0; v < forest.nodes(); ++v)
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1] && !up[v]; ++e)
      up[v] = usable(e);
  down[forest.goal()] = up[forest.goal()];
  for (Index v = forest.goal(); v >= 0; --v)
    if (down[v])
      for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e)
        if (usable(e)) down[forest.left[e]] = down[forest.right[e]] = 1;

  ForestArrays out;
  out.parts = forest.parts();
  NodeValues<Index> number(forest.nodes(), kNoTail);
  for (Index v = 0; v < forest.nodes(); ++v) {
    if (!down[v]) continue;
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e) {
      if (!usable(e)) continue;
      out.add_edge(number[forest.left[e]], number[forest.right[e]], forest.part[e]);
      edge_of.push_back(e);
    }
    number[v] = out.close_node();
    node_of.push_back(v);
  }
  return out;
}

}  // namespace treewright
