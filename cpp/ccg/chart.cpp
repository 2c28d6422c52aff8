// The full chart: items of the kept coarse nodes, edges and parts between them, as a forest.
#include <cmath>
#include <stdexcept>

#include "ccg/gold.hpp"
#include "ccg/items.hpp"
#include "core/deadline.hpp"

namespace treewright::ccg {

namespace {

constexpr int kMostHalvings = 8;
constexpr double kWiderCells = 2;

class Builder {
 public:
  Builder(const CcgGrammar& grammar, const CcgSentence& sentence, const ChartSettings& settings,
          const CcgGold& gold, const CoarseChart& coarse)
      : grammar_(grammar),
        settings_(settings),
        coarse_(coarse),
        gold_(gold),
        items_(grammar, sentence, settings.dependencies),
        first_(coarse.node.size() + 1, 0) {}

  // False if the chart is too large.
  bool build_items() {
    for (Index v = 0; v < static_cast<Index>(coarse_.node.size()); ++v) {
      first_[at(v)] = items_.size();
      if (coarse_.keep[at(v)] && !build_node(v)) return false;
      first_[at(v) + 1] = items_.size();
    }
    return true;
  }

  void add_goal() {
    for (const Index v : coarse_.root)  // those that pruning has left have items
      for_items(v, [&](Index item) {
        const bool gold = item_gold(item) && gold_.has_root(category_of(v));
        push(item, -1, top_part(PartKind::kRoot, v, item), gold);
      });
    close_goal(0, coarse_.words);
  }

  // G(j) = sum over nodes (i, j) of G(i) * node, and G(words) is the goal.
  void add_cover(const std::vector<std::vector<Index>>& ending) {
    std::vector<Index> glue(ending.size(), -1);
    for (std::size_t end = 1; end < ending.size(); ++end) {
      if (ending[end].empty()) continue;
      for (const Index v : ending[end]) {
        const Index before = glue[at(coarse_.node[at(v)].begin)];
        for_items(v, [&](Index item) {
          const Index part = top_part(PartKind::kGlue, v, item);
          before < 0 ? push(item, -1, part, false) : push(before, item, part, false);
        });
      }
      glue[end] = close_goal(0, static_cast<Index>(end));
    }
  }

  CcgChart finish() {
    chart_.dependency = items_.dependencies();
    chart_.forest.parts = parts_.size();
    for (Index p = 0; p < parts_.size(); ++p) list_part(parts_[p]);
    return std::move(chart_);
  }

 private:
  template <class Visit>
  void for_items(Index v, Visit visit) {
    for (Index item = first_[at(v)]; item < first_[at(v) + 1]; ++item) visit(item);
  }

  bool build_node(Index v) {
    check_deadline();
    const CoarseChart::Node& node = coarse_.node[at(v)];
    heads_.clear(), left_.clear(), right_.clear(), part_.clear(), gold_edge_.clear();
    const Index first = items_.size();
    for (Index e = node.first_edge; e < node.last_edge; ++e) {
      if (!coarse_.keep_edge[at(e)]) continue;
      const CoarseChart::Edge& edge = coarse_.edge[at(e)];
      if (edge.left < 0)
        add_lexical(v, edge.rule);
      else if (edge.right < 0)
        for_items(edge.left, [&](Index l) { add_edge(v, edge.rule, l, -1, -1); });
      else
        for_items(edge.left, [&](Index l) {
          for_items(edge.right, [&](Index r) {
            add_edge(v, edge.rule, l, r, coarse_.node[at(edge.right)].begin);
          });
        });
      if (at(items_.size()) > settings_.max_nodes ||
          chart_.forest.part.size() + part_.size() > settings_.max_edges)
        return false;
    }
    close_items(node, first);
    return true;
  }

  void add_lexical(Index v, Index cell) {
    items_.filled.clear();
    const Index item = items_.lexical(v, cell);
    const Index word = items_.words_of(cell);
    keep_edge(item, -1, -1, intern_part(PartKind::kLexical, cell, word, -1, word, -1, word + 1, 0),
              gold_.has_cell(cell));
  }

