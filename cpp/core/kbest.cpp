#include "core/kbest.hpp"

#include <algorithm>
#include <tuple>

#include "core/deadline.hpp"

namespace treewright {
namespace {

// A way to derive a node: an edge with the ranks of its tails' derivations.
struct Candidate {
  double score;
  Index edge, left_rank, right_rank;
};

// Heap order: best score on top; ties by edge and ranks, so results are deterministic.
bool worse(const Candidate& a, const Candidate& b) {
  if (a.score != b.score) return a.score < b.score;
  return std::tie(a.edge, a.left_rank, a.right_rank) > std::tie(b.edge, b.left_rank, b.right_rank);
}

// The derivations of a node that were computed so far.
struct NodeState {
  bool started = false;
  bool owes_successors = false;  // those of found.back() are not in the heap yet
  std::vector<Candidate> heap, found;

  bool has(Index rank) const { return static_cast<std::size_t>(rank) < found.size(); }
  bool exhausted() const { return started && !owes_successors && heap.empty(); }
  bool settled(Index rank) const { return has(rank) || exhausted(); }
  const Candidate& at(Index rank) const { return found[static_cast<std::size_t>(rank)]; }
};

class LazyKBest {
 public:
  LazyKBest(const Forest& forest, const double* score)
      : f_(forest), score_(score), best_(inside(forest, score, Max{})), state_(forest.nodes(), {}) {
    state_[kNoTail].started = true;
    state_[kNoTail].found.push_back({0.0, -1, 0, 0});
  }

  // Finds the goal's derivation of this rank; false if there are fewer. The stack is explicit,
  // because a chain is as deep as its sentence is long.
  bool find(Index rank) {
    std::vector<Request> stack{{f_.goal(), rank}};
    while (!stack.empty()) {
      const Request request = stack.back();
      NodeState& state = state_[request.node];
      if (!state.started) start(request.node);
      if (state.settled(request.rank))
        stack.pop_back();
      else if (state.owes_successors)
        push_successors(state, stack);
      else
        pop_best(state, stack);
    }
    return state_[f_.goal()].has(rank);
  }

  Derivation derivation(Index rank) const {
    Derivation out;
    out.score = state_[f_.goal()].at(rank).score;
    std::vector<Request> agenda{{f_.goal(), rank}};
    while (!agenda.empty()) {
      const Request request = agenda.back();
      agenda.pop_back();
      const Candidate& c = state_[request.node].at(request.rank);
      out.edges.push_back(c.edge);
      if (f_.right[c.edge] != kNoTail) agenda.push_back({f_.right[c.edge], c.right_rank});
      if (f_.left[c.edge] != kNoTail) agenda.push_back({f_.left[c.edge], c.left_rank});
    }
    return out;
  }

 private:
  struct Request {
    Index node, rank;
  };

  void start(Index v) {
    NodeState& state = state_[v];
    state.started = true;
    for (Index e = f_.first_edge[v]; e < f_.first_edge[v + 1]; ++e) {
      const double value = score_[f_.part[e]] + (best_[f_.left[e]] + best_[f_.right[e]]);
      if (value != Max::zero()) state.heap.push_back({value, e, 0, 0});
    }
    std::make_heap(state.heap.begin(), state.heap.end(), worse);
  }

  // Each pair of ranks except (0, 0) has one predecessor: (i, j) has (i, j - 1), (i, 0) has (i - 1,
  // 0). So nothing enters a heap twice. Requests unsettled tails first.
  void push_successors(NodeState& state, std::vector<Request>& stack) {
    const Candidate last = state.found.back();
    const Index l = f_.left[last.edge], r = f_.right[last.edge];
    if (!state_[r].settled(last.right_rank + 1)) return stack.push_back({r, last.right_rank + 1});
    if (last.right_rank == 0 && !state_[l].settled(last.left_rank + 1))
      return stack.push_back({l, last.left_rank + 1});
    state.owes_successors = false;
    push(state, last.edge, last.left_rank, last.right_rank + 1);
    if (last.right_rank == 0) push(state, last.edge, last.left_rank + 1, 0);
  }

  void push(NodeState& state, Index e, Index left_rank, Index right_rank) {
    const NodeState &left = state_[f_.left[e]], &right = state_[f_.right[e]];
    if (!left.has(left_rank) || !right.has(right_rank)) return;
    const double value =
        score_[f_.part[e]] + (left.at(left_rank).score + right.at(right_rank).score);
    state.heap.push_back({value, e, left_rank, right_rank});
    std::push_heap(state.heap.begin(), state.heap.end(), worse);
  }

  // The Viterbi pass scored a candidate of first-ranked tails; they are expanded now.
  void pop_best(NodeState& state, std::vector<Request>& stack) {
    const Candidate top = state.heap.front();
    const Index l = f_.left[top.edge], r = f_.right[top.edge];
    if (!state_[l].settled(top.left_rank)) return stack.push_back({l, top.left_rank});
    if (!state_[r].settled(top.right_rank)) return stack.push_back({r, top.right_rank});
    std::pop_heap(state.heap.begin(), state.heap.end(), worse);
    state.heap.pop_back();
    state.found.push_back(top);
    state.owes_successors = true;
  }

  const Forest& f_;
  const double* score_;
  NodeValues<double> best_;
  NodeValues<NodeState> state_;
};

}  // namespace

std::vector<Derivation> kbest(const Forest& forest, const double* score, std::size_t k) {
  LazyKBest lazy(forest, score);
  std::vector<Derivation> out;
  for (Index rank = 0; static_cast<std::size_t>(rank) < k && lazy.find(rank); ++rank) {
    check_deadline();
    out.push_back(lazy.derivation(rank));
  }
  return out;
}

}  // namespace treewright
