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

// The adjoint of one edge: u = alpha * p * tilt, and each tail gets u times the other tail's phi.
// Returns the edge's mass. The tails may be the same node, so one is updated after the other.
template <int kRegisters>
TREEWRIGHT_INLINE double push_down(const RealTerms<kRegisters>& alpha, double p,
                                   const RealTerms<kRegisters>& tilt,
                                   const RealTerms<kRegisters>& left,
                                   const RealTerms<kRegisters>& right,
                                   RealTerms<kRegisters>& alpha_left,
                                   RealTerms<kRegisters>& alpha_right) {
  Vector sum{};
  for (int i = 0; i < kRegisters; ++i) {
    const Vector u = alpha.x[i] * (p * tilt.x[i]);
    const Vector to_left = u * right.x[i], to_right = u * left.x[i];
    sum += to_left * left.x[i];
    alpha_left.x[i] += to_left;
    alpha_right.x[i] += to_right;
  }
  return total(sum);
}

// Eight complex terms, real and imaginary parts apart: two cache lines a node.
struct alignas(64) ComplexTerms {
  static constexpr int kRegisters = 2, kWidth = kRegisters * kPerRegister;
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
  TREEWRIGHT_INLINE void add_product(double p, const ComplexTerms& tilt, const ComplexTerms& left,
                                     const ComplexTerms& right) {
    for (int i = 0; i < kRegisters; ++i) {
      const Vector br = left.re[i] * right.re[i] - left.im[i] * right.im[i];
      const Vector bi = left.re[i] * right.im[i] + left.im[i] * right.re[i];
      const Vector ar = p * tilt.re[i], ai = p * tilt.im[i];
      re[i] += ar * br - ai * bi;
      im[i] += ar * bi + ai * br;
    }
  }
};

TREEWRIGHT_INLINE double push_down(const ComplexTerms& alpha, double p, const ComplexTerms& tilt,
                                   const ComplexTerms& left, const ComplexTerms& right,
                                   ComplexTerms& alpha_left, ComplexTerms& alpha_right) {
  Vector sum{};
  for (int i = 0; i < ComplexTerms::kRegisters; ++i) {
    const Vector lr = left.re[i], li = left.im[i], rr = right.re[i], ri = right.im[i];
    const Vector tr = p * tilt.re[i], ti = p * tilt.im[i];
    const Vector ur = alpha.re[i] * tr - alpha.im[i] * ti;
    const Vector ui = alpha.re[i] * ti + alpha.im[i] * tr;
    const Vector to_left_re = ur * rr - ui * ri, to_left_im = ur * ri + ui * rr;
    sum += to_left_re * lr - to_left_im * li;
    alpha_left.re[i] += to_left_re;
    alpha_left.im[i] += to_left_im;
    alpha_right.re[i] += ur * lr - ui * li;
    alpha_right.im[i] += ur * li + ui * lr;
  }
  return total(sum);
}

template <class Terms>
struct Sweep {
  EdgeView f;
  const std::uint16_t* kind;  // [parts]
  const Terms* tilt;          // one per distinct (n, d)
  Terms* phi;                 // [-1..nodes)
  Terms* alpha;               // [-1..nodes)

  TREEWRIGHT_INLINE void forward() const {
    phi[kNoTail].fill(1);
    for (Index v = 0; v < f.nodes; ++v) {
      Terms sum;
      sum.fill(0);
      for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e)
        sum.add_product(f.p[e], tilt[kind[f.part[e]]], phi[f.left[e]], phi[f.right[e]]);
      phi[v] = sum;
    }
  }

  TREEWRIGHT_INLINE void adjoint(double* mass) const {
    for (Index v = f.goal(); v >= 0; --v) {
      const Terms above = alpha[v];
      for (Index e = f.first_edge[v]; e < f.first_edge[v + 1]; ++e) {
        const Index l = f.left[e], r = f.right[e], part = f.part[e];
        mass[part] +=
            push_down(above, f.p[e], tilt[kind[part]], phi[l], phi[r], alpha[l], alpha[r]);
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

// Calls visit(group) for groups of as few terms as will do: 16 of them while there are more.
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
    else if (terms - first <= 4)
      first = run(first, static_cast<RealTerms<1>*>(nullptr));
    else if (terms - first <= 8)
      first = run(first, static_cast<RealTerms<2>*>(nullptr));
    else if (terms - first <= 12)
      first = run(first, static_cast<RealTerms<3>*>(nullptr));
    else
      first = run(first, static_cast<RealTerms<4>*>(nullptr));
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