  void add_edge(Index v, Index number, Index l, Index r, Index split) {
    const CcgRule& rule = grammar_.rule(number);
    const CoarseChart::Node& node = coarse_.node[at(v)];
    const Index item = items_.apply(v, rule, l, r);
    const Index other = r < 0 ? -1 : items_.word(r);
    const Index due = gold_.known() && r >= 0 ? gold_.across(node.begin, split, node.end) : 0;
    const Index part = intern_part(r < 0 ? PartKind::kUnary : PartKind::kBinary, number,
                                   items_.word(l), other, node.begin, split, node.end, due);
    const bool gold = item_gold(l) && (r < 0 || item_gold(r)) &&
                      gold_.has_node(node.begin, split, node.end, rule);
    keep_edge(item, l, r, part, gold);
  }

  bool item_gold(Index item) const { return gold_.known() && is_gold_[at(item)]; }

  void keep_edge(Index item, Index l, Index r, Index part, bool gold) {
    heads_.push_back(item);
    left_.push_back(l);
    right_.push_back(r);
    part_.push_back(part);
    gold_edge_.push_back(gold);
  }

  // Groups the edges of a coarse node by items, which are the nodes of the forest.
  void close_items(const CoarseChart::Node& node, Index first) {
    const Index count = items_.size() - first;
    position_.assign(at(count) + 1, 0);
    is_gold_.resize(at(items_.size()), 0);
    for (std::size_t e = 0; e < heads_.size(); ++e) {
      ++position_[at(heads_[e] - first) + 1];
      if (gold_edge_[e]) is_gold_[at(heads_[e])] = 1;
    }
    ForestArrays& forest = chart_.forest;
    const std::size_t base = forest.part.size();
    for (Index i = 0; i < count; ++i) {
      position_[at(i) + 1] += position_[at(i)];
      forest.first_edge.push_back(static_cast<Index>(base) + position_[at(i) + 1]);
      chart_.node.insert(chart_.node.end(), {node.begin, node.end, node.symbol});
    }
    for (auto* array : {&forest.left, &forest.right, &forest.part})
      array->resize(base + heads_.size());
    chart_.gold_edge.resize(base + heads_.size());
    for (std::size_t e = 0; e < heads_.size(); ++e) {
      const std::size_t to = base + at(position_[at(heads_[e] - first)]++);
      forest.left[to] = left_[e];
      forest.right[to] = right_[e];
      forest.part[to] = part_[e];
      chart_.gold_edge[to] = gold_edge_[e];
    }
  }

  void push(Index left, Index right, Index part, bool gold) {
    chart_.forest.add_edge(left, right, part);
    chart_.gold_edge.push_back(gold);
  }

  Index category_of(Index v) const { return grammar_.category(coarse_.node[at(v)].symbol); }

  Index close_goal(Index begin, Index end) {
    chart_.node.insert(chart_.node.end(), {begin, end, -1});
    return chart_.forest.close_node();
  }

  Index top_part(PartKind kind, Index v, Index item) {
    const CoarseChart::Node& node = coarse_.node[at(v)];
    items_.filled.clear();
    return intern_part(kind, node.symbol, items_.word(item), -1, node.begin, -1, node.end, 0);
  }

  // Parts are merged if features and counts cannot distinguish them.
  Index intern_part(PartKind kind, Index what, Index left, Index right, Index begin, Index split,
                    Index end, Index due) {
    if (!settings_.spans) begin = split = end = -1;
    key_.assign({static_cast<Index>(kind), what, left, right, begin, split, end, due});
    key_.insert(key_.end(), items_.filled.begin(), items_.filled.end());
    return parts_(key_);
  }

  void list_part(std::span<const Index> key) {
    chart_.part.insert(chart_.part.end(), key.begin(), key.begin() + kPartColumns);
    const auto filled = key.subspan(kPartColumns + 1);
    chart_.filled.insert(chart_.filled.end(), filled.begin(), filled.end());
    chart_.first_filled.push_back(static_cast<Index>(chart_.filled.size()));
    if (!gold_.known()) return;
    Index correct = 0;
    for (const Index number : filled) {
      const auto row = items_.dependency(number);
      correct += gold_.has_dependency(items_.words_of(row[0]), row[1], row[2]);
    }
    chart_.n.push_back(static_cast<std::int16_t>(correct));
    chart_.d.push_back(static_cast<std::int16_t>(filled.size()));
    chart_.c.push_back(static_cast<std::int16_t>(std::max(correct, key[kPartColumns])));
  }

