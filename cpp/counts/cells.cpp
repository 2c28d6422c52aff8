#include "counts/cells.hpp"

#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "counts/cell_sweep.hpp"

namespace treewright::counts {
namespace {

struct RealOps {
  using Value = double;
  static constexpr double zero() { return 0.0; }
  static constexpr double one() { return 1.0; }
  static double times(double a, double b) { return a * b; }
  static void add(double& a, double b) { a += b; }
  static double real(double a) { return a; }
};

struct Complex {
  double re, im;
};

struct ComplexOps {
  using Value = Complex;
  static constexpr Complex zero() { return {0, 0}; }
  static constexpr Complex one() { return {1, 0}; }
  static Complex times(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  static void add(Complex& a, Complex b) { a.re += b.re, a.im += b.im; }
  static double real(Complex a) { return a.re; }
};

// p(e) in the only term.
struct PlainWeight {
  const double* p;
  void operator()(Index e, double* out) const { *out = p[e]; }
};

// p(e) * exp(rate[k] * n(e)) in term k, from a table with one row a distinct pair of counts.
template <class Value>
struct TiltedWeight {
  const Forest& f;
  const CountTable& counts;
  const double* p;
  std::size_t terms;
  std::vector<Value> table;

  TREEWRIGHT_INLINE void operator()(Index e, Value* out) const {
    const Value* tilt = &table[counts.kind[f.part[e]] * terms];
    for (std::size_t k = 0; k < terms; ++k) {
      if constexpr (std::is_same_v<Value, double>) {
        out[k] = p[e] * tilt[k];
      } else {
        out[k] = {p[e] * tilt[k].re, p[e] * tilt[k].im};
      }
    }
  }
};

template <class Value>
TiltedWeight<Value> tilted_weight(const Forest& forest, const CountTable& counts,
                                  const SlicedPlan& plan, const double* p) {
  TiltedWeight<Value> weight{forest, counts, p, plan.rate.size(), {}};
  for (const auto& pair : counts.pairs)
    for (const auto& rate : plan.rate) {
      const std::complex<double> tilt = std::exp(rate * static_cast<double>(pair.n));
      if constexpr (std::is_same_v<Value, double>)
        weight.table.push_back(tilt.real());
      else
        weight.table.push_back({tilt.real(), tilt.imag()});
    }
  return weight;
}

// The attribute needs plain functions: one pair for each kind of sweep.
#define TREEWRIGHT_CELL_SWEEPS(Ops, Weight)                                          \
  TREEWRIGHT_CLONES bool run_forward(CellSweep<Ops>& sweep, const Weight& weight) {  \
    return sweep.forward(weight);                                                    \
  }                                                                                  \
  TREEWRIGHT_CLONES bool run_adjoint(CellSweep<Ops>& sweep, const Weight& weight,    \
                                     std::vector<Ops::Value>& above, double* mass) { \
    return sweep.adjoint(weight, above, mass);                                       \
  }
TREEWRIGHT_CELL_SWEEPS(RealOps, PlainWeight)
TREEWRIGHT_CELL_SWEEPS(RealOps, TiltedWeight<double>)
TREEWRIGHT_CELL_SWEEPS(ComplexOps, TiltedWeight<Complex>)
#undef TREEWRIGHT_CELL_SWEEPS

std::complex<double> standard(double x) { return x; }
std::complex<double> standard(Complex z) { return {z.re, z.im}; }
void assign(double& to, std::complex<double> z) { to = z.real(); }
void assign(Complex& to, std::complex<double> z) { to = {z.real(), z.imag()}; }

template <class Ops>
double sliced_masses(const Forest& forest, const CountTable& counts, const SlicedPlan& plan,
                     const Workspace& work, const StopFlag& stop, double* mass) {
  const Layout layout(forest, counts, false, plan.rate.size());
  const auto weight = tilted_weight<typename Ops::Value>(forest, counts, plan, work.p.data());
  CellSweep<Ops> sweep(forest, layout, stop);
  require_finished(run_forward(sweep, weight));
  std::vector<typename Ops::Value> above(layout.size, Ops::zero());
  const std::size_t goal = layout[forest.goal()].offset;
  double value = 0;
  for (std::size_t i = 0; i < plan.coefficient.size(); ++i) {
    value += (plan.coefficient[i] * standard(sweep.value[goal + i])).real();
    assign(above[goal + i], plan.coefficient[i]);
  }
  require_finished(run_adjoint(sweep, weight, above, mass));
  return value;
}

template <class Ops>
std::vector<std::complex<double>> sliced_goal(const Forest& forest, const CountTable& counts,
                                              const SlicedPlan& plan, const Workspace& work,
                                              const StopFlag& stop) {
  const Layout layout(forest, counts, false, plan.rate.size());
  const auto weight = tilted_weight<typename Ops::Value>(forest, counts, plan, work.p.data());
  CellSweep<Ops> sweep(forest, layout, stop);
  require_finished(run_forward(sweep, weight));
  std::vector<std::complex<double>> out;
  for (std::size_t i = layout[forest.goal()].offset; i < layout.size; ++i)
    out.push_back(standard(sweep.value[i]));
  return out;
}

}  // namespace

CellCosts cell_costs(const Forest& forest, const CountTable& counts) {
  const Layout split(forest, counts, true, 1), sliced(forest, counts, false, 1);
  CellCosts out{0, 0, split.size, sliced.size};
  for (Index v = 0; v < forest.nodes(); ++v)
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e) {
      const Grid &l = split[forest.left[e]], &r = split[forest.right[e]];
      const double columns = static_cast<double>(l.columns) * r.columns;
      out.sliced_per_term += columns;
      out.split += columns * l.rows * r.rows;
    }
  return out;
}

double add_split_masses(const Forest& forest, const CountTable& counts, const SplitPlan& plan,
                        const Workspace& work, const StopFlag& stop, double* mass) {
  const FlushDenormals flush;
  const Layout layout(forest, counts, true, 1);
  const std::size_t goal = layout[forest.goal()].offset;
  if (plan.g.size() != layout.size - goal)
    throw std::invalid_argument("g does not have one entry for each cell of the goal");
  CellSweep<RealOps> sweep(forest, layout, stop);
  const PlainWeight weight{work.p.data()};
  require_finished(run_forward(sweep, weight));
  std::vector<double> above(layout.size, 0.0);
  double value = 0;
  for (std::size_t i = 0; i < plan.g.size(); ++i) {
    value += plan.g[i] * sweep.value[goal + i];
    above[goal + i] = plan.g[i];
  }
  require_finished(run_adjoint(sweep, weight, above, mass));
  return value;
}

double add_sliced_masses(const Forest& forest, const CountTable& counts, const SlicedPlan& plan,
                         const Workspace& work, const StopFlag& stop, double* mass) {
  const FlushDenormals flush;
  const auto columns = static_cast<std::size_t>(counts.goal_range().columns());
  if (plan.coefficient.size() != columns * plan.rate.size())
    throw std::invalid_argument("the plan does not have one coefficient for each d and term");
  return plan.complex ? sliced_masses<ComplexOps>(forest, counts, plan, work, stop, mass)
                      : sliced_masses<RealOps>(forest, counts, plan, work, stop, mass);
}

std::vector<double> split_law(const Forest& forest, const CountTable& counts, const Workspace& work,
                              const StopFlag& stop) {
  const FlushDenormals flush;
  const Layout layout(forest, counts, true, 1);
  CellSweep<RealOps> sweep(forest, layout, stop);
  const PlainWeight weight{work.p.data()};
  require_finished(run_forward(sweep, weight));
  const auto goal = static_cast<std::ptrdiff_t>(layout[forest.goal()].offset);
  return {sweep.value.begin() + goal, sweep.value.end()};
}

std::vector<std::complex<double>> sliced_values(const Forest& forest, const CountTable& counts,
                                                const SlicedPlan& plan, const Workspace& work,
                                                const StopFlag& stop) {
  const FlushDenormals flush;
  return plan.complex ? sliced_goal<ComplexOps>(forest, counts, plan, work, stop)
                      : sliced_goal<RealOps>(forest, counts, plan, work, stop);
}

}  // namespace treewright::counts
