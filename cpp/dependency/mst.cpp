#include "dependency/mst.hpp"

#include <algorithm>
#include <limits>
#include <queue>

#include "dependency/contraction.hpp"

namespace treewright::dependency {
namespace {

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

// Any tree of one root beats any other if each arc from the root costs more than all scores differ.
double root_penalty(Index words, const double* score) {
  const auto size = at(words) + 1;
  double range = 1.0;
  for (std::size_t m = 1; m < size; ++m) {
    double low = -kForbidden, high = kForbidden;
    for (std::size_t h = 0; h < size; ++h) {
      const double s = score[h * size + m];
      if (s == kForbidden || h == m) continue;
      low = std::min(low, s);
      high = std::max(high, s);
    }
    if (high >= low) range += high - low;
  }
  return range;
}

// A part of the space of trees: those with all required arcs and none of the banned ones.
struct Space {
  std::vector<Index> required;                  // [n + 1], a head or -1
  std::vector<std::pair<Index, Index>> banned;  // head, word
};

// A space's best tree, known already, and the arc without which its second best is the best.
struct Candidate {
  double score;  // of the second best
  std::size_t order;
  Index dropped;  // the word whose arc goes
  HeadTree best;
  Space space;
  bool operator<(const Candidate& other) const {
    return score != other.score ? score < other.score : order > other.order;
  }
};

class TreeSearch {
 public:
  TreeSearch(Index words, const double* score, bool single_root)
      : words_(words), score_(score, score + size() * size()), work_(words) {
    for (std::size_t v = 0; v < size(); ++v)
      score_[v * size() + v] = score_[v * size()] = kForbidden;
    given_ = score_;
    if (single_root) penalise_roots();
    single_root_ = single_root;
  }

  std::vector<HeadTree> run(std::size_t k) {
    std::vector<HeadTree> out;
    Space all{std::vector<Index>(size(), -1), {}};
    HeadTree tree;
    if (k == 0 || !best(all, tree)) return out;
    out.push_back(tree);
    if (out.size() < k) push(std::move(tree), std::move(all));
    while (out.size() < k && !heap_.empty()) {
      Candidate top = heap_.top();
      heap_.pop();
      Space with = top.space, without = std::move(top.space);
      with.required[at(top.dropped)] = top.best.head[at(top.dropped)];
      without.banned.emplace_back(top.best.head[at(top.dropped)], top.dropped);
      HeadTree other;
      if (!best(without, other)) continue;
      out.push_back(other);
      push(std::move(top.best), std::move(with));
      push(std::move(other), std::move(without));
    }
    return out;
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(words_) + 1; }

  void penalise_roots() {
    const double penalty = root_penalty(words_, score_.data());
    for (std::size_t m = 1; m < size(); ++m) score_[m] -= penalty;
  }

  bool best(const Space& space, HeadTree& out) {
    work_.load(score_.data(), space.required, space.banned);
    if (!work_.best(out.head)) return false;
    if (single_root_ && std::count(out.head.begin() + 1, out.head.end(), 0) != 1) return false;
    out.score = 0.0;
    for (std::size_t m = 1; m < size(); ++m) out.score += given_[at(out.head[m]) * size() + m];
    return true;
  }

  void push(HeadTree&& tree, Space&& space) {
    work_.load(score_.data(), space.required, space.banned);
    const auto swap = work_.next(tree.head, space.required);
    if (swap.word < 0) return;
    const double score = tree.score - swap.loss;
    heap_.push({score, order_++, swap.word, std::move(tree), std::move(space)});
  }

  Index words_;
  std::vector<double> score_, given_;
  Contraction<double> work_;
  bool single_root_ = false;
  std::size_t order_ = 0;
  std::priority_queue<Candidate> heap_;
};

}  // namespace

std::vector<HeadTree> best_trees(Index words, const double* score, std::size_t k,
                                 bool single_root) {
  return TreeSearch(words, score, single_root).run(k);
}

std::vector<Index> best_tree_by(Index words, const double* gain, const double* score,
                                bool single_root) {
  const auto size = at(words) + 1;
  std::vector<Lexicographic> weight(size * size, {kForbidden, kForbidden});
  const double penalty = single_root ? root_penalty(words, gain) : 0.0;
  for (std::size_t h = 0; h < size; ++h)
    for (std::size_t m = 1; m < size; ++m)
      if (h != m && gain[h * size + m] != kForbidden)
        weight[h * size + m] = {gain[h * size + m] - (h ? 0.0 : penalty), score[h * size + m]};
  Contraction<Lexicographic> work(words);
  work.load(weight.data(), std::vector<Index>(size, -1), {});
  std::vector<Index> head;
  if (!work.best(head)) return {};
  if (single_root && std::count(head.begin() + 1, head.end(), 0) != 1) return {};
  return head;
}

}  // namespace treewright::dependency
