#include "constituency/chart.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "core/deadline.hpp"

namespace treewright::constituency {
namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

void check_range(Index value, Index low, Index high, const char* what) {
  if (value < low || value >= high)
    fail(std::string(what) + " " + std::to_string(value) + " is outside " + std::to_string(low) +
         " to " + std::to_string(high - 1));
}

struct PrunedEdge {
  Index left, right, rule, split;
};

// Items over spans, before those that the goal does not use are dropped.
class PrunedBuilder {
 public:
  PrunedBuilder(const TreebankGrammar& grammar, std::span<const Index> tag,
                std::span<const Index> candidates, std::size_t max_edges)
      : grammar_(grammar),
        tag_(tag),
        words_(static_cast<Index>(tag.size())),
        max_edges_(max_edges),
        slot_(at(grammar.symbols()), kNoTail),
        items_(at(words_ + 1) * at(words_ + 1)) {
    by_span(candidates);
  }

  void build() {
    for (Index i = 0; i < words_; ++i) {
      edges.push_back({kNoTail, kNoTail, kWordPart, i});
      close(i, i + 1, tag_[at(i)]);
    }
    for (Index width = 1; width <= words_; ++width)
      for (Index i = 0; i + width <= words_; ++i) fill(i, i + width);
    for (const auto& [symbol, node] : items_[at(words_)])
      if (const Index rule = grammar_.root(symbol); rule >= 0)
        edges.push_back({node, kNoTail, rule, -1});
    nodes.insert(nodes.end(), {0, words_, grammar_.symbols()});
    first_edge.push_back(static_cast<Index>(edges.size()));
  }

  std::vector<Index> first_edge{0};
  std::vector<PrunedEdge> edges;
  std::vector<Index> nodes;  // begin, end, symbol

 private:
  std::size_t cell(Index begin, Index end) const { return at(begin) * at(words_ + 1) + at(end); }

