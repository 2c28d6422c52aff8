// Tarjan's contraction on a dense graph, O(n^2): best in-arcs first, cycles merged into one vertex.
//
// The next-best tree follows Camerini, Fratta and Maffioli (1980), "Ranking arborescences in
// O(Km log n) time", in the form of Hall (2007), "K-best spanning tree parsing". A weight is a
// number or a pair of numbers of which the second decides where the first are equal.
#pragma once

#include <compare>
#include <limits>
#include <utility>
#include <vector>

#include "core/forest.hpp"

namespace treewright::dependency {

// What a tree is worth, and its score, which breaks ties. Exact where sums of gains are.
struct Lexicographic {
  double gain = 0.0, score = 0.0;

  auto operator<=>(const Lexicographic&) const = default;
  Lexicographic& operator-=(const Lexicographic& other) {
    gain -= other.gain;
    score -= other.score;
    return *this;
  }
  friend Lexicographic operator-(Lexicographic a, const Lexicographic& b) { return a -= b; }
  friend Lexicographic operator+(Lexicographic a, const Lexicographic& b) {
    return a -= {-b.gain, -b.score};
  }
};

template <class Weight>
class Contraction {
 public:
  explicit Contraction(Index words);

  // Takes scores as best_trees does; arcs into words with a required head are forbidden but one.
  void load(const Weight* score, const std::vector<Index>& required,
            const std::vector<std::pair<Index, Index>>& banned);

  // The best arborescence, head[0] = -1; false if there is none.
  bool best(std::vector<Index>& head);

  // The word whose arc must go to make the second best tree the best, and what that costs; word -1
  // if there is no second tree. `tree` is the best one.
  struct Swap {
    Index word = -1;
    Weight loss;
  };
  Swap next(const std::vector<Index>& tree, const std::vector<Index>& required);

 private:
  struct Arc {
    Index head, word;
    Weight score;
  };

  Weight& in(Index group, Index head) { return in_[at(group) * at(size_) + at(head)]; }
  Index& into(Index group, Index head) { return into_[at(group) * at(size_) + at(head)]; }

  template <class OnChoice>
  bool contract(OnChoice on_choice);
  Arc choose(Index group);
  void merge(std::size_t from);
  void merge_rows(Index keep, Index other);
  bool in_tree(Index head, Index word) const { return tree_ && (*tree_)[at(word)] == head; }
  Weight best_other(Index group, const Arc& arc);
  void number_tree(const std::vector<Index>& tree);
  bool is_below(Index word, Index above) const;
  void expand(std::vector<Index>& head) const;

  Index size_;                 // n + 1
  std::vector<Weight> score_;  // as loaded
  // A group is a set of words merged so far, named after one of them.
  std::vector<Weight> in_;  // [group][head]: the best adjusted score of an arc from head into group
  std::vector<Index> into_;                // [group][head]: the word that this arc enters
  std::vector<Index> group_;               // [word]
  std::vector<Weight> adjusted_;           // [word]: what its arcs have been adjusted by
  std::vector<std::vector<Index>> words_;  // [group]
  std::vector<Index> vertex_;              // [group]: its vertex in the tree of contractions
  std::vector<Weight> chosen_score_;       // [group]
  std::vector<std::uint8_t> done_, on_path_;
  std::vector<Index> path_;
  std::vector<Index> parent_, enter_head_, enter_word_;  // [vertex]
  const std::vector<Index>* tree_ = nullptr;
  std::vector<Index> first_, last_;  // [word]: intervals of the tree's preorder
};

}  // namespace treewright::dependency
