// The chart over symbols: which constituents there can be, before anybody looks at heads.
#include <array>
#include <cmath>
#include <limits>

#include "ccg.hpp"

namespace treewright {

namespace {

using Node = CoarseChart::Node;
using Edge = CoarseChart::Edge;
constexpr int kMaxLevel = 4;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The forms that a node remembers.
std::size_t state(Form form) {
  switch (form) {
    case Form::kForwardComposition:
      return 1;
    case Form::kBackwardComposition:
      return 2;
    case Form::kCoordination:
      return 3;
    default:
      return 0;
  }
}

// Eisner (1996): what a forward composition made is never the functor of a forward rule, and
// likewise backward. Of coordinations without a mark of their own, those that branch to the left.
bool is_normal_form(Form rule, Form left, Form right) {
  switch (rule) {
    case Form::kForwardComposition:
    case Form::kForwardApplication:
      return left != Form::kForwardComposition;
    case Form::kBackwardComposition:
    case Form::kBackwardApplication:
      return right != Form::kBackwardComposition;
    case Form::kCoordination:
      return right != Form::kCoordination;
    default:
      return true;
  }
}

struct Range {
  Index first, last;
};

// The rules of pairs of symbols, in a table over those that the sentence has: most pairs have none,
// and the table stays in the cache.
class LocalPairs {
 public:
  explicit LocalPairs(const CcgGrammar& grammar)
      : grammar_(grammar), number_(at(grammar.symbols()), -1) {}

  Index local(Index symbol) {
    Index& number = number_[at(symbol)];
    if (number < 0) {
      number = static_cast<Index>(symbols_.size());
      symbols_.push_back(symbol);
      if (symbols_.size() > width_) grow();
    }
    return number;
  }
  Range of(Index left, Index right) {
    Range& range = table_[at(left) * width_ + at(right)];
    if (range.first == kNotYet) range = look_up(left, right);
    return range;
  }
  std::vector<Index> unknown() const { return unknown_; }

 private:
  static constexpr Index kNotYet = -1;

  Range look_up(Index left, Index right) {
    const Index l = symbols_[at(left)], r = symbols_[at(right)];
    const auto found = grammar_.rules(l, r);
    if (!found.known) unknown_.insert(unknown_.end(), {l, r});
    return {found.first, found.last};
  }
  void grow() {
    const std::size_t wider = std::max<std::size_t>(32, 2 * width_);
    std::vector<Range> table(wider * wider, Range{kNotYet, kNotYet});
    for (std::size_t l = 0; l < width_; ++l)
      for (std::size_t r = 0; r < width_; ++r) table[l * wider + r] = table_[l * width_ + r];
    table_ = std::move(table);
    width_ = wider;
  }

  const CcgGrammar& grammar_;
  std::vector<Index> number_, symbols_, unknown_;
  std::vector<Range> table_;
  std::size_t width_ = 0;
};

class Builder {
 public:
  Builder(const CcgGrammar& grammar, const CcgSentence& sentence, const ChartSettings& settings)
      : grammar_(grammar),
        sentence_(sentence),
        settings_(settings),
        pairs_(grammar),
        number_(at(grammar.symbols()) * kForms * kMaxLevel, -1) {
    chart_.words = sentence.words;
    const std::size_t cells = at(sentence.words + 1) * at(sentence.words + 1);
    chart_.first_node.assign(cells, 0);
    chart_.last_node.assign(cells, 0);
    for (Index w = 0; w < sentence.words; ++w) marked_.push_back(is_marked(w));
  }

  CoarseChart build() {
    for (Index length = 1; length <= sentence_.words; ++length)
      for (Index begin = 0; begin + length <= sentence_.words; ++begin) {
        fill(begin, begin + length);
        if (chart_.too_large) return std::move(chart_);
      }
    list_unknown();
    find_roots();
    return std::move(chart_);
  }

 private:
  static constexpr std::size_t kForms = 4;

  bool is_marked(Index word) const {
    for (Index c = sentence_.first_cell[at(word)]; c < sentence_.first_cell[at(word) + 1]; ++c)
      if (grammar_.marks(grammar_.entry_symbol(sentence_.entry[at(c)]))) return true;
    return false;
  }

  void fill(Index begin, Index end) {
    const auto first = static_cast<Index>(chart_.node.size());
    chart_.first_node[chart_.cell(begin, end)] = first;
    if (end == begin + 1)
      for (Index c = sentence_.first_cell[at(begin)]; c < sentence_.first_cell[at(end)]; ++c)
        add(begin, end, grammar_.entry_symbol(sentence_.entry[at(c)]), Form::kOther, 0,
            {c, -1, -1});
    for (Index split = begin + 1; split < end; ++split) combine(begin, split, end);
    for (Index v = first; v < static_cast<Index>(chart_.node.size()); ++v) change(v);
    if (!std::isinf(settings_.cell_margin)) thin_out(first);
    close(begin, end, first);
  }

  void combine(Index begin, Index split, Index end) {
    const std::size_t left = chart_.cell(begin, split), right = chart_.cell(split, end);
    const Index first = chart_.first_node[right], last = chart_.last_node[right];
    if (first == last) return;
    for (Index l = chart_.first_node[left]; l < chart_.last_node[left]; ++l) {
      if (!grammar_.combines_left(chart_.node[at(l)].symbol)) continue;
      for (Index r = first; r < last; ++r) {
        const Range range = pairs_.of(local_[at(l)], local_[at(r)]);
        for (Index rule = range.first; rule < range.last; ++rule) apply(begin, end, rule, l, r);
      }
    }
  }

