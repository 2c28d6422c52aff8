#include "core/intersect.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/semiring.hpp"

namespace treewright {
namespace {

// A node of the intersection: derivations of a node of the forest with these values at its ends.
struct Item {
  Index begin, end, node;
};

struct Made {
  Index begin, end, left, right, edge;
  double score;
};

class Intersecter {
 public:
  Intersecter(const Forest& forest, std::span<const double> score,
              std::span<const Index> value_of_part, const ChainTables& chain, std::size_t max_edges)
      : forest_(forest),
        score_(score),
        value_of_part_(value_of_part),
        chain_(chain),
        max_edges_(max_edges),
        items_(static_cast<std::size_t>(forest.nodes())) {
    const auto variables = static_cast<Index>(chain.first.size()) - 1;
    const bool rises = std::is_sorted(chain.first.begin(), chain.first.end());
    if (variables < 1 || chain.first.front() != 0 || !rises ||
        chain.first.back() != static_cast<Index>(chain.emission.size()))
      throw std::invalid_argument("the chain's tables do not fit the variables");
    table_.push_back(0);
    for (Index v = 0; v < variables; ++v) {
      variable_.insert(variable_.end(), static_cast<std::size_t>(size(v)), v);
      if (v + 1 < variables) table_.push_back(table_.back() + size(v) * size(v + 1));
    }
    check(variables);
  }

  Intersection run() {
    for (Index v = 0; v < forest_.nodes(); ++v) {
      made_.clear();
      for (Index e = forest_.first_edge[v]; e < forest_.first_edge[v + 1]; ++e) combine(e);
      close(items_[v]);
    }
    finish();
    return std::move(out_);
  }

 private:
  std::ptrdiff_t size(Index v) const { return chain_.first[v + 1] - chain_.first[v]; }

  void check(Index variables) const {
    const bool fits = chain_.start.size() == static_cast<std::size_t>(size(0)) &&
                      chain_.stop.size() == static_cast<std::size_t>(size(variables - 1)) &&
                      chain_.transition.size() == static_cast<std::size_t>(table_.back());
    if (!fits) throw std::invalid_argument("the chain's tables do not fit the variables");
    for (const Index c : value_of_part_)
      if (c >= static_cast<Index>(variable_.size()))
        throw std::invalid_argument("a part is tied to a value that is not there");
  }

  double transition(Index a, Index b) const {
    const Index v = variable_[a];
    const auto row = a - chain_.first[v], column = b - chain_.first[v + 1];
    return chain_.transition[table_[v] + row * size(v + 1) + column];
  }

  // (left: a..b) (right: c..d)  ->  a..d, with the transition from b to c
  void combine(Index e) {
    const Index l = forest_.left[e], r = forest_.right[e], part = forest_.part[e];
    const Index value = value_of_part_[part];
    if ((value >= 0) != (l == kNoTail))
      throw std::invalid_argument("edge " + std::to_string(e) +
                                  ": leaves must choose a value, and only leaves may");
    if (l == kNoTail) {
      made_.push_back({value, value, kNoTail, kNoTail, e, score_[part] + chain_.emission[value]});
    } else if (r == kNoTail) {
      for (const Item& i : items_[l])
        made_.push_back({i.begin, i.end, i.node, kNoTail, e, score_[part]});
    } else {
      for (const Item& i : items_[l])
        for (const Item& j : items_[r]) {
          if (variable_[j.begin] != variable_[i.end] + 1)
            throw std::invalid_argument("edge " + std::to_string(e) +
                                        ": its tails are not neighbours");
          const double step = transition(i.end, j.begin);
          if (step == Log::zero()) continue;
          made_.push_back({i.begin, j.end, i.node, j.node, e, score_[part] + step});
        }
    }
    if (made_.size() + out_.score.size() > max_edges_)
      throw std::length_error("the intersection has more than " + std::to_string(max_edges_) +
                              " edges");
  }

  void add(const Made& made) {
    out_.forest.add_edge(made.left, made.right, out_.forest.edges());
    out_.score.push_back(made.score);
    out_.edge_of.push_back(made.edge);
  }

  // Edges with the same ends make a node.
  void close(std::vector<Item>& items) {
    const auto ends = [](const Made& m) { return std::pair(m.begin, m.end); };
    std::stable_sort(made_.begin(), made_.end(),
                     [&](const Made& a, const Made& b) { return ends(a) < ends(b); });
    for (std::size_t i = 0; i < made_.size(); ++i) {
      add(made_[i]);
      if (i + 1 == made_.size() || ends(made_[i]) != ends(made_[i + 1]))
        items.push_back({made_[i].begin, made_[i].end, out_.forest.close_node()});
    }
  }

  void finish() {
    const auto last = static_cast<Index>(chain_.first.size()) - 2;
    if (items_[forest_.goal()].empty())
      throw std::invalid_argument("the chain and the forest have no analysis in common");
    for (const Item& i : items_[forest_.goal()]) {
      if (variable_[i.begin] != 0 || variable_[i.end] != last)
        throw std::invalid_argument("the goal does not span all variables");
      const double ends = chain_.start[i.begin] + chain_.stop[i.end - chain_.first[last]];
      add({i.begin, i.end, i.node, kNoTail, -1, ends});
    }
    out_.forest.close_node();
    out_.forest.parts = out_.forest.edges();
  }

  const Forest& forest_;
  std::span<const double> score_;
  std::span<const Index> value_of_part_;
  const ChainTables& chain_;
  std::size_t max_edges_;
  std::vector<Index> variable_;        // [values]
  std::vector<std::ptrdiff_t> table_;  // where a variable's transitions begin
  std::vector<std::vector<Item>> items_;
  std::vector<Made> made_;
  Intersection out_;
};

}  // namespace

Intersection intersect(const Forest& forest, std::span<const double> score,
                       std::span<const Index> value_of_part, const ChainTables& chain,
                       std::size_t max_edges) {
  return Intersecter(forest, score, value_of_part, chain, max_edges).run();
}

}  // namespace treewright
