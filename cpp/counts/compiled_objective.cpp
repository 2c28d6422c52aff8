#include "counts/compiled_objective.hpp"

#include <cmath>
#include <optional>
#include <stdexcept>
#include <type_traits>

namespace treewright::counts {
namespace {

const CountTable& needed(const CountTable* counts) {
  if (counts == nullptr) throw std::invalid_argument("this loss needs counts on the parts");
  return *counts;
}

void add_edges(const Forest& forest, const std::vector<Index>& edges, double weight, double* to) {
  for (const Index e : edges) to[forest.part[e]] += weight;
}

// score + cost, or the scores themselves where there is no cost.
const double* costed(const CompiledObjective& objective, const double* score, Workspace& work) {
  if (objective.cost.empty()) return score;
  work.scores.resize(objective.cost.size());
  for (std::size_t i = 0; i < objective.cost.size(); ++i)
    work.scores[i] = score[i] + objective.cost[i];
  return work.scores.data();
}

double require_mass(double log_z, const char* what) {
  if (log_z == Log::zero()) throw std::invalid_argument(what);
  return log_z;
}

double log_sum(const Forest& forest, const CountTable* counts, const CompiledObjective& objective,
               const double* score, Workspace& work, const StopFlag& stop, double* gradient) {
  if (const auto* plan = std::get_if<TiltedOrExact>(&objective.plan)) {
    const auto found = tilted_log_sum(forest, needed(counts), plan->tilted, score, work, gradient);
    if (found) return *found;
  }
  const double log_z =
      require_mass(local_probabilities(forest, costed(objective, score, work), work),
                   "no derivation has weight");
  if (std::holds_alternative<std::monostate>(objective.plan)) {
    add_marginals(forest, work, 1.0, gradient);
    return log_z;
  }
  work.masses.assign(static_cast<std::size_t>(forest.parts()), 0.0);
  const double value = add_masses(forest, counts, objective, work, stop, work.masses.data());
  if (!(value > 0)) throw std::invalid_argument("the expected weight is not positive");
  for (std::size_t i = 0; i < work.masses.size(); ++i) gradient[i] += work.masses[i] / value;
  return log_z + std::log(value);
}

// E[g] as the quotient of two sums, if the plan is a tilted one that is certified; its gradient is
// E[g] times the difference of their marginals.
std::optional<double> tilted_mean(const Forest& forest, const CountTable* counts,
                                  const CompiledObjective& objective, const double* score,
                                  Workspace& work, double* gradient) {
  const auto* plan = std::get_if<TiltedOrExact>(&objective.plan);
  if (plan == nullptr) return std::nullopt;
  std::vector<double> tilted(static_cast<std::size_t>(forest.parts()), 0.0);
  const auto log_sum =
      tilted_log_sum(forest, needed(counts), plan->tilted, score, work, tilted.data());
  if (!log_sum) return std::nullopt;
  const double value = std::exp(*log_sum - local_probabilities(forest, score, work));
  for (std::size_t i = 0; i < tilted.size(); ++i) gradient[i] += value * tilted[i];
  add_marginals(forest, work, -value, gradient);
  return value;
}

// E[loss]; its gradient is E[loss * uses] - E[loss] * E[uses].
double risk(const Forest& forest, const CountTable* counts, const CompiledObjective& objective,
            const double* score, Workspace& work, const StopFlag& stop, double* gradient) {
  if (const auto mean = tilted_mean(forest, counts, objective, score, work, gradient)) return *mean;
  require_mass(local_probabilities(forest, score, work), "no derivation has weight");
  double value = 0;
  if (!objective.cost.empty())
    value += add_cost_moments(forest, work, objective.cost.data(), gradient);
  if (!std::holds_alternative<std::monostate>(objective.plan))
    value += add_masses(forest, counts, objective, work, stop, gradient);
  add_marginals(forest, work, -value, gradient);
  return value;
}

// The best derivation under score and loss, with the value that it is best for.
Derivation best(const Forest& forest, const CountTable* counts, const CompiledObjective& objective,
                const double* score, double gold_score, const StopFlag& stop) {
  if (const auto* margin = std::get_if<MarginPlan>(&objective.plan))
    return sliced_viterbi(forest, needed(counts), score, margin->offset, margin->slope, stop);
  const auto* plan = std::get_if<CellPlan>(&objective.plan);
  if (plan == nullptr) return viterbi(forest, score);
  double top = Max::zero();
  const auto choose = [&](const std::vector<double>& cells) {
    if (cells.size() != plan->loss.size())
      throw std::invalid_argument("the loss does not have one entry for each cell of the goal");
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i] == Max::zero()) continue;
      const double value =
          plan->slack ? plan->loss[i] * (1.0 + cells[i] - gold_score) : plan->loss[i] + cells[i];
      if (value > top) {
        top = value;
        chosen = i;
      }
    }
    return chosen;
  };
  Derivation out = split_viterbi(forest, needed(counts), score, choose, stop);
  out.score = top;
  return out;
}

