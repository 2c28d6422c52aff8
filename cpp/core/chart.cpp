#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "core/build.hpp"

namespace treewright {
namespace {

constexpr Index kEntry = -1;

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

void check_symbol(Index symbol, Index symbols, const std::string& where) {
  if (symbol < 0 || symbol >= symbols)
    fail(where + " names symbol " + std::to_string(symbol) + ", but there are " +
         std::to_string(symbols));
}

// An edge of the chart before its part has a number; rule kEntry has its entry in `split`.
struct ChartEdge {
  Index left, right, rule, split;
};

// The items over one span, with an index by symbol.
struct Cell {
  std::vector<std::pair<Index, Index>> items;  // symbol, node
  std::vector<Index> node_of;                  // [symbols], kNoTail: none; empty: empty cell
};

class ChartBuilder {
 public:
  ChartBuilder(const Grammar& grammar, Index words, std::size_t max_edges)
      : grammar_(grammar),
        words_(words),
        max_edges_(max_edges),
        cells_(at(words + 1) * at(words + 1)),
        pending_(at(grammar.symbols())) {}

  void build(std::span<const Index> entry_word, std::span<const Index> entry_symbol) {
    std::vector<std::vector<Index>> entries(at(words_));
    for (std::size_t i = 0; i < entry_word.size(); ++i)
      entries[at(entry_word[i])].push_back(static_cast<Index>(i));
    for (Index width = 1; width <= words_; ++width)
      for (Index begin = 0; begin + width <= words_; ++begin) {
        if (width == 1)
          for (const Index i : entries[at(begin)])
            add(entry_symbol[at(i)], {kNoTail, kNoTail, kEntry, i});
        for (Index split = begin + 1; split < begin + width; ++split)
          combine(cell(begin, split), cell(split, begin + width), split);
        close(begin, begin + width);
      }
  }

  Index find(Index symbol) const {
    const Cell& top = cells_[at(words_)];
    return top.node_of.empty() ? kNoTail : top.node_of[at(symbol)];
  }

  std::vector<Index> first_edge{0};
  std::vector<ChartEdge> edges;
  std::vector<Index> nodes;  // begin, end, symbol

 private:
  Cell& cell(Index begin, Index end) { return cells_[at(begin) * at(words_ + 1) + at(end)]; }

  void add(Index symbol, const ChartEdge& edge) {
    if (++waiting_ + edges.size() > max_edges_)
      throw std::length_error("the chart needs more than " + std::to_string(max_edges_) + " edges");
    auto& list = pending_[at(symbol)];
    if (list.empty()) active_.insert(grammar_.rank(symbol));
    list.push_back(edge);
  }

  void combine(const Cell& left, const Cell& right, Index split) {
    if (right.items.empty()) return;
    for (const auto& [symbol, node] : left.items)
      for (const auto& rule : grammar_.with_left(symbol)) {
        const Index other = right.node_of[at(rule.right)];
        if (other != kNoTail) add(rule.parent, {node, other, rule.number, split});
      }
  }

  // Closes the items of a span in unary order: a closed item may add edges to later ones only.
  void close(Index begin, Index end) {
    Cell& here = cell(begin, end);
    while (!active_.empty()) {
      const Index symbol = grammar_.symbol_of_rank(*active_.begin());
      active_.erase(active_.begin());
      auto& list = pending_[at(symbol)];
      edges.insert(edges.end(), list.begin(), list.end());
      waiting_ -= list.size();
      list.clear();
      const auto node = static_cast<Index>(first_edge.size()) - 1;
      first_edge.push_back(static_cast<Index>(edges.size()));
      nodes.insert(nodes.end(), {begin, end, symbol});
      if (here.node_of.empty()) here.node_of.assign(at(grammar_.symbols()), kNoTail);
      here.items.push_back({symbol, node});
      here.node_of[at(symbol)] = node;
      for (const auto& rule : grammar_.with_child(symbol))
        add(rule.parent, {node, kNoTail, rule.number, kNoTail});
    }
  }

  const Grammar& grammar_;
  Index words_;
  std::size_t max_edges_, waiting_ = 0;
  std::vector<Cell> cells_;
  std::vector<std::vector<ChartEdge>> pending_;  // by symbol, for the span in work
  std::set<Index> active_;                       // ranks of symbols with pending edges
};

// Numbers parts according to what they share.
class PartNumbers {
 public:
  PartNumbers(Sharing sharing, Chart& chart) : sharing_(sharing), chart_(chart) {}

  Index number(Index rule, Index begin, Index split, Index end) {
    if (sharing_ == Sharing::kNone) return append(rule, begin, split, end);
    if (sharing_ == Sharing::kRule) begin = end = 0;
    const std::uint64_t span =
        static_cast<std::uint64_t>(begin) << 16 | static_cast<std::uint64_t>(end);
    const std::uint64_t key = static_cast<std::uint64_t>(rule) << 32 | span;
    const auto [found, is_new] = numbers_.try_emplace(key, chart_.forest.parts);
    if (!is_new) return found->second;
    return sharing_ == Sharing::kRule ? append(rule, -1, -1, -1) : append(rule, begin, -1, end);
  }

