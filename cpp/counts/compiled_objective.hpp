// An objective on one forest, as the numbers the sweeps need: what Python's objectives compile to.
//
// Every objective is a value to minimise with its gradient over the parts' scores (docs/theory.md,
// section 6). The gold side is a forest over the same parts: one derivation, or several.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "counts/cells.hpp"
#include "counts/tilting.hpp"

namespace treewright::counts {

// max over derivations of score(D) + loss(n, d), the loss affine in n at fixed d.
struct MarginPlan {
  std::vector<double> offset, slope;  // [columns of the goal]
};

// max over derivations of score(D) + loss(n, d) for any loss, or with `slack`, of
// loss(n, d) * (1 + score(D) - score(gold)).
struct CellPlan {
  bool slack = false;
  std::vector<double> loss;  // [rows][columns] of the goal
};

// By exponential tilting, or where that is out of reach by an exact method.
struct TiltedOrExact {
  TiltedPlan tilted;
  std::variant<TermPlan, SplitPlan, SlicedPlan> exact;
};

enum class Side {
  kLogSum,  // log of the summed exp(score + loss): likelihood, softmax-margin
  kRisk,    // expected loss; has no gold side
  kMax,     // best score + loss: perceptron, hinge
};

struct CompiledObjective {
  Side side = Side::kLogSum;
  double constant = 0;       // a loss's constant part
  std::vector<double> cost;  // [parts], a loss's sum over parts; empty: none
  // A loss that is a function of (n, d); needs counts.
  std::variant<std::monostate, TermPlan, SplitPlan, SlicedPlan, TiltedOrExact, MarginPlan, CellPlan>
      plan;
};

// The value; adds the gradient to `gradient` ([parts]). `gold` may be null for kRisk; counts may be
// null if the plan is empty. Throws std::invalid_argument where a derivation is needed and none has
// weight.
double evaluate(const Forest& forest, const Forest* gold, const CountTable* counts,
                const CompiledObjective& objective, const double* score, Workspace& work,
                const StopFlag& stop, double* gradient);

// E[g] for the plans that are expectations; adds every part's mass E[g * uses], given p in `work`.
double add_masses(const Forest& forest, const CountTable* counts,
                  const CompiledObjective& objective, Workspace& work, const StopFlag& stop,
                  double* mass);

}  // namespace treewright::counts
