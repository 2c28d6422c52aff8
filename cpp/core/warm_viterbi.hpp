// Viterbi that starts from its last answer, when scores of parts only fall (docs/integrated.md,
// section 4).
//
// Every node keeps an upper bound of its best score: after a fall, the old best scores are bounds.
// The goal is settled from the top: a node is settled when the tails of its best edge are and the
// edge is worth the node's bound; otherwise its edges are tried in the order of their bounds. Only
// nodes that compete for the goal's best derivation are visited, a fall costs nothing by itself,
// and no index of the forest is needed. The answer is that of a full sweep, bit for bit, tie for
// tie.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/forest.hpp"
#include "core/sweep.hpp"

namespace treewright {

class WarmViterbi {
 public:
  // Past `most_work` edges an answer is given up for a full sweep; after that, earlier, until an
  // answer is found again. The forest is kept by reference.
  explicit WarmViterbi(const Forest& forest, std::optional<std::int64_t> most_work = std::nullopt);

  // The scores of all parts, [parts]. They may fall at any time; after any other change the next
  // answer must be cold.
  std::vector<double>& scores() { return score_; }
  // The best derivation under the current scores.
  Derivation best(bool cold);

  // Edges that the last answer looked at; at least all of them if it swept the whole forest.
  std::int64_t work() const { return work_; }

 private:
  struct Candidate {
    double value;
    Index edge;
    // Heap order: the highest value first, of equals the first edge.
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
