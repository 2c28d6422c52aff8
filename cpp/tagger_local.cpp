#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tagger.hpp"

namespace treewright {
namespace {

constexpr Index kLongRow = 32;
constexpr double kNoStep = 1e-4;  // smaller gradients are not worth a step
std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

LocalObjective::LocalObjective(std::vector<Index> rows, Index templates,
                               std::vector<Index> row_first, std::vector<Index> row_output,
                               const TagOutputs& outputs, const TagSets& sets,
                               std::vector<Index> set, std::vector<Index> gold)
    : rows_(std::move(rows)),
      templates_(templates),
      row_first_(std::move(row_first)),
      row_output_(std::move(row_output)),
      outputs_(outputs),
      sets_(sets),
      set_(std::move(set)),
      gold_(std::move(gold)) {
  if (templates <= 0 || rows_.size() != set_.size() * static_cast<std::size_t>(templates) ||
      gold_.size() != set_.size())
    throw std::invalid_argument("local objective: the positions' arrays differ in length");
  if (row_first_.empty() || row_first_.front() != 0 ||
      static_cast<std::size_t>(row_first_.back()) != row_output_.size() ||
      !std::is_sorted(row_first_.begin(), row_first_.end()))
    throw std::invalid_argument("local objective: rows must run from 0 to the number of entries");
  for (const Index r : rows_)
    if (r < -1 || r + 1 >= static_cast<Index>(row_first_.size()))
      throw std::invalid_argument("local objective: no such row");
  for (const Index o : row_output_)
    if (o < 0 || o >= outputs_.outputs) throw std::invalid_argument("local objective: output");
  for (const Index s : set_)
    if (s < 0 || s >= sets_.size()) throw std::invalid_argument("local objective: no such set");
  for (const Index g : gold_)
    if (g < -1 || g >= outputs_.tags()) throw std::invalid_argument("local objective: gold");
  for (std::size_t i = 0; i < gold_.size(); ++i) {
    const auto first = sets_.tag.begin();
    const auto s = at(set_[i]);
    if (gold_[i] >= 0 && std::find(first + sets_.first[s], first + sets_.first[s + 1], gold_[i]) ==
                             first + sets_.first[s + 1])
      throw std::invalid_argument("local objective: a gold tag is not in its set");
  }
  index_rows();
  collect_set_outputs();
}

// Long rows get a table from outputs to entries, so that small sets need not walk them.
void LocalObjective::index_rows() {
  dense_.assign(row_first_.size() - 1, -1);
  for (std::size_t r = 0; r + 1 < row_first_.size(); ++r) {
    if (row_first_[r + 1] - row_first_[r] < kLongRow) continue;
    dense_[r] = static_cast<Index>(entry_of_.size() / at(outputs_.outputs));
    entry_of_.resize(entry_of_.size() + at(outputs_.outputs), -1);
    Index* table = &entry_of_[entry_of_.size() - at(outputs_.outputs)];
    for (Index e = row_first_[r]; e < row_first_[r + 1]; ++e) table[row_output_[at(e)]] = e;
  }
}

void LocalObjective::collect_set_outputs() {
  std::vector<Index> found;
  set_first_.push_back(0);
  for (Index s = 0; s < sets_.size(); ++s) {
    found.clear();
    for (Index x = sets_.first[at(s)]; x < sets_.first[at(s) + 1]; ++x) {
      const Index t = sets_.tag[at(x)];
      found.insert(found.end(), &outputs_.output[at(outputs_.first[at(t)])],
                   &outputs_.output[0] + outputs_.first[at(t) + 1]);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    set_output_.insert(set_output_.end(), found.begin(), found.end());
    set_first_.push_back(static_cast<Index>(set_output_.size()));
  }
}

// Calls work(entry, output) for the entries of the rows that the set's tags use, perhaps more.
template <class Work>
void LocalObjective::for_entries(const Index* rows, Index set, Work work) const {
  const Index *first = &set_output_[at(set_first_[at(set)])],
              *last = &set_output_[0] + set_first_[at(set) + 1];
  for (Index t = 0; t < templates_; ++t) {
    if (rows[t] < 0) continue;
    const auto r = at(rows[t]);
    if (dense_[r] >= 0 && 2 * (last - first) < row_first_[r + 1] - row_first_[r]) {
      const Index* table = &entry_of_[at(dense_[r]) * at(outputs_.outputs)];
      for (const Index* o = first; o < last; ++o)
        if (const Index e = table[*o]; e >= 0) work(e, at(*o));
    } else {
      for (Index e = row_first_[r]; e < row_first_[r + 1]; ++e) work(e, at(row_output_[at(e)]));
    }
  }
}

template <class Work>
void LocalObjective::for_outputs(Index tag, Work work) const {
  for (Index x = outputs_.first[at(tag)]; x < outputs_.first[at(tag) + 1]; ++x)
    work(at(outputs_.output[at(x)]));
}

double LocalObjective::evaluate(const double* weight, double* gradient, Index begin,
                                Index end) const {
  std::vector<double> score(at(outputs_.outputs)), part(score.size()), candidate;
  double value = 0;
  for (Index i = begin; i < end; ++i) {
    const Index gold = gold_[at(i)], set = set_[at(i)];
    if (gold < 0) continue;
    const Index* rows = &rows_[at(i) * at(templates_)];
    std::fill(score.begin(), score.end(), 0.0);
    for_entries(rows, set, [&](Index e, std::size_t o) { score[o] += weight[e]; });
    value += local_probabilities(set, gold, score, candidate);
    std::fill(part.begin(), part.end(), 0.0);
    const Index* tag = &sets_.tag[at(sets_.first[at(set)])];
    for (std::size_t k = 0; k < candidate.size(); ++k)
      for_outputs(tag[k], [&](std::size_t o) { part[o] += candidate[k]; });
    for_outputs(gold, [&](std::size_t o) { part[o] -= 1.0; });
    for_entries(rows, set, [&](Index e, std::size_t o) { gradient[e] += part[o]; });
  }
  return value;
}

// w(e) -= rate g(e) / sqrt(G(e)), G(e) the sum of squared gradients so far (AdaGrad), one position
// after the other.
double LocalObjective::pass(std::span<const Index> order, double rate, double* weight,
                            double* square) const {
  std::vector<double> score(at(outputs_.outputs)), part(score.size()), candidate;
  double value = 0;
  for (const Index i : order) {
    const Index gold = gold_[at(i)], set = set_[at(i)];
    if (gold < 0) continue;
    const Index* rows = &rows_[at(i) * at(templates_)];
    std::fill(score.begin(), score.end(), 0.0);
    for_entries(rows, set, [&](Index e, std::size_t o) { score[o] += weight[e]; });
    value += local_probabilities(set, gold, score, candidate);
    std::fill(part.begin(), part.end(), 0.0);
    const Index* tag = &sets_.tag[at(sets_.first[at(set)])];
    for (std::size_t k = 0; k < candidate.size(); ++k)
      for_outputs(tag[k], [&](std::size_t o) { part[o] += candidate[k]; });
    for_outputs(gold, [&](std::size_t o) { part[o] -= 1.0; });
    for_entries(rows, set, [&](Index e, std::size_t o) {
      const double g = part[o];
      if (std::abs(g) < kNoStep) return;
      square[e] += g * g;
      weight[e] -= rate * g / std::sqrt(square[e]);
    });
  }
  return value;
}

// p(t) = exp s(t) / Σ exp s; returns log Σ exp s - s(gold).
double LocalObjective::local_probabilities(Index set, Index gold, const std::vector<double>& score,
                                           std::vector<double>& out) const {
  out.clear();
  double best = -HUGE_VAL, gold_score = -HUGE_VAL;
  for (Index x = sets_.first[at(set)]; x < sets_.first[at(set) + 1]; ++x) {
    double sum = 0;
    for_outputs(sets_.tag[at(x)], [&](std::size_t o) { sum += score[o]; });
    out.push_back(sum);
    best = std::max(best, sum);
    if (sets_.tag[at(x)] == gold) gold_score = sum;
  }
  double z = 0;
  for (double& c : out) z += c = std::exp(c - best);
  for (double& c : out) c /= z;
  return best + std::log(z) - gold_score;
}

}  // namespace treewright
