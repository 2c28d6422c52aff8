// The log-linear model on a forest: local probabilities bottom-up, marginals top-down.
//
// One inside pass gives every edge its probability under its head,
//     p(e) = w(e) * I(left e) * I(right e) / I(head e),
// and everything after it (marginals, entropy, samples, characteristic functions) is plain real
// arithmetic on numbers in [0, 1]. docs/theory.md, section 3.
#pragma once

#include <cstdint>
#include <vector>

#include "core/forest.hpp"
#include "core/huge_pages.hpp"
#include "core/sweep.hpp"

namespace treewright {

// Some of a forest's edges, with their local probabilities (counts/pruned.hpp).
struct PrunedArrays {
  std::vector<Index> first_edge, left, right, part;
  std::vector<double> p;      // [edges]
  std::vector<double> mass;   // [nodes]
  std::vector<Index> number;  // of the nodes that stay, [nodes of the forest + 1]
};

// Scratch memory that one thread reuses from forest to forest.
struct Workspace {
  std::vector<double> log_inside;      // [nodes + 1], slot 0 is "no tail"
  std::vector<double> p;               // [edges]
  std::vector<double> node;            // [nodes + 1]
  std::vector<double> scores, masses;  // [parts]
  HugeVector<std::byte> terms;         // phi and alpha of the term sweeps
  PrunedArrays pruned;
};

// Fills log_inside and p; returns log Z, -infinity if no derivation has weight.
// score may hold -infinity, but no NaN and no +infinity.
double local_probabilities(const Forest& forest, const double* score, Workspace& work);

// mu(goal) = 1;  mu(e) = mu(head e) * p(e);  mu(tail) += mu(e).
// Adds scale * mu(e) to mass[part e] and leaves mu(v) in work.node; if edge_mass is not null it
// receives mu(e).
void add_marginals(const Forest& forest, Workspace& work, double scale, double* mass,
                   double* edge_mass = nullptr);

// The expected sum of `cost` over a derivation's parts, given p. Adds to mass[part] the expectation
// of (sum of cost) * (occurrences of the part): risk's gradient is this minus value * marginal.
double add_cost_moments(const Forest& forest, Workspace& work, const double* cost, double* mass);

// H = - sum_e mu(e) log p(e), in nats.
double entropy(const Forest& forest, const double* score, Workspace& work);

// KL(P || Q) = sum_e mu_P(e) (log p(e) - log q(e)); infinite where Q forbids what P does not.
double divergence(const Forest& forest, const double* p_score, Workspace& p_work,
                  const double* q_score, const Workspace& q_work);

// Derivations drawn from the model, edges goal first. The stream depends on the seed alone.
std::vector<std::vector<Index>> sample(const Forest& forest, const Workspace& work,
                                       std::size_t how_many, std::uint64_t seed);

}  // namespace treewright
