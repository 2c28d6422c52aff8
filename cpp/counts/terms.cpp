#include "counts/terms.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

#include "core/simd.hpp"
#include "counts/term_lanes.hpp"

namespace treewright::counts {
namespace {

constexpr int kMostRegisters = 4;  // 32 terms in one sweep

// What the edges of a node with one left tail share: alpha of the node times phi of the tail, and
// the sum over the edges of p * tilt * phi of the right tail.
template <int kRegisters>
struct RealRun {
  Vector u[kRegisters], sum[kRegisters];

  TREEWRIGHT_INLINE RealRun(const RealTerms<kRegisters>& alpha, const RealTerms<kRegisters>& left) {
    for (int i = 0; i < kRegisters; ++i) u[i] = alpha.x[i] * left.x[i], sum[i] = Vector{};
  }
  // The adjoint of an edge: its mass.
  TREEWRIGHT_INLINE double push(double p, const RealTerms<kRegisters>& tilt,
                                const RealTerms<kRegisters>& right,
                                RealTerms<kRegisters>& alpha_right) {
    Vector mass{};
    for (int i = 0; i < kRegisters; ++i) {
      const Vector x = p * tilt.x[i], down = u[i] * x;
      alpha_right.x[i] += down;
      mass += down * right.x[i];
      sum[i] += x * right.x[i];
    }
    return total(mass);
  }
  TREEWRIGHT_INLINE void finish(const RealTerms<kRegisters>& alpha,
                                RealTerms<kRegisters>& alpha_left) const {
    for (int i = 0; i < kRegisters; ++i) alpha_left.x[i] += alpha.x[i] * sum[i];
  }
};

// Eight complex terms, real and imaginary parts apart: two cache lines per node.
struct alignas(64) ComplexTerms {
  static constexpr int kRegisters = 1, kWidth = kRegisters * kPerRegister;
  Vector re[kRegisters], im[kRegisters];

  TREEWRIGHT_INLINE void fill(double value) {
    for (int i = 0; i < kRegisters; ++i) re[i] = Vector{} + value, im[i] = Vector{};
  }
  void set(int k, std::complex<double> z) {
    re[k / kPerRegister][k % kPerRegister] = z.real();
    im[k / kPerRegister][k % kPerRegister] = z.imag();
  }
  std::complex<double> get(int k) const {
    return {re[k / kPerRegister][k % kPerRegister], im[k / kPerRegister][k % kPerRegister]};
  }
  TREEWRIGHT_INLINE void add_product(const ComplexTerms& a, const ComplexTerms& b) {
    for (int i = 0; i < kRegisters; ++i) {
      re[i] += a.re[i] * b.re[i] - a.im[i] * b.im[i];
      im[i] += a.re[i] * b.im[i] + a.im[i] * b.re[i];
    }
  }
  TREEWRIGHT_INLINE void add_scaled(double p, const ComplexTerms& tilt, const ComplexTerms& x) {
    for (int i = 0; i < kRegisters; ++i) {
      const Vector ar = p * tilt.re[i], ai = p * tilt.im[i];
      re[i] += ar * x.re[i] - ai * x.im[i];
      im[i] += ar * x.im[i] + ai * x.re[i];
    }
  }
};

TREEWRIGHT_INLINE ComplexTerms operator*(const ComplexTerms& a, const ComplexTerms& b) {
  ComplexTerms out;
  for (int i = 0; i < ComplexTerms::kRegisters; ++i) {
    out.re[i] = a.re[i] * b.re[i] - a.im[i] * b.im[i];
    out.im[i] = a.re[i] * b.im[i] + a.im[i] * b.re[i];
  }
  return out;
}

struct ComplexRun {
  ComplexTerms u, sum;

