#include "dependency/eisner.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include "core/deadline.hpp"

namespace treewright::dependency {
namespace {

constexpr Index kMissing = -2;  // no such item; kNoTail is an item of nothing, of weight 1

class ArcForestBuilder {
 public:
  ArcForestBuilder(Index words, std::span<const Index> head, std::span<const Index> word,
                   bool siblings, bool single_root, std::size_t max_edges)
      : n_(words), siblings_(siblings), single_root_(single_root), max_edges_(max_edges) {
    if (words < 1 || words >= 1 << 14) throw std::invalid_argument("a tree has 1 to 16383 words");
    if (head.size() != word.size()) throw std::invalid_argument("heads and words differ in number");
    const auto cells = at(n_ + 1) * at(n_ + 1);
    for (auto* table : {&right_, &left_, &to_right_, &to_left_, &join_})
      table->assign(cells, kMissing);
    arcs_ = static_cast<Index>(head.size());
    sort_arcs(head, word);
    for (Index i = 0; i <= n_; ++i) right_[cell(i, i)] = left_[cell(i, i)] = kNoTail;
  }

  ArcForest build() {
    for (Index width = 1; width <= n_; ++width)
      for (Index i = 0; i + width <= n_; ++i) {
        check_deadline();
        span(i, i + width);
      }
    const Index goal = right_[cell(0, n_)];
    if (goal == kMissing) return {};
    number_null();
    return std::move(out_);
  }

 private:
  std::size_t cell(Index i, Index j) const { return at(i) * at(n_ + 1) + at(j); }

  // Parts by their arc: those of (h, m) are by_arc_[first_[cell]] .. by_arc_[first_[cell + 1] - 1].
  void sort_arcs(std::span<const Index> head, std::span<const Index> word) {
    first_.assign(at(n_ + 1) * at(n_ + 1) + 1, 0);
    for (std::size_t p = 0; p < head.size(); ++p) {
      if (head[p] < 0 || head[p] > n_ || word[p] < 1 || word[p] > n_ || head[p] == word[p])
        throw std::invalid_argument("arc " + std::to_string(p) + " does not join two positions");
      ++first_[cell(head[p], word[p]) + 1];
    }
    for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
    by_arc_.resize(head.size());
    auto next = first_;
    for (std::size_t p = 0; p < head.size(); ++p)
      by_arc_[at(next[cell(head[p], word[p])]++)] = static_cast<Index>(p);
  }

  // Letters of docs/theory.md, section 9: J, A and C over the span from i to j.
  void span(Index i, Index j) {
    if (siblings_) {
      join_[cell(i, j)] = i > 0 ? join(i, j) : kMissing;
      to_right_[cell(i, j)] = arc(i, j, first_or_next_right(i, j));
      to_left_[cell(i, j)] = i > 0 ? arc(j, i, first_or_next_left(i, j)) : kMissing;
    } else {
      const Index both = join(i, j);
      to_right_[cell(i, j)] = arc(i, j, both);
      to_left_[cell(i, j)] = i > 0 ? arc(j, i, both) : kMissing;
    }
    right_[cell(i, j)] = complete_right(i, j);
    left_[cell(i, j)] = i > 0 ? complete_left(i, j) : kMissing;
  }

  // J(i, j) = sum_k C>(i, k) C<(k + 1, j)
  Index join(Index i, Index j) {
    const Index last = i == 0 && single_root_ ? 0 : j - 1;
    for (Index k = i; k <= last; ++k) add(right_[cell(i, k)], left_[cell(k + 1, j)], kNull);
    return close();
  }

  // J>(i, j) = sib(i, -, j) C<(i + 1, j) + sum_s sib(i, s, j) A>(i, s) J(s, j)
  Index first_or_next_right(Index i, Index j) {
    if (!has_arc(i, j)) return kMissing;
    add_sibling(kNoTail, left_[cell(i + 1, j)], i, j, -1);
    if (i > 0 || !single_root_)
      for (Index s = i + 1; s < j; ++s)
        add_sibling(to_right_[cell(i, s)], join_[cell(s, j)], i, j, s);
    return close();
  }

