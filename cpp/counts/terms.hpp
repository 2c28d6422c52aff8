// Many exponentials of the counts in one sweep (docs/theory.md, section 5).
//
// A term k has rates (a_k, b_k) and tilts every edge by exp(a_k * n(e) + b_k * d(e)):
//     phi_k(v) = sum_e p(e) * exp(a_k n(e) + b_k d(e)) * phi_k(left e) * phi_k(right e),
// so phi_k(goal) = E[exp(a_k n + b_k d)]. Real rates give `expsum`, imaginary ones the
// characteristic function of `fourier`. With coefficients c_k the value is sum_k c_k phi_k(goal),
// an expectation E[g], and the adjoint sweep gives every edge its mass E[g * (e is used)].
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "core/expect.hpp"

namespace treewright::counts {

// The counts (n, d) of a forest's parts, with what the sweeps want to know of them.
class CountTable {
 public:
  // Throws std::invalid_argument on a negative count or a wrong length.
  CountTable(const Forest& forest, std::span<const std::int16_t> n,
             std::span<const std::int16_t> d);

  struct Range {
    std::int32_t n_low, n_high, d_low, d_high;
    std::int32_t rows() const { return n_high - n_low + 1; }
    std::int32_t columns() const { return d_high - d_low + 1; }
  };
  // What the derivations of each node, and so of the goal, can reach.
  std::vector<Range> node_ranges(const Forest& forest) const;
  const Range& goal_range() const { return goal_; }

  // An upper bound on the rounding steps behind any value of a real term sweep at the goal: its
  // relative error is at most this times the unit roundoff, all terms being positive.
  double rounding_steps() const { return steps_; }

  // Cells of all nodes, one for each d below a node, and the pairs of cells that edges join.
  double column_cells() const { return column_cells_; }
  double column_pairs() const { return column_pairs_; }

  struct Pair {
    std::int16_t n, d;
  };
  std::span<const std::int16_t> n, d;  // [parts]
  std::vector<std::uint16_t> kind;     // [parts], an index into pairs
  std::vector<Pair> pairs;             // the distinct (n, d) of the parts

 private:
  Range goal_;
  double steps_, column_cells_ = 0, column_pairs_ = 0;
};

struct TermPlan {
  bool complex = false;  // otherwise only the real parts are used
  std::vector<std::complex<double>> rate_n, rate_d, coefficient;  // [terms]
};

// The edges that a sweep goes through, with their local probabilities: a whole forest's, or those
// that are left of it. Nodes come children first, the goal last.
struct EdgeView {
  Index nodes;
  const Index* first_edge;  // [nodes + 1]
  const Index* left;        // [edges]
  const Index* right;       // [edges]
  const Index* part;        // [edges]
  const double* p;          // [edges]

  Index goal() const { return nodes - 1; }
};

inline EdgeView all_edges(const Forest& f, const Workspace& work) {
  return {f.nodes(), f.first_edge, f.left, f.right, f.part, work.p.data()};
}

// phi_k(goal) for every term, without coefficients: one forward sweep.
std::vector<std::complex<double>> term_values(const EdgeView& edges, const CountTable& counts,
                                              const TermPlan& plan, Workspace& work);

// The value sum_k c_k phi_k(goal) (its real part); adds every part's mass to `mass`.
// `size` receives sum_k |c_k phi_k|, which rounding errors grow with.
double add_term_masses(const EdgeView& edges, const CountTable& counts, const TermPlan& plan,
                       Workspace& work, double* mass, double* size = nullptr);

}  // namespace treewright::counts
