#include "core/expect.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/hash.hpp"
#include "core/simd.hpp"

namespace treewright {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// p[e] = score + I(left) + I(right): the log weight of everything below the edge.
TREEWRIGHT_CLONES void gather_scores(const Forest& f, Index begin, Index end, const double* score,
                                     const double* in, double* p) {
  for (Index e = begin; e < end; ++e) p[e] = score[f.part[e]] + in[f.left[e]] + in[f.right[e]];
}

TREEWRIGHT_CLONES void exponentiate(double* p, Index begin, Index end) {
  for (Index e = begin; e < end; ++e) p[e] = exp_nonpositive(p[e]);
}

// Subtracts every node's maximum, which stays in its inside slot.
TREEWRIGHT_CLONES void subtract_maxima(const Forest& f, Index first, Index last, double* in,
                                       double* p) {
  for (Index v = first; v < last; ++v) {
    double top = kMinusInfinity;
    for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) top = p[e] > top ? p[e] : top;
    in[v] = top;
    if (top == kMinusInfinity) continue;  // exp of -infinity is 0 already
    for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) p[e] -= top;
  }
}

TREEWRIGHT_CLONES void normalise(const Forest& f, Index first, Index last, double* in, double* p) {
  for (Index v = first; v < last; ++v) {
    const Index begin = f.first_edge[v], end = f.first_edge[v + 1];
    if (end - begin == 1) continue;  // exp(0) = 1 already, or 0 if there is no mass
    double sum = 0;
    for (Index e = begin; e < end; ++e) sum += p[e];
    if (sum == 0) continue;
    in[v] += std::log(sum);
    const double scale = 1.0 / sum;
    for (Index e = begin; e < end; ++e) p[e] *= scale;
  }
}

TREEWRIGHT_CLONES void sweep_marginals(const Forest& f, const double* p, double scale, double* node,
                                       double* mass) {
  for (Index v = f.goal(); v >= 0; --v) {
    const double above = node[v];
    if (above == 0) continue;
    for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
      const double mu = above * p[e];
      node[f.left[e]] += mu;
      node[f.right[e]] += mu;
      mass[f.part[e]] += scale * mu;
    }
  }
}

void start_node_masses(const Forest& forest, Workspace& work) {
  work.node.assign(static_cast<std::size_t>(forest.nodes()) + 1, 0.0);
  work.node.back() = 1.0;
}

// log p(e) of an edge of node v, where p(e) itself may have become 0.
double log_p(const Forest& f, const double* score, const Workspace& work, Index e, Index v) {
  const double* in = work.log_inside.data() + 1;
  if (in[v] == kMinusInfinity) return kMinusInfinity;
  return score[f.part[e]] + in[f.left[e]] + in[f.right[e]] - in[v];
}

// sum_e mu(e) * value(e, head of e)
template <class Value>
double expected_edge_sum(const Forest& f, Workspace& work, Value value) {
  start_node_masses(f, work);
  double* node = work.node.data() + 1;
  double sum = 0;
  for (Index v = f.goal(); v >= 0; --v) {
    for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
      const double mu = node[v] * work.p[e];
      if (mu <= 0) continue;
      node[f.left[e]] += mu;
      node[f.right[e]] += mu;
      sum += mu * value(e, v);
    }
  }
  return sum;
}

struct Random {
  std::uint64_t state;
  double uniform() { return static_cast<double>(next_random(state) >> 11) * 0x1p-53; }
};

// The last edge with mass absorbs rounding errors.
Index draw_edge(const Forest& f, const double* p, Index v, double u) {
  Index chosen = -1;
  for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
    if (p[e] <= 0) continue;
    chosen = e;
    u -= p[e];
    if (u < 0) break;
  }
  return chosen;
}

}  // namespace

double local_probabilities(const Forest& forest, const double* score, Workspace& work) {
  work.log_inside.resize(static_cast<std::size_t>(forest.nodes()) + 1);
  work.p.resize(static_cast<std::size_t>(forest.edges()));
  double* in = work.log_inside.data() + 1;
  double* p = work.p.data();
  in[kNoTail] = 0.0;
  const auto& blocks = forest.blocks();
  for (std::size_t b = 0; b + 1 < blocks.size(); ++b) {
    const Index first = blocks[b], last = blocks[b + 1];
    const Index begin = forest.first_edge[first], end = forest.first_edge[last];
    gather_scores(forest, begin, end, score, in, p);
    subtract_maxima(forest, first, last, in, p);
    exponentiate(p, begin, end);
    normalise(forest, first, last, in, p);
  }
  return in[forest.goal()];
}

void add_marginals(const Forest& forest, Workspace& work, double scale, double* mass,
                   double* edge_mass) {
  const FlushDenormals flush;
  start_node_masses(forest, work);
  double* node = work.node.data() + 1;
  sweep_marginals(forest, work.p.data(), scale, node, mass);
  if (edge_mass == nullptr) return;
  for (Index v = 0; v < forest.nodes(); ++v)
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e)
      edge_mass[e] = node[v] * work.p[e];
}

double add_cost_moments(const Forest& forest, Workspace& work, const double* cost, double* mass) {
  const FlushDenormals flush;
  // below(v) = sum_e p(e) * (cost(e) + below(left) + below(right))
  NodeValues<double> below(forest.nodes(), 0.0), above(forest.nodes(), 0.0);
  for (Index v = 0; v < forest.nodes(); ++v) {
    double sum = 0;
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e)
      sum += work.p[e] * (cost[forest.part[e]] + below[forest.left[e]] + below[forest.right[e]]);
    below[v] = sum;
  }
  // above(v) = mu(v) * (expected cost of what lies outside v, given v)
  start_node_masses(forest, work);
  double* node = work.node.data() + 1;
  for (Index v = forest.goal(); v >= 0; --v) {
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e) {
      const Index l = forest.left[e], r = forest.right[e];
      const double mu = node[v] * work.p[e];
      const double outer = above[v] * work.p[e] + mu * cost[forest.part[e]];
      node[l] += mu;
      node[r] += mu;
      above[l] += outer + mu * below[r];
      above[r] += outer + mu * below[l];
      mass[forest.part[e]] += outer + mu * (below[l] + below[r]);
    }
  }
  return below[forest.goal()];
}

double entropy(const Forest& forest, const double* score, Workspace& work) {
  return -expected_edge_sum(forest, work,
                            [&](Index e, Index v) { return log_p(forest, score, work, e, v); });
}

double divergence(const Forest& forest, const double* p_score, Workspace& p_work,
                  const double* q_score, const Workspace& q_work) {
  return expected_edge_sum(forest, p_work, [&](Index e, Index v) {
    return log_p(forest, p_score, p_work, e, v) - log_p(forest, q_score, q_work, e, v);
  });
}

std::vector<std::vector<Index>> sample(const Forest& forest, const Workspace& work,
                                       std::size_t how_many, std::uint64_t seed) {
  Random random{seed};
  std::vector<std::vector<Index>> out(how_many);
  std::vector<Index> agenda;
  for (auto& edges : out) {
    agenda.assign(1, forest.goal());
    while (!agenda.empty()) {
      const Index e = draw_edge(forest, work.p.data(), agenda.back(), random.uniform());
      agenda.pop_back();
      if (e < 0) throw std::invalid_argument("no derivation has weight: nothing to sample");
      edges.push_back(e);
      if (forest.right[e] != kNoTail) agenda.push_back(forest.right[e]);
      if (forest.left[e] != kNoTail) agenda.push_back(forest.left[e]);
    }
  }
  return out;
}

}  // namespace treewright
