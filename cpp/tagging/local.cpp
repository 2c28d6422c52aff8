#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tagging/tagger.hpp"

namespace treewright::tagging {
namespace {

constexpr Index kLongRow = 32;
constexpr double kNoStep = 1e-4;  // smaller gradients are not worth a step

}  // namespace

LocalObjective::LocalObjective(std::vector<Index> rows, Index templates,
                               std::vector<Index> row_first, std::vector<Index> row_tag, Index tags,
                               const TagSets& sets, std::vector<Index> set, std::vector<Index> gold)
    : rows_(std::move(rows)),
      templates_(templates),
      row_first_(std::move(row_first)),
      row_tag_(std::move(row_tag)),
      tags_(tags),
      sets_(sets),
      set_(std::move(set)),
      gold_(std::move(gold)) {
  if (tags < 1 || tags >= kMaxTags)
    throw std::invalid_argument("local objective: no tags, or too many");
  if (templates <= 0 || rows_.size() != set_.size() * static_cast<std::size_t>(templates) ||
      gold_.size() != set_.size())
    throw std::invalid_argument("local objective: the positions' arrays differ in length");
  if (row_first_.empty() || row_first_.front() != 0 ||
      static_cast<std::size_t>(row_first_.back()) != row_tag_.size() ||
      !std::is_sorted(row_first_.begin(), row_first_.end()))
    throw std::invalid_argument("local objective: rows must run from 0 to the number of entries");
  for (const Index r : rows_)
    if (r < -1 || r >= static_cast<Index>(row_first_.size()) - 1)
      throw std::invalid_argument("local objective: no such row");
  for (const Index t : row_tag_)
    if (t < 0 || t >= tags_) throw std::invalid_argument("local objective: no such tag");
  for (const Index s : set_)
    if (s < 0 || s >= sets_.size()) throw std::invalid_argument("local objective: no such set");
  for (const Index g : gold_)
    if (g < -1 || g >= tags_) throw std::invalid_argument("local objective: gold");
  for (std::size_t i = 0; i < gold_.size(); ++i) {
    const auto first = sets_.tag.begin();
    const auto s = at(set_[i]);
    if (gold_[i] >= 0 && std::find(first + sets_.first[s], first + sets_.first[s + 1], gold_[i]) ==
                             first + sets_.first[s + 1])
      throw std::invalid_argument("local objective: a gold tag is not in its set");
  }
  index_rows();
}

// Long rows get a table from tags to entries, so that small sets need not walk them.
void LocalObjective::index_rows() {
  uses_.assign(row_first_.size() - 1, 0.0);
  for (const Index r : rows_)
    if (r >= 0) uses_[at(r)] += 1.0;
  dense_.assign(row_first_.size() - 1, -1);
  for (std::size_t r = 0; r + 1 < row_first_.size(); ++r) {
    if (row_first_[r + 1] - row_first_[r] < kLongRow) continue;
    dense_[r] = static_cast<Index>(entry_of_.size() / at(tags_));
    entry_of_.resize(entry_of_.size() + at(tags_), -1);
    Index* table = &entry_of_[entry_of_.size() - at(tags_)];
    for (Index e = row_first_[r]; e < row_first_[r + 1]; ++e) table[row_tag_[at(e)]] = e;
  }
}

// Calls work(entry, tag, row) for the entries of the rows that the set's tags use, perhaps more.
template <class Work>
void LocalObjective::for_entries(const Index* rows, Index set, Work work) const {
  const Index *first = &sets_.tag[at(sets_.first[at(set)])],
              *last = &sets_.tag[0] + sets_.first[at(set) + 1];
  for (Index k = 0; k < templates_; ++k) {
    if (rows[k] < 0) continue;
    const auto r = at(rows[k]);
    if (dense_[r] >= 0 && 2 * (last - first) < row_first_[r + 1] - row_first_[r]) {
      const Index* table = &entry_of_[at(dense_[r]) * at(tags_)];
      for (const Index* t = first; t < last; ++t)
        if (const Index e = table[*t]; e >= 0) work(e, at(*t), r);
    } else {
      for (Index e = row_first_[r]; e < row_first_[r + 1]; ++e) work(e, at(row_tag_[at(e)]), r);
    }
  }
}

double LocalObjective::evaluate(const double* weight, double* gradient, Index begin,
                                Index end) const {
  std::vector<double> score(at(tags_)), part(score.size()), candidate;
  double value = 0;
  for (Index i = begin; i < end; ++i) {
    const Index gold = gold_[at(i)], set = set_[at(i)];
    if (gold < 0) continue;
    const Index* rows = &rows_[at(i) * at(templates_)];
    std::fill(score.begin(), score.end(), 0.0);
    for_entries(rows, set, [&](Index e, std::size_t t, std::size_t) { score[t] += weight[e]; });
    value += local_probabilities(set, gold, score, candidate);
    std::fill(part.begin(), part.end(), 0.0);
    const Index* tag = &sets_.tag[at(sets_.first[at(set)])];
    for (std::size_t k = 0; k < candidate.size(); ++k) part[at(tag[k])] = candidate[k];
    part[at(gold)] -= 1.0;
    for_entries(rows, set, [&](Index e, std::size_t t, std::size_t) { gradient[e] += part[t]; });
  }
  return value;
}

// w(e) -= rate g(e) / sqrt(G(e)), G(e) the sum of squared gradients so far (AdaGrad), one position
// after the other. A feature's prior is shared out among the positions that have it. Features are
// left out at random, and the others count for them.
double LocalObjective::pass(std::span<const Index> order, Online how, double* weight,
                            double* square) const {
  const double rate = how.rate, precision = how.precision, dropout = how.dropout;
  std::uint64_t seed = how.seed;
  std::vector<double> score(at(tags_)), part(score.size()), candidate;
  std::vector<Index> rows(at(templates_));
  const auto limit = static_cast<std::uint64_t>(std::ldexp(dropout, 32));
  const double scale = 1.0 / (1.0 - dropout);
  double value = 0;
  for (const Index i : order) {
    const Index gold = gold_[at(i)], set = set_[at(i)];
    if (gold < 0) continue;
    for (Index t = 0; t < templates_; ++t)
      rows[at(t)] = (next_random(seed) >> 32) < limit ? -1 : rows_[at(i) * at(templates_) + at(t)];
    std::fill(score.begin(), score.end(), 0.0);
    for_entries(rows.data(), set,
                [&](Index e, std::size_t t, std::size_t) { score[t] += scale * weight[e]; });
    value += local_probabilities(set, gold, score, candidate);
    std::fill(part.begin(), part.end(), 0.0);
    const Index* tag = &sets_.tag[at(sets_.first[at(set)])];
    for (std::size_t k = 0; k < candidate.size(); ++k) part[at(tag[k])] = scale * candidate[k];
    part[at(gold)] -= scale;
    for_entries(rows.data(), set, [&](Index e, std::size_t t, std::size_t r) {
      const double g = part[t] + precision * weight[e] / uses_[r];
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
    const double s = score[at(sets_.tag[at(x)])];
    out.push_back(s);
    best = std::max(best, s);
    if (sets_.tag[at(x)] == gold) gold_score = s;
  }
  double z = 0;
  for (double& c : out) z += c = std::exp(c - best);
  for (double& c : out) c /= z;
  return best + std::log(z) - gold_score;
}

}  // namespace treewright::tagging
