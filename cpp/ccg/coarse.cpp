// The chart over symbols: the possible constituents, without heads.
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "ccg/pairs.hpp"
#include "core/deadline.hpp"

namespace treewright::ccg {

namespace {

using Node = CoarseChart::Node;
using Edge = CoarseChart::Edge;
constexpr int kMaxLevel = 4;

// The forms of rules that a node records.
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

// Eisner (1996): the result of a forward composition is never the functor of a forward rule, and
// likewise backward. Coordinations without a mark only branch to the left.
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

class Builder {
 public:
  Builder(const CcgGrammar& grammar, const CcgSentence& sentence, const ChartSettings& settings,
          double cell_margin)
      : grammar_(grammar),
        sentence_(sentence),
        settings_(settings),
        cell_margin_(cell_margin),
        pairs_(grammar),
        index_(at(sentence.words + 1) * at(sentence.words + 1)) {
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
    check_deadline();
    const auto first = static_cast<Index>(chart_.node.size());
    chart_.first_node[chart_.cell(begin, end)] = first;
    best_ = kNever;
    // Over the whole sentence, pruning compares roots.
    margin_ = end - begin < sentence_.words ? cell_margin_ : -kNever;
    if (end == begin + 1)
      for (Index c = sentence_.first_cell[at(begin)]; c < sentence_.first_cell[at(end)]; ++c)
        add_lexical(begin, c);
    for (Index split = begin + 1; split < end; ++split) combine(begin, split, end);
    for (Index v = first; v < static_cast<Index>(chart_.node.size()); ++v) change(v);
    if (!std::isinf(margin_)) thin_out(first);
    close(begin, end, first);
  }

  void add_lexical(Index word, Index c) {
    const double score = sentence_.cell_score.empty() ? 0.0 : sentence_.cell_score[at(c)];
    const Index symbol = grammar_.entry_symbol(sentence_.entry[at(c)]);
    add(word, word + 1, symbol, Form::kOther, 0, {c, -1, -1, score});
  }

  // The merit of a constituent within its span: inside * p(category).
  double merit(const Edge& edge, Index symbol) const {
    return chart_.through(edge) + grammar_.prior(symbol);
  }
  double worst() const { return best_ - margin_; }

  void combine(Index begin, Index split, Index end) {
    const SymbolIndex::Cell& left = index_.cell(chart_.cell(begin, split));
    const SymbolIndex::Cell& right = index_.cell(chart_.cell(split, end));
    for (std::size_t g = left.first_group; g < left.last_group; ++g) {
      const SymbolIndex::Group& group = index_.group(g);
      const double most = group.best + grammar_.best_as_left(symbol_of(group));
      if (most + right.best < worst()) continue;
      for (std::size_t w = right.first_word; w < right.last_word; ++w)
        combine(begin, end, group, most, w, w - right.first_word);
    }
  }

  // Combines a group with symbols word * 64 .. of the right span; most: its best result alone.
  void combine(Index begin, Index end, const SymbolIndex::Group& left, double most, std::size_t w,
               std::size_t word) {
    for (std::uint64_t bits = pairs_.partners(left.symbol, word) & index_.present(w); bits;
         bits &= bits - 1) {
      const int bit = std::countr_zero(bits);
      const SymbolIndex::Group& right = index_.find(w, bit);
      if (most + right.best < worst()) continue;
      const LocalPairs::Range range = pairs_.of(left.symbol, right.symbol);
      for (Index l = left.first; l < left.last; ++l)
        for (Index r = right.first; r < right.last; ++r)
          for (Index rule = range.first; rule < range.last; ++rule)
            apply(begin, end, rule, index_.node(l), index_.node(r));
    }
  }
  Index symbol_of(const SymbolIndex::Group& group) const {
    return chart_.node[at(index_.node(group.first))].symbol;
  }

  void apply(Index begin, Index end, Index number, Index l, Index r) {
    const CcgRule& rule = grammar_.rule(number);
    if (rule.form == Form::kCoordination && !marked_[at(chart_.node[at(r)].begin)]) return;
    if (settings_.normal_form &&
        !is_normal_form(rule.form, chart_.node[at(l)].form, chart_.node[at(r)].form))
      return;
    add(begin, end, rule.result, rule.form, 0, {number, l, r, grammar_.rule_score(rule)});
  }

