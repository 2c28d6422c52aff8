#include "core/sweep.hpp"

namespace treewright {

void best_edges(const Forest& forest, const double* score, NodeValues<double>& best,
                NodeValues<Index>& choice) {
  best[kNoTail] = Max::one();
  for (Index v = 0; v < forest.nodes(); ++v) {
    double top = Max::zero();
    Index arg = -1;
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e) {
      const double value = score[forest.part[e]] + (best[forest.left[e]] + best[forest.right[e]]);
      if (value > top) {
        top = value;
        arg = e;
      }
    }
    best[v] = top;
    choice[v] = arg;
  }
}

std::vector<Index> trace(const Forest& forest, const NodeValues<Index>& choice) {
  std::vector<Index> edges;
  if (choice[forest.goal()] < 0) return edges;
  std::vector<Index> agenda{forest.goal()};
  while (!agenda.empty()) {
    const Index e = choice[agenda.back()];
    agenda.pop_back();
    edges.push_back(e);
    if (forest.right[e] != kNoTail) agenda.push_back(forest.right[e]);
    if (forest.left[e] != kNoTail) agenda.push_back(forest.left[e]);
  }
  return edges;
}

Derivation viterbi(const Forest& forest, const double* score) {
  NodeValues<double> best(forest.nodes(), Max::zero());
  NodeValues<Index> choice(forest.nodes(), -1);
  best_edges(forest, score, best, choice);
  return {best[forest.goal()], trace(forest, choice)};
}

Derivation viterbi(const Forest& forest, const double* gain, const double* score) {
  NodeValues<double> best(forest.nodes(), Max::zero()), tie(forest.nodes(), Max::zero());
  NodeValues<Index> choice(forest.nodes(), -1);
  best[kNoTail] = tie[kNoTail] = Max::one();
  for (Index v = 0; v < forest.nodes(); ++v) {
    double top = Max::zero(), second = Max::zero();
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e) {
      const Index p = forest.part[e], l = forest.left[e], r = forest.right[e];
      const double value = gain[p] + (best[l] + best[r]);
      if (value < top || value == Max::zero()) continue;
      const double next = score[p] + (tie[l] + tie[r]);
      if (value > top || next > second) {
        top = value;
        second = next;
        choice[v] = e;
      }
    }
    best[v] = top;
    tie[v] = second;
  }
  return {best[forest.goal()], trace(forest, choice)};
}

}  // namespace treewright
