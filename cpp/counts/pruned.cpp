#include "counts/pruned.hpp"

#include <algorithm>
#include <cmath>

#include "core/hash.hpp"
#include "core/simd.hpp"

namespace treewright::counts {
namespace {

constexpr double kWorthCopying = 0.6;  // a larger share of the edges is swept where it stands

struct Kept {
  Index edges = 0;
  double lost = 0;
};

// mu(goal) = 1;  mu(tail) += mu(head) * p(e), from heads that stay.
TREEWRIGHT_CLONES Kept sweep_nodes(const Forest& f, const double* p, double least, double* node) {
  Kept kept;
  for (Index v = f.goal(); v >= 0; --v) {
    const double above = node[v];
    if (above < least) continue;
    for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
      const double mu = above * p[e];
      node[f.left[e]] += mu;
      node[f.right[e]] += mu;
      kept.edges += mu >= least;
      kept.lost += mu >= least ? 0.0 : mu;
    }
  }
  return kept;
}

// What is lost below a node that goes is lost at an edge above it.
void copy_kept(const Forest& f, const Workspace& work, double least, PrunedArrays& out) {
  const double *node = work.node.data() + 1, *p = work.p.data();
  out.number.resize(static_cast<std::size_t>(f.nodes()) + 1);
  out.number[0] = kNoTail;
  Index* number = out.number.data() + 1;
  Index kept = 0, nodes = 0;
  out.first_edge.resize(static_cast<std::size_t>(f.nodes()) + 1);
  out.mass.resize(static_cast<std::size_t>(f.nodes()));
  for (Index v = 0; v < f.nodes(); ++v) {
    const double above = node[v];
    if (above < least) continue;
    out.first_edge[static_cast<std::size_t>(nodes)] = kept;
    out.mass[static_cast<std::size_t>(nodes)] = above;
    for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
      if (above * p[e] < least) continue;
      out.left[kept] = number[f.left[e]];
      out.right[kept] = number[f.right[e]];
      out.part[kept] = f.part[e];
      out.p[kept] = p[e];
      ++kept;
    }
    number[v] = nodes++;
  }
  out.first_edge.resize(static_cast<std::size_t>(nodes) + 1);
  out.first_edge.back() = kept;
}

}  // namespace

Pruned prune(const Forest& f, Workspace& work, double least) {
  const FlushDenormals flush;
  least = std::max(least, 1e-300);  // edges without any mass go
  work.node.assign(static_cast<std::size_t>(f.nodes()) + 1, 0.0);
  work.node.back() = 1.0;
  double* node = work.node.data() + 1;
  const Kept kept = sweep_nodes(f, work.p.data(), least, node);
  if (kept.edges > kWorthCopying * f.edges()) return {all_edges(f, work), node, 0.0};
  PrunedArrays& out = work.pruned;
  for (auto* column : {&out.left, &out.right, &out.part})
    column->resize(static_cast<std::size_t>(kept.edges));
  out.p.resize(static_cast<std::size_t>(kept.edges));
  copy_kept(f, work, least, out);
  const EdgeView view{static_cast<Index>(out.first_edge.size()) - 1,
                      out.first_edge.data(),
                      out.left.data(),
                      out.right.data(),
                      out.part.data(),
                      out.p.data()};
  return {view, out.mass.data(), kept.lost + 1e-290};
}

// The covariance is the posteriors' sum of each node's own: of the means below its edges.
CountMoments count_moments(const Pruned& pruned, const CountTable& counts) {
  struct Mean {
    double n = 0, d = 0;
  };
  const EdgeView& f = pruned.edges;
  NodeValues<Mean> below(f.nodes, {});
  CountMoments out;
  for (Index v = 0; v < f.nodes; ++v) {
    CountMoments sum;
    double total = 0;
    for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
      const Mean &l = below[f.left[e]], &r = below[f.right[e]];
      const double n = counts.n[f.part[e]] + l.n + r.n, d = counts.d[f.part[e]] + l.d + r.d;
      const double p = f.p[e], pn = p * n, pd = p * d;
      total += p;
      sum.n += pn;
      sum.d += pd;
      sum.nn += pn * n;
      sum.nd += pn * d;
      sum.dd += pd * d;
    }
    const double scale = total > 0 ? 1 / total : 0, mass = pruned.mass[v];
    const double n = sum.n * scale, d = sum.d * scale;
    below[v] = {n, d};
    out.nn += mass * (sum.nn * scale - n * n);
    out.nd += mass * (sum.nd * scale - n * d);
    out.dd += mass * (sum.dd * scale - d * d);
  }
  out.n = below[f.goal()].n;
  out.d = below[f.goal()].d;
  return out;
}

SampledLaw sample_law(const EdgeView& f, const CountTable& counts, int samples) {
  SampledLaw out;
  double entropy = 0, most = 0;
  std::uint64_t state = 1;
  std::vector<Index> agenda;
  for (int sample = 0; sample < samples; ++sample) {
    SampledLaw::Counts sum{0, 0};
    agenda.assign(1, f.goal());
    while (!agenda.empty()) {
      const Index v = agenda.back(), end = f.first_edge[v + 1];
      agenda.pop_back();
      Index e = f.first_edge[v];
      most += std::log(static_cast<double>(end - e));
      double left = static_cast<double>(next_random(state) >> 11) * 0x1p-53 - f.p[e];
      while (left >= 0 && e + 1 < end) left -= f.p[++e];
      entropy -= std::log(std::max(f.p[e], 1e-300));
      sum.n += counts.n[f.part[e]];
      sum.d += counts.d[f.part[e]];
      for (const Index tail : {f.left[e], f.right[e]})
        if (tail != kNoTail) agenda.push_back(tail);
    }
    out.counts.push_back(sum);
  }
  out.flatness = most > 0 ? entropy / most : 0;
  return out;
}

CountMoments weighted_moments(std::span<const SampledLaw::Counts> samples,
                              std::span<const double> weight) {
  CountMoments sum;
  double total = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double n = samples[i].n, d = samples[i].d, w = weight[i];
    total += w;
    sum.n += w * n, sum.d += w * d;
    sum.nn += w * n * n, sum.nd += w * n * d, sum.dd += w * d * d;
  }
  for (double* each : {&sum.n, &sum.d, &sum.nn, &sum.nd, &sum.dd}) *each /= total;
  sum.nn -= sum.n * sum.n, sum.nd -= sum.n * sum.d, sum.dd -= sum.d * sum.d;
  return sum;
}

}  // namespace treewright::counts
