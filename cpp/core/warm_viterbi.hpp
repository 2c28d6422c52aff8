// Viterbi warm-started from its last answer, when scores of parts only fall (docs/integrated.md,
// section 4).
//
// Each node has an upper bound of its best score: after scores fall, the old best scores are
// bounds. The goal is settled top-down: a node is settled if the tails of its best edge are settled
// and the edge reaches the node's bound; otherwise its edges are tried in the order of their
// bounds. Only nodes that compete for the goal's best derivation are visited, falling scores cost
// nothing by themselves, and no index of the forest is needed. The answer is identical to that of a
// full sweep, including ties.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/forest.hpp"
#include "core/sweep.hpp"

namespace treewright {

class WarmViterbi {
 public:
  // Above `most_work` edges, the search is abandoned for a full sweep; then the limit is lowered
  // until a search succeeds again. The forest is kept by reference.
  explicit WarmViterbi(const Forest& forest, std::optional<std::int64_t> most_work = std::nullopt);

  // Sets the scores of all parts, [parts]. They may fall at any time; after any other change the
  // next answer must be cold.
  std::vector<double>& scores() { return score_; }
  // The best derivation under the current scores.
  Derivation best(bool cold);

  // The number of edges visited by the last answer; at least all edges if it swept the whole
  // forest.
  std::int64_t work() const { return work_; }

 private:
  struct Candidate {
    double value;
    Index edge;
    // Heap order: highest value first, ties by the first edge.
    bool operator<(const Candidate& other) const {
      return value < other.value || (value == other.value && edge > other.edge);
    }
  };
  struct Frame {
    Index node, edge;
    std::size_t heap;  // where the node's candidates begin
    bool scanned;
  };

  double value(Index e) const {
    return score_[forest_.part[e]] + (bound_[forest_.left[e]] + bound_[forest_.right[e]]);
  }
  void sweep();
  bool settle();
  void open(Index v);
  void close(double bound, Index edge);
  void try_next(Frame& frame);

  const Forest& forest_;
  std::vector<double> score_;
  NodeValues<double> bound_;
  NodeValues<Index> choice_;
  std::vector<std::uint32_t> settled_;  // [nodes], the round in which a node was settled
  std::uint32_t round_ = 0;
  std::vector<Frame> frames_;
  std::vector<Candidate> pool_;
  std::int64_t work_ = 0, most_work_, allowed_;
};

}  // namespace treewright
