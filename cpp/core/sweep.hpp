// Inside and outside over any semiring: the recursions of docs/theory.md, section 2, as templates.
#pragma once

#include <vector>

#include "core/forest.hpp"
#include "core/semiring.hpp"

namespace treewright {

// I(v) = sum over edges e of v of  w(e) * I(left e) * I(right e)
template <class S>
NodeValues<typename S::Value> inside(const Forest& forest, const double* score, const S& s) {
  NodeValues<typename S::Value> in(forest.nodes(), S::zero());
  in[kNoTail] = S::one();
  for (Index v = 0; v < forest.nodes(); ++v) {
    auto sum = S::zero();
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e)
      sum = s.plus(sum, s.times(s.lift(score[forest.part[e]]),
                                s.times(in[forest.left[e]], in[forest.right[e]])));
    in[v] = sum;
  }
  return in;
}

// O(goal) = 1;  O(tail) += O(head e) * w(e) * I(other tail), over the edges e that have the tail
template <class S>
NodeValues<typename S::Value> outside(const Forest& forest, const double* score, const S& s,
                                      const NodeValues<typename S::Value>& in) {
  NodeValues<typename S::Value> out(forest.nodes(), S::zero());
  out[forest.goal()] = S::one();
  for (Index v = forest.goal(); v >= 0; --v) {
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e) {
      const Index l = forest.left[e], r = forest.right[e];
      const auto above = s.times(out[v], s.lift(score[forest.part[e]]));
      out[l] = s.plus(out[l], s.times(above, in[r]));
      out[r] = s.plus(out[r], s.times(above, in[l]));
    }
  }
  return out;
}

// The score and edges of the best derivation, goal first, left before right; ties go to the first
// edge. An empty derivation means that all derivations have score -infinity.
struct Derivation {
  double score = Log::zero();
  std::vector<Index> edges;
};
Derivation viterbi(const Forest& forest, const double* score);

// The best derivation by `gain`; ties are broken by `score`, then by order. Gains must be multiples
// of a power of 2, so that their sums are exact and equal sums compare equal.
Derivation viterbi(const Forest& forest, const double* gain, const double* score);

// The two steps of Viterbi: the best score and first best edge of each node (-1 if none is finite),
// and the edges of the goal's derivation by these choices. best[-1] is set.
void best_edges(const Forest& forest, const double* score, NodeValues<double>& best,
                NodeValues<Index>& choice);
std::vector<Index> trace(const Forest& forest, const NodeValues<Index>& choice);

}  // namespace treewright
