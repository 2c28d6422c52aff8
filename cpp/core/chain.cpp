#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/build.hpp"

namespace treewright {
namespace {

constexpr Index kMostTags = 1 << 20;  // three tags and the boundary fit into one 64-bit key

// A node of the lattice and the tags it remembers (kBoundary: before the sentence, or forgotten).
struct State {
  Index older, newer, node;
};

void check(std::span<const Index> first_tag, std::span<const Index> tag, int order) {
  if (order < 0 || order > 2) throw std::invalid_argument("a chain's order is 0, 1 or 2");
  if (first_tag.size() < 2) throw std::invalid_argument("a chain needs at least one position");
  if (first_tag.front() != 0 || static_cast<std::size_t>(first_tag.back()) != tag.size())
    throw std::invalid_argument("first_tag must run from 0 to the number of candidates");
  std::unordered_set<Index> seen;
  for (std::size_t i = 0; i + 1 < first_tag.size(); ++i) {
    const std::string where = "position " + std::to_string(i);
    if (first_tag[i + 1] <= first_tag[i]) throw std::invalid_argument(where + " has no candidate");
    if (static_cast<std::size_t>(first_tag[i + 1]) > tag.size())
      throw std::invalid_argument(where + " has candidates past the end");
    seen.clear();
    for (Index c = first_tag[i]; c < first_tag[i + 1]; ++c) {
      const Index t = tag[static_cast<std::size_t>(c)];
      if (t < 0 || t >= kMostTags)
        throw std::invalid_argument(where + " has tag " + std::to_string(t) +
                                    ", outside 0 to 2^20 - 1");
      if (!seen.insert(t).second)
        throw std::invalid_argument(where + " has tag " + std::to_string(t) + " twice");
    }
  }
}

class ChainBuilder {
 public:
  ChainBuilder(std::span<const Index> first_tag, std::span<const Index> tag, int order,
               std::size_t max_edges)
      : first_tag_(first_tag), tag_(tag), order_(order), max_edges_(max_edges) {
    out_.forest.parts = static_cast<Index>(tag.size());
  }

  Chain build() {
    std::vector<State> states{{kBoundary, kBoundary, kNoTail}};
    for (std::size_t i = 0; i + 1 < first_tag_.size(); ++i)
      states = order_ == 0 ? choose(i, states) : advance(i, states);
    if (order_ > 0) {
      for (const State& state : states) add(state.node, kNoTail, transition(state, kBoundary));
      out_.forest.close_node();
    }
    return std::move(out_);
  }

 private:
  // Order 0: one node a position, one edge a candidate.
  std::vector<State> choose(std::size_t i, const std::vector<State>& before) {
    for (Index c = first_tag_[i]; c < first_tag_[i + 1]; ++c) add(before[0].node, kNoTail, c);
    return {{kBoundary, kBoundary, out_.forest.close_node()}};
  }

  // An emission node for every candidate, then a state for every candidate and every group of
  // states that look the same from here.
  std::vector<State> advance(std::size_t i, const std::vector<State>& before) {
    const Index first_leaf = out_.forest.nodes();
    for (Index c = first_tag_[i]; c < first_tag_[i + 1]; ++c) {
      add(kNoTail, kNoTail, c);
      out_.forest.close_node();
    }
    std::vector<State> after;
    for (std::size_t begin = 0, end; begin < before.size(); begin = end) {
      end = order_ == 1 ? before.size() : begin + 1;
      while (end < before.size() && before[end].newer == before[begin].newer) ++end;
      const Index older = order_ == 1 ? kBoundary : before[begin].newer;
      for (Index c = first_tag_[i]; c < first_tag_[i + 1]; ++c) {
        const Index leaf = first_leaf + c - first_tag_[i];
        const Index newer = tag_[static_cast<std::size_t>(c)];
        for (std::size_t k = begin; k < end; ++k) step(before[k], leaf, newer);
        after.push_back({older, newer, out_.forest.close_node()});
      }
    }
    if (order_ == 2) sort_by_newer(after, first_tag_[i + 1] - first_tag_[i]);
    return after;
  }

  void step(const State& state, Index leaf, Index tag) {
    const Index part = transition(state, tag);
    state.node == kNoTail ? add(leaf, kNoTail, part) : add(state.node, leaf, part);
  }

  // States come out group by group; the next position wants them by their newer tag.
  static void sort_by_newer(std::vector<State>& states, Index candidates) {
    std::vector<State> sorted;
    const auto width = static_cast<std::size_t>(candidates);
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t k = c; k < states.size(); k += width) sorted.push_back(states[k]);
    states = std::move(sorted);
  }

  void add(Index left, Index right, Index part) {
    if (out_.forest.part.size() >= max_edges_)
      throw std::length_error("the chain needs more than " + std::to_string(max_edges_) + " edges");
    out_.forest.add_edge(left, right, part);
  }

  Index transition(const State& state, Index tag) {
    const auto digit = [](Index t) { return static_cast<std::uint64_t>(t + 1); };
    const Index oldest = order_ == 1 ? kBoundary : state.older;
    const std::uint64_t key = digit(oldest) << 42 | digit(state.newer) << 21 | digit(tag);
    const auto [at, is_new] = transitions_.try_emplace(key, out_.forest.parts);
    if (is_new) {
      ++out_.forest.parts;
      if (order_ == 2) out_.ngrams.push_back(state.older);
      out_.ngrams.push_back(state.newer);
      out_.ngrams.push_back(tag);
    }
    return at->second;
  }

  std::span<const Index> first_tag_, tag_;
  int order_;
  std::size_t max_edges_;
  Chain out_;
  std::unordered_map<std::uint64_t, Index> transitions_;
};

}  // namespace

Chain build_chain(std::span<const Index> first_tag, std::span<const Index> tag, int order,
                  std::size_t max_edges) {
  check(first_tag, tag, order);
  max_edges = std::min<std::size_t>(max_edges, std::numeric_limits<Index>::max());
  return ChainBuilder(first_tag, tag, order, max_edges).build();
}

}  // namespace treewright