// Where slack rescaling multiplies the gradient: the loss of a derivation.
double loss_of(const CellPlan& plan, const Forest& forest, const CountTable& counts,
               const std::vector<Index>& edges) {
  std::int32_t n = 0, d = 0;
  for (const Index e : edges) n += counts.n[forest.part[e]], d += counts.d[forest.part[e]];
  const auto& range = counts.goal_range();
  return plan.loss[static_cast<std::size_t>((n - range.n_low) * range.columns() + d - range.d_low)];
}

// The hinge: 0 where nothing beats the gold derivation.
double max_side(const Forest& forest, const Forest& gold, const CountTable* counts,
                const CompiledObjective& objective, const double* score, Workspace& work,
                const StopFlag& stop, double* gradient) {
  const Derivation right = viterbi(gold, score);
  require_mass(right.score, "no gold derivation has weight");
  const Derivation wrong =
      best(forest, counts, objective, costed(objective, score, work), right.score, stop);
  require_mass(wrong.score, "no derivation has weight");
  const auto* plan = std::get_if<CellPlan>(&objective.plan);
  const bool slack = plan != nullptr && plan->slack;
  const double value = slack ? wrong.score : wrong.score + objective.constant - right.score;
  // At a tie the perceptron moves, or it would never leave zero; a hinge has its loss for that.
  const bool plain =
      objective.cost.empty() && std::holds_alternative<std::monostate>(objective.plan);
  if (value < 0 || (value == 0 && !plain)) return 0;
  const double weight = slack ? loss_of(*plan, forest, *counts, wrong.edges) : 1.0;
  add_edges(forest, wrong.edges, weight, gradient);
  add_edges(gold, right.edges, -weight, gradient);
  return value;
}

}  // namespace

double add_masses(const Forest& forest, const CountTable* counts,
                  const CompiledObjective& objective, Workspace& work, const StopFlag& stop,
                  double* mass) {
  const auto add = [&]<class Plan>(const Plan& plan) -> double {
    if constexpr (std::is_same_v<Plan, TermPlan>)
      return add_term_masses(all_edges(forest, work), needed(counts), plan, work, mass);
    else if constexpr (std::is_same_v<Plan, SplitPlan>)
      return add_split_masses(forest, needed(counts), plan, work, stop, mass);
    else if constexpr (std::is_same_v<Plan, SlicedPlan>)
      return add_sliced_masses(forest, needed(counts), plan, work, stop, mass);
    else
      throw std::invalid_argument("the plan is not an expectation");
  };
  if (const auto* either = std::get_if<TiltedOrExact>(&objective.plan))
    return std::visit(add, either->exact);
  return std::visit(add, objective.plan);
}

double evaluate(const Forest& forest, const Forest* gold, const CountTable* counts,
                const CompiledObjective& objective, const double* score, Workspace& work,
                const StopFlag& stop, double* gradient) {
  if (!objective.cost.empty() && objective.cost.size() != static_cast<std::size_t>(forest.parts()))
    throw std::invalid_argument("the loss does not have one cost for each part");
  if (objective.side == Side::kRisk)
    return objective.constant + risk(forest, counts, objective, score, work, stop, gradient);
  if (gold == nullptr) throw std::invalid_argument("this objective needs gold derivations");
  if (gold->parts() != forest.parts())
    throw std::invalid_argument("the gold forest has other parts than the forest");
  if (objective.side == Side::kMax)
    return max_side(forest, *gold, counts, objective, score, work, stop, gradient);
  const double all =
      objective.constant + log_sum(forest, counts, objective, score, work, stop, gradient);
  const double right =
      require_mass(local_probabilities(*gold, score, work), "no gold derivation has weight");
  add_marginals(*gold, work, -1.0, gradient);
  return all - right;
}

}  // namespace treewright::counts