  void apply(Index begin, Index end, Index number, Index l, Index r) {
    const CcgRule& rule = grammar_.rule(number);
    if (rule.form == Form::kCoordination && !marked_[at(chart_.node[at(r)].begin)]) return;
    if (settings_.normal_form &&
        !is_normal_form(rule.form, chart_.node[at(l)].form, chart_.node[at(r)].form))
      return;
    add(begin, end, rule.result, rule.form, 0, {number, l, r});
  }

  void change(Index v) {
    const Node node = chart_.node[at(v)];
    if (node.level >= settings_.max_unary) return;
    const auto range = grammar_.rules(node.symbol, -1);
    for (Index rule = range.first; rule < range.last; ++rule)
      add(node.begin, node.end, grammar_.rule(rule).result, Form::kOther,
          static_cast<std::uint8_t>(node.level + 1), {rule, v, -1});
  }

  void add(Index begin, Index end, Index symbol, Form form, std::uint8_t level, Edge edge) {
    if (!settings_.normal_form) form = Form::kOther;
    const std::size_t key = (at(symbol) * kForms + state(form)) * kMaxLevel + level;
    if (number_[key] < 0) {
      number_[key] = static_cast<Index>(chart_.node.size());
      keys_.push_back(key);
      chart_.node.push_back({begin, end, symbol, form, level, 0, 0});
      local_.push_back(pairs_.local(symbol));
    }
    heads_.push_back(number_[key]);
    edges_.push_back(edge);
  }

  double score(const Edge& edge) const {
    if (edge.left < 0)
      return sentence_.cell_score.empty() ? 0.0 : sentence_.cell_score[at(edge.rule)];
    const double below = inside_[at(edge.left)] + (edge.right < 0 ? 0.0 : inside_[at(edge.right)]);
    return grammar_.rule_score(grammar_.rule(edge.rule)) + below;
  }

  // Drops the nodes of a span that the coarse model puts far behind its best one. A unary rule's
  // result is never ahead of its child, so no kept node loses all its edges.
  void thin_out(Index first) {
    inside_.resize(chart_.node.size(), -std::numeric_limits<double>::infinity());
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      double& inside = inside_[at(heads_[e])];
      inside = std::max(inside, score(edges_[e]));
      best = std::max(best, inside);
    }
    std::vector<Index> moved(chart_.node.size() - at(first), -1);
    Index next = first;
    for (Index v = first; v < static_cast<Index>(chart_.node.size()); ++v)
      if (inside_[at(v)] >= best - settings_.cell_margin) {
        chart_.node[at(next)] = chart_.node[at(v)];
        inside_[at(next)] = inside_[at(v)];
        local_[at(next)] = local_[at(v)];
        moved[at(v - first)] = next++;
      }
    chart_.node.resize(at(next)), inside_.resize(at(next)), local_.resize(at(next));
    move_edges(first, moved);
  }

  void move_edges(Index first, const std::vector<Index>& moved) {
    std::size_t kept = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      Edge edge = edges_[e];
      const Index head = moved[at(heads_[e] - first)];
      if (edge.left >= first) edge.left = moved[at(edge.left - first)];
      if (head < 0 || (edges_[e].left >= 0 && edge.left < 0)) continue;
      heads_[kept] = head;
      edges_[kept++] = edge;
    }
    heads_.resize(kept), edges_.resize(kept);
  }

  // Groups the edges of a finished span by their nodes.
  void close(Index begin, Index end, Index first) {
    const auto last = static_cast<Index>(chart_.node.size());
    chart_.last_node[chart_.cell(begin, end)] = last;
    std::vector<Index> position(at(last - first) + 1, 0);
    for (const Index head : heads_) ++position[at(head - first) + 1];
    const auto base = static_cast<Index>(chart_.edge.size());
    for (Index v = first; v < last; ++v) {
      chart_.node[at(v)].first_edge = base + position[at(v - first)];
      position[at(v - first) + 1] += position[at(v - first)];
      chart_.node[at(v)].last_edge = base + position[at(v - first) + 1];
    }
    chart_.edge.resize(chart_.edge.size() + edges_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e)
      chart_.edge[at(base + position[at(heads_[e] - first)]++)] = edges_[e];
    for (const std::size_t key : keys_) number_[key] = -1;
    keys_.clear(), heads_.clear(), edges_.clear();
    chart_.too_large = chart_.edge.size() > settings_.max_edges;
  }

  void list_unknown() { chart_.unknown = pairs_.unknown(); }

  void find_roots() {
    chart_.keep.assign(chart_.node.size(), 0);
    chart_.keep_edge.assign(chart_.edge.size(), 0);
    const std::size_t all = chart_.cell(0, sentence_.words);
    for (Index v = chart_.first_node[all]; v < chart_.last_node[all]; ++v)
      if (grammar_.is_root(chart_.node[at(v)].symbol)) chart_.root.push_back(v);
  }

  const CcgGrammar& grammar_;
  const CcgSentence& sentence_;
  const ChartSettings& settings_;
  CoarseChart chart_;
  LocalPairs pairs_;
  std::vector<double> inside_;        // [nodes], where nodes are thinned out
  std::vector<Index> local_;          // the pairs' numbers of the nodes' symbols
  std::vector<std::uint8_t> marked_;  // words that a right conjunct may begin with
  std::vector<Index> number_;         // of the node with a key, in the span at hand
  std::vector<std::size_t> keys_;     // in use
  std::vector<Index> heads_;          // of edges_
  std::vector<Edge> edges_;
};

}  // namespace

CoarseChart build_coarse_chart(const CcgGrammar& grammar, const CcgSentence& sentence,
                               const ChartSettings& settings) {
  return Builder(grammar, sentence, settings).build();
}

}  // namespace treewright