  // J<(i, j) = sib(j, -, i) C>(i, j - 1) + sum_s sib(j, s, i) J(i, s) A<(s, j)
  Index first_or_next_left(Index i, Index j) {
    if (!has_arc(j, i)) return kMissing;
    add_sibling(kNoTail, right_[cell(i, j - 1)], j, i, -1);
    for (Index s = i + 1; s < j; ++s) add_sibling(join_[cell(i, s)], to_left_[cell(s, j)], j, i, s);
    return close();
  }

  // A(h, m) = sum_label w(h, m, label) J
  Index arc(Index h, Index m, Index below) {
    if (below == kMissing) return kMissing;
    const auto c = cell(h, m);
    for (Index p = first_[c]; p < first_[c + 1]; ++p) add(below, kNoTail, by_arc_[at(p)]);
    return close();
  }

  // C>(i, j) = sum_k A>(i, k) C>(k, j)
  Index complete_right(Index i, Index j) {
    if (i == 0 && single_root_ && j < n_) return kMissing;
    for (Index k = i + 1; k <= j; ++k) add(to_right_[cell(i, k)], right_[cell(k, j)], kNull);
    return close();
  }

  // C<(i, j) = sum_k C<(i, k) A<(k, j)
  Index complete_left(Index i, Index j) {
    for (Index k = i; k < j; ++k) add(left_[cell(i, k)], to_left_[cell(k, j)], kNull);
    return close();
  }

  bool has_arc(Index h, Index m) const { return first_[cell(h, m)] < first_[cell(h, m) + 1]; }

  void add_sibling(Index l, Index r, Index head, Index word, Index sibling) {
    if (l == kMissing || r == kMissing) return;
    add(l, r, arcs_ + static_cast<Index>(out_.siblings.size() / 3));
    out_.siblings.insert(out_.siblings.end(), {head, word, sibling});
  }

  void add(Index l, Index r, Index part) {
    if (l == kMissing || r == kMissing) return;
    if (out_.forest.part.size() >= max_edges_)
      throw std::length_error("the trees need more than " + std::to_string(max_edges_) + " edges");
    l == kNoTail ? out_.forest.add_edge(r, kNoTail, part) : out_.forest.add_edge(l, r, part);
  }

  // The node of the edges added since the last one; kMissing if there are none.
  Index close() {
    if (out_.forest.edges() == out_.forest.first_edge.back()) return kMissing;
    return out_.forest.close_node();
  }

  void number_null() {
    const Index null = arcs_ + static_cast<Index>(out_.siblings.size() / 3);
    for (Index& part : out_.forest.part)
      if (part == kNull) part = null;
    out_.forest.parts = null + 1;
  }

  static constexpr Index kNull = -1;
  Index n_, arcs_;
  bool siblings_, single_root_;
  std::size_t max_edges_;
  std::vector<Index> first_, by_arc_;
  // Nodes by span: complete with the head left or right, with an arc, joined.
  std::vector<Index> right_, left_, to_right_, to_left_, join_;
  ArcForest out_;
};

}  // namespace

ArcForest build_arc_forest(Index words, std::span<const Index> head, std::span<const Index> word,
                           bool siblings, bool single_root, std::size_t max_edges) {
  max_edges = std::min<std::size_t>(max_edges, std::numeric_limits<Index>::max());
  ArcForest built = ArcForestBuilder(words, head, word, siblings, single_root, max_edges).build();
  if (built.forest.nodes() == 0) return built;
  // Arcs may be missing: leave out what no tree uses.
  const auto& f = built.forest;
  const Forest all(f.first_edge, f.left, f.right, f.part, f.parts);
  const std::vector<std::uint8_t> keep(f.part.size(), 1);
  std::vector<Index> node_of, edge_of;
  built.forest = restrict_edges(all, keep, node_of, edge_of);
  return built;
}

}  // namespace treewright::dependency