  void change(Index v) {
    const Node node = chart_.node[at(v)];
    if (node.level >= settings_.max_unary) return;
    const auto range = grammar_.rules(node.symbol, -1);
    for (Index number = range.first; number < range.last; ++number) {
      const CcgRule& rule = grammar_.rule(number);
      add(node.begin, node.end, rule.result, Form::kOther,
          static_cast<std::uint8_t>(node.level + 1), {number, v, -1, grammar_.rule_score(rule)});
    }
  }

  void add(Index begin, Index end, Index symbol, Form form, std::uint8_t level, Edge edge) {
    const double found = merit(edge, symbol);
    if (found < worst()) return;
    best_ = std::max(best_, found);
    if (!settings_.normal_form) form = Form::kOther;
    const Index local = pairs_.local(symbol);
    const std::size_t key = (at(local) * kForms + state(form)) * kMaxLevel + level;
    if (key >= number_.size()) number_.resize(2 * key + kForms * kMaxLevel, -1);
    if (number_[key] < 0) {
      number_[key] = static_cast<Index>(chart_.node.size());
      keys_.push_back(key);
      chart_.node.push_back({begin, end, symbol, form, level, 0, 0});
      chart_.inside.push_back(kNever);
      local_.push_back(local);
    }
    double& inside = chart_.inside[at(number_[key])];
    inside = std::max(inside, chart_.through(edge));
    heads_.push_back(number_[key]);
    edges_.push_back(edge);
  }

  // Drops constituents that were added before better ones. Edges are dropped with the child of
  // their unary rule; a node without edges is dropped too.
  void thin_out(Index first) {
    moved_.assign(chart_.node.size() - at(first), -1);
    std::size_t kept = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e)
      if (is_kept(first, edges_[e], chart_.node[at(heads_[e])].symbol)) {
        moved_[at(heads_[e] - first)] = 0;
        heads_[kept] = heads_[e];
        edges_[kept++] = edges_[e];
      }
    heads_.resize(kept), edges_.resize(kept);
    close_ranks(first);
    for (Index& head : heads_) head = moved_[at(head - first)];
    for (Edge& edge : edges_)
      if (edge.left >= first) edge.left = moved_[at(edge.left - first)];
  }

  // Edges come after those of the child of their unary rule.
  bool is_kept(Index first, const Edge& edge, Index symbol) const {
    return merit(edge, symbol) >= worst() &&
           (edge.left < first || moved_[at(edge.left - first)] >= 0);
  }

  void close_ranks(Index first) {
    Index next = first;
    for (Index v = first; v < static_cast<Index>(chart_.node.size()); ++v) {
      Index& to = moved_[at(v - first)];
      if (to < 0) continue;
      to = next++;
      chart_.node[at(to)] = chart_.node[at(v)];
      chart_.inside[at(to)] = chart_.inside[at(v)];
      local_[at(to)] = local_[at(v)];
    }
    chart_.node.resize(at(next)), chart_.inside.resize(at(next)), local_.resize(at(next));
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
    index_.add(chart_.cell(begin, end), first, local_, chart_.inside);
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
  double cell_margin_;
  CoarseChart chart_;
  LocalPairs pairs_;
  SymbolIndex index_;
  double best_ = kNever;              // merit in the span at hand
  double margin_ = 0;                 // below it
  std::vector<Index> local_;          // the pairs' numbers of the nodes' symbols
  std::vector<std::uint8_t> marked_;  // words that a right conjunct may begin with
  std::vector<Index> number_;         // of the node with a key, in the span at hand
  std::vector<std::size_t> keys_;     // in use
  std::vector<Index> moved_;          // where nodes of the span go; -1: nowhere
  std::vector<Index> heads_;          // of edges_
  std::vector<Edge> edges_;
};

}  // namespace

CoarseChart build_coarse_chart(const CcgGrammar& grammar, const CcgSentence& sentence,
                               const ChartSettings& settings, double cell_margin) {
  return Builder(grammar, sentence, settings, cell_margin).build();
}

}  // namespace treewright::ccg
