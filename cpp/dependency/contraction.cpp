#include "dependency/contraction.hpp"

#include <algorithm>
#include <type_traits>

namespace treewright::dependency {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Weight>
constexpr Weight all(double value) {
  if constexpr (std::is_same_v<Weight, Lexicographic>)
    return {value, value};
  else
    return value;
}
template <class Weight>
constexpr Weight kForbidden = all<Weight>(-kInfinity);

}  // namespace

template <class Weight>
Contraction<Weight>::Contraction(Index words) : size_(words + 1), words_(at(words) + 1) {}

template <class Weight>
void Contraction<Weight>::load(const Weight* score, const std::vector<Index>& required,
                               const std::vector<std::pair<Index, Index>>& banned) {
  score_.assign(score, score + at(size_) * at(size_));
  for (const auto& [head, word] : banned)
    score_[at(head) * at(size_) + at(word)] = kForbidden<Weight>;
  for (Index m = 1; m < size_; ++m)
    if (required[at(m)] >= 0)
      for (Index h = 0; h < size_; ++h)
        if (h != required[at(m)]) score_[at(h) * at(size_) + at(m)] = kForbidden<Weight>;
}

template <class Weight>
bool Contraction<Weight>::best(std::vector<Index>& head) {
  tree_ = nullptr;
  if (!contract([](Index, const Arc&) {})) return false;
  expand(head);
  return true;
}

// Every arc b of the tree is the choice of one group. Without b the group takes its next best arc f
// whose head is not below b's word: the cheapest such exchange makes the second best tree.
template <class Weight>
typename Contraction<Weight>::Swap Contraction<Weight>::next(const std::vector<Index>& tree,
                                                             const std::vector<Index>& required) {
  Swap found{-1, all<Weight>(kInfinity)};
  number_tree(tree);
  tree_ = &tree;
  contract([&](Index group, const Arc& arc) {
    if (!in_tree(arc.head, arc.word) || required[at(arc.word)] >= 0) return;
    const Weight loss = arc.score - best_other(group, arc);
    if (loss < found.loss) found = {arc.word, loss};
  });
  tree_ = nullptr;
  return found;
}

template <class Weight>
template <class OnChoice>
bool Contraction<Weight>::contract(OnChoice on_choice) {
  const auto n = at(size_);
  in_.resize(n * n);
  into_.resize(n * n);
  for (Index m = 0; m < size_; ++m) {
    for (Index h = 0; h < size_; ++h) {
      in(m, h) = score_[at(h) * n + at(m)];
      into(m, h) = m;
    }
    words_[at(m)].assign(1, m);
  }
  adjusted_.assign(n, Weight{});
  chosen_score_.assign(n, Weight{});
  done_.assign(n, 0);
  on_path_.assign(n, 0);
  parent_.assign(n, -1);
  enter_head_.assign(n, -1);
  enter_word_.assign(n, -1);
  group_.resize(n);
  for (Index m = 0; m < size_; ++m) group_[at(m)] = m;
  vertex_ = group_;
  done_[0] = 1;
  for (Index start = 1; start < size_; ++start) {
    if (done_[at(group_[at(start)])]) continue;
    path_.assign(1, group_[at(start)]);
    on_path_[at(path_[0])] = 1;
    while (true) {
      const Index group = path_.back();
      const Arc arc = choose(group);
      if (arc.score == kForbidden<Weight>) return false;
      on_choice(group, arc);
      const Index from = group_[at(arc.head)];
      if (done_[at(from)]) break;
      if (on_path_[at(from)]) {
        std::size_t first = path_.size() - 1;
        while (path_[first] != from) --first;
        merge(first);
      } else {
        path_.push_back(from);
        on_path_[at(from)] = 1;
      }
    }
    for (const Index group : path_) done_[at(group)] = 1;
  }
  return true;
}

