#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tagger.hpp"

namespace treewright {

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
}

double LocalObjective::evaluate(const double* weight, double* gradient, Index begin,
                                Index end) const {
  std::vector<double> score(static_cast<std::size_t>(outputs_.outputs)), part(score.size());
  std::vector<double> candidate;
  double value = 0;
  const auto of_tag = [&](Index t, auto&& work) {
    for (Index x = outputs_.first[static_cast<std::size_t>(t)];
         x < outputs_.first[static_cast<std::size_t>(t) + 1]; ++x)
      work(static_cast<std::size_t>(outputs_.output[static_cast<std::size_t>(x)]));
  };
  for (Index i = begin; i < end; ++i) {
    if (gold_[static_cast<std::size_t>(i)] < 0) continue;
    const Index* row = &rows_[static_cast<std::size_t>(i) * static_cast<std::size_t>(templates_)];
    std::fill(score.begin(), score.end(), 0.0);
    for (Index t = 0; t < templates_; ++t) {
      if (row[t] < 0) continue;
      const auto r = static_cast<std::size_t>(row[t]);
      for (Index e = row_first_[r]; e < row_first_[r + 1]; ++e)
        score[static_cast<std::size_t>(row_output_[static_cast<std::size_t>(e)])] += weight[e];
    }
    const auto s = static_cast<std::size_t>(set_[static_cast<std::size_t>(i)]);
    const Index gold = gold_[static_cast<std::size_t>(i)];
    const Index *tag = &sets_.tag[static_cast<std::size_t>(sets_.first[s])],
                *last = &sets_.tag[0] + sets_.first[s + 1];
    candidate.clear();
    double best = -HUGE_VAL, gold_score = 0;
    for (const Index* t = tag; t < last; ++t) {
      double sum = 0;
      of_tag(*t, [&](std::size_t o) { sum += score[o]; });
      candidate.push_back(sum);
      best = std::max(best, sum);
      if (*t == gold) gold_score = sum;
    }
    double z = 0;
    for (double& c : candidate) z += c = std::exp(c - best);
    value += best + std::log(z) - gold_score;
    std::fill(part.begin(), part.end(), 0.0);
    for (std::size_t k = 0; k < candidate.size(); ++k)
      of_tag(tag[k], [&](std::size_t o) { part[o] += candidate[k] / z; });
    of_tag(gold, [&](std::size_t o) { part[o] -= 1.0; });
    for (Index t = 0; t < templates_; ++t) {
      if (row[t] < 0) continue;
      const auto r = static_cast<std::size_t>(row[t]);
      for (Index e = row_first_[r]; e < row_first_[r + 1]; ++e)
        gradient[e] += part[static_cast<std::size_t>(row_output_[static_cast<std::size_t>(e)])];
    }
  }
  return value;
}

}  // namespace treewright
