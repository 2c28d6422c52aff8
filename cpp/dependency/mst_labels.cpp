#include <algorithm>
#include <limits>
#include <numeric>

#include "dependency/mst.hpp"

namespace treewright::dependency {
namespace {

// A partial labelling: its loss against the best one, the rank of the last word's label, and the
// partial labelling before.
struct Step {
  double loss;
  std::size_t back, rank;
};

// The labels of one tree, ranked, and the k best choices of one for every word.
class Labelling {
 public:
  Labelling(const HeadTree& tree, Index labels, const float* score, std::size_t k)
      : tree_(tree), k_(k), ranked_(tree.head.size()), steps_(tree.head.size()) {
    const auto size = tree.head.size();
    steps_[0].push_back({0.0, 0, 0});
    for (std::size_t m = 1; m < size; ++m) {
      scores_.push_back(score + (at(tree.head[m]) * size + m) * at(labels));
      rank_labels(m, labels);
      extend(m);
    }
  }

  std::size_t count() const { return steps_.back().size(); }

  LabelledTree labelled(std::size_t i) const {
    LabelledTree out{tree_.head, std::vector<Index>(tree_.head.size(), -1), 0.0};
    for (auto m = tree_.head.size() - 1; m > 0; --m) {
      const Step& step = steps_[m][i];
      out.label[m] = ranked_[m][step.rank];
      i = step.back;
    }
    for (std::size_t m = 1; m < tree_.head.size(); ++m) out.score += of(m, out.label[m]);
    return out;
  }

 private:
  double of(std::size_t m, Index label) const { return scores_[m - 1][at(label)]; }

  void rank_labels(std::size_t m, Index labels) {
    auto& ranked = ranked_[m];
    ranked.resize(at(labels));
    std::iota(ranked.begin(), ranked.end(), 0);
    std::erase_if(ranked,
                  [&](Index l) { return of(m, l) == -std::numeric_limits<double>::infinity(); });
    const auto kept = std::min(k_, ranked.size());
    std::partial_sort(
        ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept), ranked.end(),
        [&](Index a, Index b) { return of(m, a) != of(m, b) ? of(m, a) > of(m, b) : a < b; });
    ranked.resize(kept);
  }

  void extend(std::size_t m) {
    auto& out = steps_[m];
    for (std::size_t back = 0; back < steps_[m - 1].size(); ++back)
      for (std::size_t rank = 0; rank < ranked_[m].size() && (back + 1) * (rank + 1) <= k_; ++rank)
        out.push_back({steps_[m - 1][back].loss + of(m, ranked_[m][0]) - of(m, ranked_[m][rank]),
                       back, rank});
    std::stable_sort(out.begin(), out.end(),
                     [](const Step& a, const Step& b) { return a.loss < b.loss; });
    if (out.size() > k_) out.resize(k_);
  }

  const HeadTree& tree_;
  std::size_t k_;
  std::vector<const float*> scores_;
  std::vector<std::vector<Index>> ranked_;
  std::vector<std::vector<Step>> steps_;
};

// The best label's score of every arc.
std::vector<double> fold(Index words, Index labels, const float* score) {
  const auto arcs = (at(words) + 1) * (at(words) + 1);
  std::vector<double> out(arcs);
  for (std::size_t a = 0; a < arcs; ++a)
    out[a] = *std::max_element(score + a * at(labels), score + (a + 1) * at(labels));
  return out;
}

}  // namespace

std::vector<LabelledTree> best_labellings(const std::vector<HeadTree>& trees, Index labels,
                                          const float* score, std::size_t k) {
  std::vector<LabelledTree> out;
  for (const HeadTree& tree : trees) {
    const Labelling ways(tree, labels, score, k);
    for (std::size_t i = 0; i < ways.count(); ++i) out.push_back(ways.labelled(i));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  if (out.size() > k) out.resize(k);
  return out;
}

// The k best labelled trees have their heads among the k best trees with their best labels.
std::vector<LabelledTree> best_labelled_trees(Index words, Index labels, const float* score,
                                              std::size_t k, bool single_root, bool variants) {
  const auto folded = fold(words, labels, score);
  const auto trees = best_trees(words, folded.data(), k, single_root);
  if (variants) return best_labellings(trees, labels, score, k);
  std::vector<LabelledTree> out;
  for (const HeadTree& tree : trees)
    out.push_back(best_labellings({tree}, labels, score, 1).front());
  return out;
}

}  // namespace treewright::dependency