template <class Weight>
typename Contraction<Weight>::Arc Contraction<Weight>::choose(Index group) {
  Arc best{-1, -1, kForbidden<Weight>};
  for (Index h = 0; h < size_; ++h) {
    if (group_[at(h)] == group) continue;
    const Weight score = in(group, h);
    // Of equals, the tree's own arc: next() looks for what the tree would give up.
    if (score > best.score ||
        (tree_ && score == best.score && score > kForbidden<Weight> && in_tree(h, into(group, h))))
      best = {h, into(group, h), score};
  }
  const auto v = at(vertex_[at(group)]);
  enter_head_[v] = best.head;
  enter_word_[v] = best.word;
  chosen_score_[at(group)] = best.score;
  return best;
}

// Merges the groups of the path from `first` on, a cycle, into one.
template <class Weight>
void Contraction<Weight>::merge(std::size_t first) {
  const Index keep = path_[first];
  const auto vertex = static_cast<Index>(parent_.size());
  for (std::size_t i = first; i < path_.size(); ++i) {
    const Index group = path_[i];
    parent_[at(vertex_[at(group)])] = vertex;
    for (Index h = 0; h < size_; ++h) in(group, h) -= chosen_score_[at(group)];
    for (const Index word : words_[at(group)]) {
      adjusted_[at(word)] -= chosen_score_[at(group)];
      group_[at(word)] = keep;
    }
  }
  for (std::size_t i = first + 1; i < path_.size(); ++i) merge_rows(keep, path_[i]);
  path_.resize(first + 1);
  parent_.push_back(-1);
  enter_head_.push_back(-1);
  enter_word_.push_back(-1);
  vertex_[at(keep)] = vertex;
}

template <class Weight>
void Contraction<Weight>::merge_rows(Index keep, Index other) {
  for (Index h = 0; h < size_; ++h) {
    const Weight score = in(other, h);
    if (score > in(keep, h) || (tree_ && score == in(keep, h) && in_tree(h, into(other, h)))) {
      in(keep, h) = score;
      into(keep, h) = into(other, h);
    }
  }
  auto& words = words_[at(keep)];
  words.insert(words.end(), words_[at(other)].begin(), words_[at(other)].end());
  on_path_[at(other)] = 0;
}

template <class Weight>
Weight Contraction<Weight>::best_other(Index group, const Arc& arc) {
  Weight best = kForbidden<Weight>;
  for (Index h = 0; h < size_; ++h)
    if (h != arc.head && group_[at(h)] != group && !is_below(h, arc.word))
      best = std::max(best, in(group, h));
  // The row of the same head remembers one arc only: look at its others one by one.
  for (const Index word : words_[at(group)])
    if (word != arc.word)
      best = std::max(best, score_[at(arc.head) * at(size_) + at(word)] + adjusted_[at(word)]);
  return best;
}

template <class Weight>
void Contraction<Weight>::number_tree(const std::vector<Index>& tree) {
  std::vector<std::vector<Index>> below(at(size_));
  for (Index m = 1; m < size_; ++m) below[at(tree[at(m)])].push_back(m);
  first_.assign(at(size_), 0);
  last_.assign(at(size_), 0);
  Index time = 0;
  std::vector<std::pair<Index, std::size_t>> stack{{0, 0}};
  while (!stack.empty()) {
    auto& [word, child] = stack.back();
    if (child == 0) first_[at(word)] = time++;
    if (child < below[at(word)].size()) {
      const Index next = below[at(word)][child++];
      stack.emplace_back(next, 0);
    } else {
      last_[at(word)] = time;
      stack.pop_back();
    }
  }
}

template <class Weight>
bool Contraction<Weight>::is_below(Index word, Index above) const {
  return first_[at(word)] >= first_[at(above)] && first_[at(word)] < last_[at(above)];
}

// The arc into a merged vertex enters one of its words; the vertices on the way down to that word
// lose their own arcs, all others keep theirs.
template <class Weight>
void Contraction<Weight>::expand(std::vector<Index>& head) const {
  head.assign(at(size_), -1);
  std::vector<std::uint8_t> settled(parent_.size(), 0);
  for (auto v = parent_.size(); v-- > 1;) {
    if (settled[v]) continue;
    head[at(enter_word_[v])] = enter_head_[v];
    for (Index u = enter_word_[v]; u != parent_[v]; u = parent_[at(u)]) settled[at(u)] = 1;
  }
}

template class Contraction<double>;
template class Contraction<Lexicographic>;

}  // namespace treewright::dependency