  TREEWRIGHT_INLINE ComplexRun(const ComplexTerms& alpha, const ComplexTerms& left)
      : u(alpha * left) {
    sum.fill(0);
  }
  TREEWRIGHT_INLINE double push(double p, const ComplexTerms& tilt, const ComplexTerms& right,
                                ComplexTerms& alpha_right) {
    Vector mass{};
    for (int i = 0; i < ComplexTerms::kRegisters; ++i) {
      const Vector xr = p * tilt.re[i], xi = p * tilt.im[i];
      const Vector down_re = u.re[i] * xr - u.im[i] * xi, down_im = u.re[i] * xi + u.im[i] * xr;
      alpha_right.re[i] += down_re;
      alpha_right.im[i] += down_im;
      mass += down_re * right.re[i] - down_im * right.im[i];
      sum.re[i] += xr * right.re[i] - xi * right.im[i];
      sum.im[i] += xr * right.im[i] + xi * right.re[i];
    }
    return total(mass);
  }
  TREEWRIGHT_INLINE void finish(const ComplexTerms& alpha, ComplexTerms& alpha_left) const {
    const ComplexTerms down = alpha * sum;
    for (int i = 0; i < ComplexTerms::kRegisters; ++i) {
      alpha_left.re[i] += down.re[i];
      alpha_left.im[i] += down.im[i];
    }
  }
};

template <class Terms>
struct RunOf {
  using Type = ComplexRun;
};
template <int kRegisters>
struct RunOf<RealTerms<kRegisters>> {
  using Type = RealRun<kRegisters>;
};

template <class Terms>
struct Sweep {
  EdgeView f;
  const std::uint16_t* kind;  // [parts]
  const Terms* tilt;          // one per distinct (n, d)
  Terms* phi;                 // [-1..nodes)
  Terms* alpha;               // [-1..nodes)

  // Most edges have the left tail of the edge before: its phi is multiplied with their sum.
  TREEWRIGHT_INLINE void forward() const {
    phi[kNoTail].fill(1);
    for (Index v = 0; v < f.nodes; ++v) {
      Terms all;
      all.fill(0);
      const Index end = f.first_edge[v + 1];
      for (Index e = f.first_edge[v]; e < end;) {
        const Index l = f.left[e];
        Terms sum;
        sum.fill(0);
        do {
          sum.add_scaled(f.p[e], tilt[kind[f.part[e]]], phi[f.right[e]]);
        } while (++e < end && f.left[e] == l);
        all.add_product(sum, phi[l]);
      }
      phi[v] = all;
    }
  }

  // The tails may be the same node: one is updated after the other.
  TREEWRIGHT_INLINE void adjoint(double* mass) const {
    for (Index v = f.goal(); v >= 0; --v) {
      const Terms above = alpha[v];
      const Index end = f.first_edge[v + 1];
      for (Index e = f.first_edge[v]; e < end;) {
        const Index l = f.left[e];
        typename RunOf<Terms>::Type run(above, phi[l]);
        do {
          const Index r = f.right[e], part = f.part[e];
          mass[part] += run.push(f.p[e], tilt[kind[part]], phi[r], alpha[r]);
        } while (++e < end && f.left[e] == l);
        run.finish(above, alpha[l]);
      }
    }
  }
};

// The attribute needs plain functions: one pair a term type.
#define TREEWRIGHT_TERM_SWEEPS(Terms)                                                \
  TREEWRIGHT_CLONES void run_forward(const Sweep<Terms>& sweep) { sweep.forward(); } \
  TREEWRIGHT_CLONES void run_adjoint(const Sweep<Terms>& sweep, double* mass) {      \
    sweep.adjoint(mass);                                                             \
  }
TREEWRIGHT_TERM_SWEEPS(RealTerms<1>)
TREEWRIGHT_TERM_SWEEPS(RealTerms<2>)
TREEWRIGHT_TERM_SWEEPS(RealTerms<3>)
TREEWRIGHT_TERM_SWEEPS(RealTerms<4>)
TREEWRIGHT_TERM_SWEEPS(ComplexTerms)
#undef TREEWRIGHT_TERM_SWEEPS

// Terms [first, first + width) of the plan; terms past the end tilt by 1 and weigh 0.
template <class Terms>
std::vector<Terms> tilt_table(const CountTable& counts, const TermPlan& plan, std::size_t first) {
  std::vector<Terms> table(counts.pairs.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i].fill(1);
    for (std::size_t k = first; k < std::min(first + Terms::kWidth, plan.rate_n.size()); ++k)
      table[i].set(static_cast<int>(k - first),
                   std::exp(plan.rate_n[k] * static_cast<double>(counts.pairs[i].n) +
                            plan.rate_d[k] * static_cast<double>(counts.pairs[i].d)));
  }
  return table;
}

// Terms [first, first + width) of a plan, swept over some edges.
template <class Terms>
class Group {
 public:
  Group(const EdgeView& edges, const CountTable& counts, const TermPlan& plan, std::size_t first,
        HugeVector<std::byte>& memory)
      : plan_(plan),
        first_(first),
        last_(std::min(first + Terms::kWidth, plan.rate_n.size())),
        table_(tilt_table<Terms>(counts, plan, first)) {
    const auto slots = static_cast<std::size_t>(edges.nodes) + 1;
    Terms* at = aligned_terms<Terms>(memory, 2 * slots);
    sweep_ = {edges, counts.kind.data(), table_.data(), at + 1, at + slots + 1};
  }