  void by_span(std::span<const Index> rows) {
    if (rows.size() % 3 != 0) fail("candidates have three columns");
    first_.assign(items_.size() + 1, 0);
    for (std::size_t r = 0; r < rows.size(); r += 3) {
      check_range(rows[r], 0, words_, "a candidate's begin");
      check_range(rows[r + 1], rows[r] + 1, words_ + 1, "a candidate's end");
      check_range(rows[r + 2], grammar_.tags(), grammar_.symbols(), "a candidate's label");
      ++first_[cell(rows[r], rows[r + 1]) + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    label_.resize(rows.size() / 3);
    std::vector<Index> next(first_.begin(), first_.end() - 1);
    for (std::size_t r = 0; r < rows.size(); r += 3)
      label_[at(next[cell(rows[r], rows[r + 1])]++)] = rows[r + 2];
  }

  void close(Index begin, Index end, Index symbol) {
    items_[cell(begin, end)].push_back({symbol, static_cast<Index>(first_edge.size()) - 1});
    first_edge.push_back(static_cast<Index>(edges.size()));
    nodes.insert(nodes.end(), {begin, end, symbol});
  }

  void fill(Index i, Index j) {
    check_deadline();
    const Index first = first_[cell(i, j)], last = first_[cell(i, j) + 1];
    if (first == last) return;
    if (pending_.size() < at(last - first)) pending_.resize(at(last - first));
    for (Index s = first; s < last; ++s) slot_[at(label_[at(s)])] = s - first;
    if (j - i == 1) over_word(i);
    for (Index k = i + 1; k < j; ++k) combine(items_[cell(i, k)], items_[cell(k, j)], k);
    for (Index s = first; s < last; ++s) {
      const Index label = label_[at(s)];
      auto& list = pending_[at(s - first)];
      if (slot_[at(label)] != s - first) continue;  // named twice: the last slot has its edges
      slot_[at(label)] = kNoTail;
      if (list.empty()) continue;
      edges.insert(edges.end(), list.begin(), list.end());
      list.clear();
      close(i, j, label);
    }
    if (edges.size() > max_edges_)
      throw std::length_error("the chart needs more than " + std::to_string(max_edges_) + " edges");
  }

  void over_word(Index i) {
    const auto [tag, node] = items_[cell(i, i + 1)].front();
    for (Index s = first_[cell(i, i + 1)]; s < first_[cell(i, i + 1) + 1]; ++s) {
      const Index label = label_[at(s)], slot = slot_[at(label)];
      const Index rule = grammar_.unary(label, tag);
      if (rule >= 0 && s - first_[cell(i, i + 1)] == slot)
        pending_[at(slot)].push_back({node, kNoTail, rule, -1});
    }
  }

  using Items = std::vector<std::pair<Index, Index>>;  // symbol, node

  void combine(const Items& left, const Items& right, Index split) {
    for (const auto& [b, left_node] : left)
      for (const auto& [c, right_node] : right)
        for (const auto& [parent, rule] : grammar_.over(b, c))
          if (const Index slot = slot_[at(parent)]; slot != kNoTail)
            pending_[at(slot)].push_back({left_node, right_node, rule, split});
  }

  const TreebankGrammar& grammar_;
  std::span<const Index> tag_;
  Index words_;
  std::size_t max_edges_;
  std::vector<Index> slot_;           // of a label among the candidates of the span in work
  std::vector<Items> items_;          // by cell
  std::vector<Index> first_, label_;  // candidates by cell
  std::vector<std::vector<PrunedEdge>> pending_;
};

std::vector<std::uint8_t> used_nodes(const PrunedBuilder& built) {
  std::vector<std::uint8_t> used(built.first_edge.size() - 1, 0);
  used.back() = 1;
  for (std::size_t v = used.size(); v-- > 0;)
    for (Index e = built.first_edge[v]; used[v] && e < built.first_edge[v + 1]; ++e)
      for (const Index tail : {built.edges[at(e)].left, built.edges[at(e)].right})
        if (tail != kNoTail) used[at(tail)] = 1;
  return used;
}

// Numbers nodes and parts of what is used.
class Packer {
 public:
  Packer(const PrunedBuilder& built, SpanLayout layout, Index words)
      : built_(built), layout_(layout), words_(words), part_of_() {}

  Chart pack() {
    const auto used = used_nodes(built_);
    NodeValues<Index> number(static_cast<Index>(used.size()), kNoTail);
    for (Index i = 0; i < words_; ++i) append(kWordPart, i, -1, i + 1);
    for (std::size_t v = 0; v < used.size(); ++v) {
      if (!used[v]) continue;
      number_.clear();
      for (Index e = built_.first_edge[v]; e < built_.first_edge[v + 1]; ++e) {
        PrunedEdge edge = built_.edges[at(e)];
        edge.left = number[edge.left];
        edge.right = number[edge.right];
        number_.push_back(edge);
      }
      number[static_cast<Index>(v)] = node(&built_.nodes[3 * v]);
    }
    return std::move(chart_);
  }

 private:
  Index append(Index rule, Index begin, Index split, Index end) {
    chart_.parts.insert(chart_.parts.end(), {rule, begin, split, end});
    return chart_.forest.parts++;
  }

  Index close(Index begin, Index end, Index symbol) {
    chart_.nodes.insert(chart_.nodes.end(), {begin, end, symbol});
    return chart_.forest.close_node();
  }

  // The edges of one node are in number_.
  Index node(const Index* row) {
    const Index begin = row[0], end = row[1], symbol = row[2];
    auto& forest = chart_.forest;
    const bool is_word = number_[0].rule == kWordPart;
    const bool is_root = number_[0].split == -1 && !is_word && &row[2] == &built_.nodes.back();
    if (is_word) {
      forest.add_edge(kNoTail, kNoTail, begin);
    } else if (layout_ == SpanLayout::kRules) {
      add_shared(begin, end);
    } else if (end - begin == 1 && !is_root) {
      forest.add_edge(number_[0].left, kNoTail, append(kFirstSpanPart - symbol, begin, -1, end));
    } else {
      for (const PrunedEdge& e : number_)
        forest.add_edge(e.left, e.right, append(e.rule, begin, e.split, end));
      if (is_root) return close(begin, end, symbol);
      const Index below = close(begin, end, ~symbol);
      forest.add_edge(below, kNoTail, append(kFirstSpanPart - symbol, begin, -1, end));
    }
    return close(begin, end, symbol);
  }

  void add_shared(Index begin, Index end) {
    part_of_.clear();
    for (const PrunedEdge& e : number_) {
      const auto [found, is_new] = part_of_.try_emplace(e.rule, chart_.forest.parts);
      if (is_new) append(e.rule, begin, -1, end);
      chart_.forest.add_edge(e.left, e.right, found->second);
    }
  }

  const PrunedBuilder& built_;
  SpanLayout layout_;
  Index words_;
  Chart chart_;
  std::vector<PrunedEdge> number_;
  std::unordered_map<Index, Index> part_of_;
};

}  // namespace

TreebankGrammar::TreebankGrammar(Index tags, Index symbols, std::span<const Index> binary,
                                 std::span<const Index> unary, std::span<const Index> root)
    : tags_(tags), symbols_(symbols), binary_(binary.begin(), binary.end()) {
  if (tags < 1 || symbols <= tags) fail("a grammar needs tags and labels");
  if (binary.size() % 3 != 0 || unary.size() % 2 != 0) fail("rule tables have the wrong width");
  const auto size = static_cast<Index>(binary.size() / 3);
  std::vector<Index> order(at(size));
  std::iota(order.begin(), order.end(), 0);
  for (Index r = 0; r < size; ++r) {
    check_range(this->binary(r)[0], tags, symbols, "a rule's parent");
    for (int k : {1, 2}) check_range(this->binary(r)[k], 0, symbols, "a rule's child");
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return pair(this->binary(a)[1], this->binary(a)[2]) <
           pair(this->binary(b)[1], this->binary(b)[2]);
  });
  for (const Index r : order) {
    const Index* rule = this->binary(r);
    auto& range = over_
                      .try_emplace(pair(rule[1], rule[2]), static_cast<Index>(made_.size()),
                                   static_cast<Index>(made_.size()))
                      .first->second;
    for (Index k = range.first; k < range.second; ++k)
      if (made_[at(k)].parent == rule[0]) fail("binary rule " + std::to_string(r) + " comes twice");
    made_.push_back({rule[0], r});
    ++range.second;
  }
  rules_ = size;
  for (std::size_t k = 0; k < unary.size(); k += 2) {
    check_range(unary[k], tags, symbols, "a rule's label");
    check_range(unary[k + 1], 0, tags, "a rule's tag");
    if (!unary_.try_emplace(pair(unary[k], unary[k + 1]), rules_++).second)
      fail("a rule of a label over a tag comes twice");
  }
  root_.assign(at(symbols), -1);
  for (const Index symbol : root) {
    check_range(symbol, 0, symbols, "a root");
    if (root_[at(symbol)] != -1) fail("a root comes twice");
    root_[at(symbol)] = rules_++;
  }
}

std::span<const TreebankGrammar::Made> TreebankGrammar::over(Index left, Index right) const {
  const auto found = over_.find(pair(left, right));
  if (found == over_.end()) return {};
  return std::span(made_).subspan(at(found->second.first),
                                  at(found->second.second - found->second.first));
}

Index TreebankGrammar::unary(Index label, Index tag) const {
  const auto found = unary_.find(pair(label, tag));
  return found == unary_.end() ? -1 : found->second;
}

Chart build_pruned(const TreebankGrammar& grammar, std::span<const Index> tag,
                   std::span<const Index> candidates, SpanLayout layout, std::size_t max_edges) {
  if (tag.empty() || tag.size() > 2000) fail("a chart spans 1 to 2000 words");
  for (const Index t : tag) check_range(t, 0, grammar.tags(), "a tag");
  max_edges = std::min<std::size_t>(max_edges, std::numeric_limits<Index>::max() / 4);
  PrunedBuilder built(grammar, tag, candidates, max_edges);
  built.build();
  const auto last = built.first_edge.size() - 1;
  if (built.first_edge[last - 1] == built.first_edge[last]) return {};
  return Packer(built, layout, static_cast<Index>(tag.size())).pack();
}

}  // namespace treewright::constituency