  const CcgGrammar& grammar_;
  const ChartSettings& settings_;
  const CoarseChart& coarse_;
  const CcgGold& gold_;
  Items items_;
  std::vector<Index> first_;  // items of a coarse node
  Interner parts_;
  CcgChart chart_;
  std::vector<std::uint8_t> is_gold_;                                // [items]
  std::vector<Index> heads_, left_, right_, part_, position_, key_;  // of the node at hand
  std::vector<std::uint8_t> gold_edge_;
};

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("CCG chart: ") + what);
}

void check(const CcgGrammar& grammar, const CcgSentence& s, const ChartSettings& settings) {
  require(s.first_cell.size() == at(s.words) + 1 && s.first_cell[0] == 0 &&
              at(s.first_cell.back()) == s.entry.size(),
          "first_cell must run from 0 to the number of cells");
  for (std::size_t w = 0; w < at(s.words); ++w)
    require(s.first_cell[w] <= s.first_cell[w + 1], "first_cell must not fall");
  require(s.entry.size() < (std::size_t{1} << 24), "too many lexical entries");
  for (const Index e : s.entry) require(e >= 0 && e < grammar.entries(), "unknown lexical entry");
  require(settings.max_unary >= 0 && settings.max_unary <= 3, "max_unary must lie in 0 to 3");
  require(s.cell_score.empty() || s.cell_score.size() == s.entry.size(),
          "scores and cells differ in number");
  for (const double score : s.cell_score) require(!std::isnan(score), "a score is not a number");
  require(settings.margin >= 0 && settings.cell_margin >= 0, "margins must not be negative");
  require(s.gold_cell.empty() || s.gold_cell.size() == s.entry.size(),
          "gold cells and cells differ in number");
  require(s.gold_node.size() % 6 == 0 && s.gold_dependency.size() % 3 == 0,
          "rows of gold are cut short");
  for (std::size_t i = 0; i < s.gold_dependency.size(); i += 3)
    for (const Index w : {s.gold_dependency[i], s.gold_dependency[i + 2]})
      require(w >= 0 && w < s.words, "a gold dependency is outside the sentence");
}

// The full chart of the analyses within the margin; false if it is too large.
bool build_fine(const CcgGrammar& grammar, const CcgSentence& sentence,
                const ChartSettings& settings, const CcgGold& gold, double margin,
                CoarseChart& coarse, CcgChart& chart) {
  std::ranges::fill(coarse.keep, 0);
  std::ranges::fill(coarse.keep_edge, 0);
  const bool whole = !coarse.root.empty();
  std::vector<std::vector<Index>> ending;
  if (whole) {
    prune(grammar, margin, coarse);
    if (settings.keep_gold) keep_gold(grammar, gold, coarse);
  } else {
    ending = cover(margin, coarse);
    if (ending.back().empty()) return true;
  }
  Builder builder(grammar, sentence, settings, gold, coarse);
  if (!builder.build_items()) return false;
  whole ? builder.add_goal() : builder.add_cover(ending);
  chart = builder.finish();
  chart.outcome = whole ? Outcome::kParsed : Outcome::kFragments;
  return true;
}

}  // namespace

CcgChart build_ccg_chart(const CcgGrammar& grammar, const CcgSentence& sentence,
                         const ChartSettings& settings) {
  check(grammar, sentence, settings);
  CcgChart chart;
  if (sentence.words == 0) return chart;
  CoarseChart coarse = build_coarse_chart(grammar, sentence, settings, settings.cell_margin);
  // If the cell margin removes all parses, it is doubled.
  if (coarse.root.empty() && !std::isinf(settings.cell_margin) && coarse.unknown.empty())
    coarse = build_coarse_chart(grammar, sentence, settings, kWiderCells * settings.cell_margin);
  if (coarse.too_large || !coarse.unknown.empty()) {
    chart.outcome = coarse.too_large ? Outcome::kTooLarge : Outcome::kUnknownPairs;
    chart.unknown = std::move(coarse.unknown);
    return chart;
  }
  if (coarse.root.empty() && !settings.fragments) return chart;
  const CcgGold gold(grammar, sentence);
  // A chart that is too large is rebuilt with half the margin, if it has one.
  double margin = settings.margin;
  for (int halvings = 0;; ++halvings, margin /= 2) {
    if (build_fine(grammar, sentence, settings, gold, margin, coarse, chart)) {
      chart.margin = margin;
      return chart;
    }
    if (std::isinf(margin) || halvings == kMostHalvings) break;
  }
  chart = CcgChart();
  chart.outcome = Outcome::kTooLarge;
  return chart;
}

}  // namespace treewright::ccg