  Index append(Index rule, Index begin, Index split, Index end) {
    chart_.parts.insert(chart_.parts.end(), {rule, begin, split, end});
    return chart_.forest.parts++;
  }

 private:
  Sharing sharing_;
  Chart& chart_;
  std::unordered_map<std::uint64_t, Index> numbers_;
};

// The sub-chart below one node, as a forest with numbered parts.
void pack(const ChartBuilder& builder, Index goal, Sharing sharing, Chart& chart) {
  std::vector<std::uint8_t> used(at(goal) + 1, 0);
  used[at(goal)] = 1;
  for (Index v = goal; v >= 0; --v)
    for (Index e = builder.first_edge[at(v)]; used[at(v)] && e < builder.first_edge[at(v) + 1]; ++e)
      for (const Index tail : {builder.edges[at(e)].left, builder.edges[at(e)].right})
        if (tail != kNoTail) used[at(tail)] = 1;

  PartNumbers parts(sharing, chart);
  NodeValues<Index> number(goal + 1, kNoTail);
  for (Index v = 0; v <= goal; ++v) {
    if (!used[at(v)]) continue;
    const Index begin = builder.nodes[3 * at(v)], end = builder.nodes[3 * at(v) + 1];
    for (Index e = builder.first_edge[at(v)]; e < builder.first_edge[at(v) + 1]; ++e) {
      const ChartEdge& edge = builder.edges[at(e)];
      const Index part =
          edge.rule == kEntry ? edge.split : parts.number(edge.rule, begin, edge.split, end);
      chart.forest.add_edge(number[edge.left], number[edge.right], part);
    }
    number[v] = chart.forest.close_node();
    chart.nodes.insert(chart.nodes.end(), {begin, end, builder.nodes[3 * at(v) + 2]});
  }
}

}  // namespace

Grammar::Grammar(Index symbols, std::span<const Index> binary, std::span<const Index> unary)
    : symbols_(symbols), by_left_(at(std::max(symbols, 0))), by_child_(by_left_.size()) {
  if (symbols < 1) fail("a grammar needs at least one symbol");
  if (binary.size() % 3 != 0 || unary.size() % 2 != 0) fail("rule tables have the wrong width");
  Index number = 0;
  for (std::size_t i = 0; i < binary.size(); i += 3, ++number) {
    for (std::size_t k = 0; k < 3; ++k)
      check_symbol(binary[i + k], symbols, "binary rule " + std::to_string(number));
    by_left_[at(binary[i + 1])].push_back({binary[i + 2], binary[i], number});
  }
  for (std::size_t i = 0; i < unary.size(); i += 2, ++number) {
    for (std::size_t k = 0; k < 2; ++k)
      check_symbol(unary[i + k], symbols, "unary rule " + std::to_string(number));
    by_child_[at(unary[i + 1])].push_back({unary[i], number});
  }
  rank_symbols();
}

// Kahn's algorithm, smallest symbol first.
void Grammar::rank_symbols() {
  std::vector<Index> children(at(symbols_), 0);
  for (const auto& rules : by_child_)
    for (const auto& rule : rules) ++children[at(rule.parent)];
  std::set<Index> ready;
  for (Index s = 0; s < symbols_; ++s)
    if (children[at(s)] == 0) ready.insert(s);
  rank_.assign(at(symbols_), -1);
  while (!ready.empty()) {
    const Index s = *ready.begin();
    ready.erase(ready.begin());
    rank_[at(s)] = static_cast<Index>(order_.size());
    order_.push_back(s);
    for (const auto& rule : by_child_[at(s)])
      if (--children[at(rule.parent)] == 0) ready.insert(rule.parent);
  }
  for (Index s = 0; s < symbols_; ++s)
    if (rank_[at(s)] < 0) fail("symbol " + std::to_string(s) + " is on or above a unary cycle");
}

Chart build_chart(const Grammar& grammar, Index words, std::span<const Index> entry_word,
                  std::span<const Index> entry_symbol, Index goal, Sharing sharing,
                  std::size_t max_edges) {
  if (words < 1 || words > 2000) fail("a chart spans 1 to 2000 words");
  max_edges = std::min<std::size_t>(max_edges, std::numeric_limits<Index>::max());
  if (entry_word.size() != entry_symbol.size()) fail("entries need a word and a symbol each");
  check_symbol(goal, grammar.symbols(), "the goal");
  for (std::size_t i = 0; i < entry_word.size(); ++i) {
    if (entry_word[i] < 0 || entry_word[i] >= words)
      fail("entry " + std::to_string(i) + " is on word " + std::to_string(entry_word[i]) + " of " +
           std::to_string(words));
    check_symbol(entry_symbol[i], grammar.symbols(), "entry " + std::to_string(i));
  }
  ChartBuilder builder(grammar, words, max_edges);
  builder.build(entry_word, entry_symbol);
  Chart chart;
  PartNumbers entries(Sharing::kNone, chart);
  for (const Index word : entry_word) entries.append(kEntry, word, -1, word + 1);
  const Index top = builder.find(goal);
  if (top != kNoTail) pack(builder, top, sharing, chart);
  return chart;
}

}  // namespace treewright