  // phi_k(goal) of the group's terms.
  void forward(std::complex<double>* value) {
    run_forward(sweep_);
    for (std::size_t k = first_; k < last_; ++k)
      value[k] = sweep_.phi[sweep_.f.goal()].get(static_cast<int>(k - first_));
  }

  // Call forward first.
  void adjoint(double* mass) {
    std::memset(static_cast<void*>(sweep_.alpha - 1), 0,
                (static_cast<std::size_t>(sweep_.f.nodes) + 1) * sizeof(Terms));
    for (std::size_t k = first_; k < last_; ++k)
      sweep_.alpha[sweep_.f.goal()].set(static_cast<int>(k - first_), plan_.coefficient[k]);
    run_adjoint(sweep_, mass);
  }

 private:
  const TermPlan& plan_;
  std::size_t first_, last_;
  std::vector<Terms> table_;
  Sweep<Terms> sweep_;
};

template <int kRegisters = 1, class Run>
std::size_t run_real(std::size_t first, std::size_t terms, Run run) {
  if constexpr (kRegisters < kMostRegisters)
    if (terms > kRegisters * kPerRegister) return run_real<kRegisters + 1>(first, terms, run);
  return run(first, static_cast<RealTerms<kRegisters>*>(nullptr));
}

// Of so many terms, those of the first of as few groups as will do.
std::size_t even_share(std::size_t terms) {
  constexpr std::size_t most = kMostRegisters * kPerRegister;
  const std::size_t groups = (terms + most - 1) / most;
  return (terms + groups - 1) / groups;
}

// Calls visit(group) for groups of about as many terms each, 32 at most.
template <class Visit>
void for_groups(const EdgeView& edges, const CountTable& counts, const TermPlan& plan,
                HugeVector<std::byte>& memory, Visit visit) {
  const FlushDenormals flush;
  const auto run = [&]<class Terms>(std::size_t first, Terms*) {
    visit(Group<Terms>(edges, counts, plan, first, memory));
    return first + Terms::kWidth;
  };
  const std::size_t terms = plan.rate_n.size();
  for (std::size_t first = 0; first < terms;) {
    if (plan.complex)
      first = run(first, static_cast<ComplexTerms*>(nullptr));
    else
      first = run_real(first, even_share(terms - first), run);
  }
}

// Three products and a sum over the node's edges at each step; products add their factors' errors.
double longest_rounding(const Forest& forest) {
  NodeValues<double> steps(forest.nodes(), 0.0);
  for (Index v = 0; v < forest.nodes(); ++v) {
    double most = 0;
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e)
      most = std::max(most, steps[forest.left[e]] + steps[forest.right[e]]);
    steps[v] = most + 4 + (forest.first_edge[v + 1] - forest.first_edge[v]);
  }
  return steps[forest.goal()];
}

}  // namespace

