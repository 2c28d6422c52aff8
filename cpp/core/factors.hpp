// A forest as a factor over discrete variables (docs/integrated.md, section 1).
//
// Values of all variables are numbered consecutively. Some parts are tied to a value: a derivation
// that uses the part assigns the value. Messages are log scores of values; they are added to the
// scores of the value's parts.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/expect.hpp"
#include "core/warm_viterbi.hpp"

namespace treewright {

class ForestFactor {
 public:
  // part[i] is tied to value[i]; each part has at most one value. The values of variable v are
  // first[v] to first[v + 1] - 1. Throws std::invalid_argument.
  ForestFactor(const Forest& forest, std::span<const Index> part, std::span<const Index> value,
               std::span<const Index> first, std::optional<std::int64_t> most_work = std::nullopt);

  const Forest& forest() const { return forest_; }
  Index values() const { return first_.back(); }
  const WarmViterbi& warm() const { return warm_; }
  const std::vector<double>& scores() const { return base_; }

  // One byte per value: whether a derivation uses it.
  const std::vector<std::uint8_t>& alive();

  // Sets the scores of all parts; the next `best` starts from scratch.
  void rescore(std::span<const double> score);
  // Makes the next `best` start from scratch.
  void forget() { started_ = false; }
  // The parts' scores plus the messages to their values, [parts].
  void add_messages(const double* message, std::vector<double>& out) const;

  // log P(value) under the scores and messages, with true infinities; returns log Z. Also computes
  // part_marginals().
  double log_marginals(const double* message, double* out);
  // The message to the variables: log_marginals minus the incoming messages, normalised per
  // variable; -infinity for values that the factor or the message forbids. If a variable has no
  // value left, log Z is -infinity.
  double message(const double* incoming, double* out);
  const std::vector<double>& part_marginals() const { return work_.masses; }

  // The best derivation, warm-started from the last call. Shifting all messages of a variable by a
  // constant changes all derivations equally, so rises can be turned into falls.
  Derivation best(const double* message);
  // The best derivation, computed from scratch; the warm state is not changed.
  Derivation solve(const double* message) const;
  // The values of a derivation, in ascending order.
  std::vector<Index> values_of(const std::vector<Index>& edges) const;

 private:
  void exact_log_marginals(const double* message, double log_z, double* out);
  bool has_lost_values(const double* message, const double* mass);

  void tie(Index part, Index value);
  Index value_of(Index part) const {
    return part < static_cast<Index>(value_of_part_.size()) ? value_of_part_[part] : -1;
  }
  bool lower(const double* message);
  double score_of(const std::vector<Index>& edges, const double* message) const;

  const Forest& forest_;
  std::vector<Index> first_, tied_, value_;  // variables' first values; parts with their values
  std::vector<Index> value_of_part_;         // of parts up to the last that has one, or -1
  std::vector<std::uint8_t> alive_;          // [values], found when first asked for
  std::vector<double> base_, lowered_;       // lowered_: the messages in the warm scores, [values]
  WarmViterbi warm_;
  bool started_ = false;
  Workspace work_;
};

}  // namespace treewright
