#include "core/factors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

namespace treewright {
namespace {

// Marginals below this have lost digits or all of themselves to underflow.
constexpr double kTiny = 1e-290;

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

}  // namespace

ForestFactor::ForestFactor(const Forest& forest, std::span<const Index> part,
                           std::span<const Index> value, std::span<const Index> first,
                           std::optional<std::int64_t> most_work)
    : forest_(forest),
      first_(first.begin(), first.end()),
      tied_(part.begin(), part.end()),
      value_(value.begin(), value.end()),
      base_(static_cast<std::size_t>(forest.parts()), 0.0),
      warm_(forest, most_work) {
  const bool rising =
      std::adjacent_find(first.begin(), first.end(), std::greater_equal<>{}) == first.end();
  if (first.empty() || first.front() != 0 || !rising)
    fail("the variables' first values must rise from 0");
  if (part.size() != value.size()) fail("parts and values differ in length");
  lowered_.assign(static_cast<std::size_t>(values()), 0.0);
  for (std::size_t i = 0; i < tied_.size(); ++i) tie(tied_[i], value_[i]);
}

void ForestFactor::tie(Index part, Index value) {
  const auto which = [part] { return "part " + std::to_string(part); };
  if (part < 0 || part >= forest_.parts()) fail(which() + " is not a part of the forest");
  if (value < 0 || value >= values())
    fail(which() + " is tied to value " + std::to_string(value) + ", but there are " +
         std::to_string(values()));
  if (value_of(part) >= 0) fail(which() + " is tied twice");
  if (part >= static_cast<Index>(value_of_part_.size()))
    value_of_part_.resize(static_cast<std::size_t>(part) + 1, -1);
  value_of_part_[part] = value;
}

const std::vector<std::uint8_t>& ForestFactor::alive() {
  if (alive_.empty()) {
    alive_.assign(lowered_.size(), 0);
    NodeValues<std::uint8_t> used(forest_.nodes(), 0);
    used[forest_.goal()] = 1;
    for (Index v = forest_.goal(); v >= 0; --v) {
      if (!used[v]) continue;
      for (Index e = forest_.first_edge[v]; e < forest_.first_edge[v + 1]; ++e) {
        used[forest_.left[e]] = used[forest_.right[e]] = 1;
        if (const Index c = value_of(forest_.part[e]); c >= 0) alive_[c] = 1;
      }
    }
  }
  return alive_;
}

void ForestFactor::rescore(std::span<const double> score) {
  base_.assign(score.begin(), score.end());
  started_ = false;
}

void ForestFactor::add_messages(const double* message, std::vector<double>& out) const {
  out = base_;
  for (std::size_t i = 0; i < tied_.size(); ++i) out[tied_[i]] += message[value_[i]];
}

// P(value) = sum of the marginals of its parts.
double ForestFactor::log_marginals(const double* message, double* out) {
  add_messages(message, work_.scores);
  const double log_z = local_probabilities(forest_, work_.scores.data(), work_);
  work_.masses.assign(base_.size(), 0.0);
  std::fill(out, out + values(), 0.0);
  if (log_z != Log::zero()) {
    add_marginals(forest_, work_, 1.0, work_.masses.data());
    for (std::size_t i = 0; i < tied_.size(); ++i) out[value_[i]] += work_.masses[tied_[i]];
    if (has_lost_values(message, out)) {
      exact_log_marginals(message, log_z, out);
      return log_z;
    }
  }
  for (Index c = 0; c < values(); ++c) out[c] = std::log(out[c]);
  return log_z;
}

// m(c) = log P(c) - in(c), less the log of their summed weights over the variable.
double ForestFactor::message(const double* incoming, double* out) {
  const double log_z = log_marginals(incoming, out);
  for (Index c = 0; c < values(); ++c)
    if (incoming[c] != Log::zero()) out[c] -= incoming[c];
  for (std::size_t v = 0; v + 1 < first_.size(); ++v) {
    double *begin = out + first_[v], *end = out + first_[v + 1], sum = 0.0;
    const double top = *std::max_element(begin, end);
    if (top == Log::zero()) return Log::zero();
    for (const double* m = begin; m != end; ++m) sum += std::exp(*m - top);
    const double normaliser = top + std::log(sum);
    for (double* m = begin; m != end; ++m) *m -= normaliser;
  }
  return log_z;
}

bool ForestFactor::has_lost_values(const double* message, const double* mass) {
  for (Index c = 0; c < values(); ++c)
    if (mass[c] < kTiny && message[c] != Log::zero() && alive()[c]) return true;
  return false;
}

// log P(value) = log sum over the edges e of its parts of O(head) w(e) I(l) I(r), less log Z.
void ForestFactor::exact_log_marginals(const double* message, double log_z, double* out) {
  const Log log;
  const double* score = work_.scores.data();
  const auto in = inside(forest_, score, log);
  const auto above = outside(forest_, score, log, in);
  std::fill(out, out + values(), Log::zero());
  for (Index v = 0; v < forest_.nodes(); ++v) {
    if (above[v] == Log::zero()) continue;
    for (Index e = forest_.first_edge[v]; e < forest_.first_edge[v + 1]; ++e) {
      const Index c = value_of(forest_.part[e]);
      if (c < 0 || message[c] == Log::zero()) continue;
      const double below = in[forest_.left[e]] + in[forest_.right[e]];
      out[c] = log.plus(out[c], above[v] + score[forest_.part[e]] + below);
    }
  }
  for (Index c = 0; c < values(); ++c) out[c] -= log_z;
}

// Moves every variable's messages so that none rises; false where a forbidden value is free again.
bool ForestFactor::lower(const double* message) {
  for (std::size_t v = 0; v + 1 < first_.size(); ++v) {
    double rise = Log::zero();
    for (Index c = first_[v]; c < first_[v + 1]; ++c) {
      if (message[c] == Log::zero()) continue;
      if (lowered_[c] == Log::zero()) return false;
      rise = std::max(rise, message[c] - lowered_[c]);
    }
    if (rise == Log::zero()) rise = 0.0;  // all of them are forbidden
    for (Index c = first_[v]; c < first_[v + 1]; ++c)
      lowered_[c] = std::min(lowered_[c], message[c] - rise);
  }
  return true;
}

Derivation ForestFactor::best(const double* message) {
  const bool warm = started_ && lower(message);
  auto& score = warm_.scores();
  if (warm) {
    for (std::size_t i = 0; i < tied_.size(); ++i)
      score[tied_[i]] = std::min(score[tied_[i]], base_[tied_[i]] + lowered_[value_[i]]);
  } else {
    std::copy(message, message + values(), lowered_.begin());
    add_messages(message, score);
    started_ = true;
  }
  Derivation found = warm_.best(!warm);
  if (!found.edges.empty()) found.score = score_of(found.edges, message);
  return found;
}

// Adds in the order of a sweep, from the leaves up.
double ForestFactor::score_of(const std::vector<Index>& edges, const double* message) const {
  std::vector<double> below;
  for (auto e = edges.rbegin(); e != edges.rend(); ++e) {
    double tails = 0.0;
    for (const Index tail : {forest_.left[*e], forest_.right[*e]}) {
      if (tail == kNoTail) continue;
      tails += below.back();
      below.pop_back();
    }
    const Index part = forest_.part[*e], value = value_of(part);
    below.push_back((value < 0 ? base_[part] : base_[part] + message[value]) + tails);
  }
  return below.back();
}

Derivation ForestFactor::solve(const double* message) const {
  std::vector<double> score;
  add_messages(message, score);
  return viterbi(forest_, score.data());
}

std::vector<Index> ForestFactor::values_of(const std::vector<Index>& edges) const {
  std::vector<Index> found;
  for (const Index e : edges)
    if (const Index c = value_of(forest_.part[e]); c >= 0) found.push_back(c);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace treewright