CountTable::CountTable(const Forest& forest, std::span<const std::int16_t> n_,
                       std::span<const std::int16_t> d_)
    : n(n_), d(d_) {
  const auto parts = static_cast<std::size_t>(forest.parts());
  if (n.size() != parts || d.size() != parts)
    throw std::invalid_argument("counts must have one entry a part");
  std::map<std::pair<std::int16_t, std::int16_t>, std::uint16_t> number;
  kind.resize(parts);
  for (std::size_t i = 0; i < parts; ++i) {
    if (n[i] < 0 || d[i] < 0)
      throw std::invalid_argument("part " + std::to_string(i) + " has a negative count");
    const auto next = static_cast<std::uint16_t>(number.size());
    const auto [at, is_new] = number.try_emplace({n[i], d[i]}, next);
    if (is_new) pairs.push_back({n[i], d[i]});
    if (number.size() > 65535) throw std::invalid_argument("more than 65535 distinct counts");
    kind[i] = at->second;
  }
  const std::vector<Range> ranges = node_ranges(forest);
  goal_ = ranges.back();
  const auto columns = [&](Index v) { return v == kNoTail ? 1.0 : ranges[at(v)].columns(); };
  for (Index v = 0; v < forest.nodes(); ++v) column_cells_ += columns(v);
  for (Index e = 0; e < forest.edges(); ++e)
    column_pairs_ += columns(forest.left[e]) * columns(forest.right[e]);
  steps_ = longest_rounding(forest);
}

std::vector<CountTable::Range> CountTable::node_ranges(const Forest& forest) const {
  NodeValues<Range> range(forest.nodes(), {0, 0, 0, 0});
  for (Index v = 0; v < forest.nodes(); ++v) {
    constexpr std::int32_t far = 1 << 30;
    Range here{far, 0, far, 0};
    for (Index e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e) {
      const Range &l = range[forest.left[e]], &r = range[forest.right[e]];
      const std::int32_t en = n[forest.part[e]], ed = d[forest.part[e]];
      here.n_low = std::min(here.n_low, en + l.n_low + r.n_low);
      here.n_high = std::max(here.n_high, en + l.n_high + r.n_high);
      here.d_low = std::min(here.d_low, ed + l.d_low + r.d_low);
      here.d_high = std::max(here.d_high, ed + l.d_high + r.d_high);
    }
    if (here.n_high >= far || here.d_high >= far)
      throw std::invalid_argument("the counts of one derivation exceed 2^30");
    range[v] = here;
  }
  return {range.data(), range.data() + forest.nodes()};
}

std::vector<std::complex<double>> term_values(const EdgeView& edges, const CountTable& counts,
                                              const TermPlan& plan, Workspace& work) {
  std::vector<std::complex<double>> out(plan.rate_n.size());
  for_groups(edges, counts, plan, work.terms, [&](auto&& group) { group.forward(out.data()); });
  return out;
}

double add_term_masses(const EdgeView& edges, const CountTable& counts, const TermPlan& plan,
                       Workspace& work, double* mass, double* size) {
  std::vector<std::complex<double>> values(plan.rate_n.size());
  for_groups(edges, counts, plan, work.terms, [&](auto&& group) {
    group.forward(values.data());
    group.adjoint(mass);
  });
  double value = 0, total = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    value += (plan.coefficient[k] * values[k]).real();
    total += std::abs(plan.coefficient[k] * values[k]);
  }
  if (size != nullptr) *size = total;
  return value;
}

}  // namespace treewright::counts
