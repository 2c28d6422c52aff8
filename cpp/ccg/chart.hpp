// CCG charts: from lexical entries and compiled schemas to forests (docs/theory.md, section 10).
//
// Everything is an integer here. A symbol is a category with head variables; a rule maps two
// symbols (or one) to a result, with a mapping of variables; an entry is a symbol with slots, each
// of which is filled by the head of a variable. Python compiles the grammar,
// `src/treewright/grammar`.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/forest.hpp"
#include "core/interner.hpp"

namespace treewright::ccg {

// The form of a rule, for constraints on derivations.
enum class Form : std::uint8_t {
  kOther,
  kForwardComposition,
  kBackwardComposition,
  kForwardApplication,
  kBackwardApplication,
  kCoordination
};

struct CcgRule {
  Index left, right;  // symbols; right is -1 in a unary rule
  Index result;       // symbol
  Index number;       // of the rule over plain categories, which is what features see
  Form form;
  std::uint8_t head;          // the side that gives the lexical head: 0 or 1
  std::uint8_t variables;     // of both sides together, after those that meet have become one
  Index left_map, right_map;  // first positions in `maps`
};

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr std::size_t kRuleColumns = 9;
// The position of a slot: the cell of its word, its index among the entry's slots.
constexpr Index kSlotsPerCell = 64;

class CcgGrammar {
 public:
  // rules: [rules][kRuleColumns] in the order of CcgRule, sorted by left and right; empty_pairs:
  // [pairs][2], combinations known to have no rule, only needed if not `closed`: then any other
  // pair is unknown, and charts report it. slots: [slots][2] variable, relation. Throws
  // std::invalid_argument.
  CcgGrammar(std::span<const std::uint8_t> variables, std::span<const Index> category,
             std::span<const std::uint8_t> root, std::span<const std::uint8_t> mark,
             std::span<const Index> rules, std::span<const std::uint8_t> maps,
             std::span<const Index> entry_symbol, std::span<const Index> first_slot,
             std::span<const Index> slots, std::span<const Index> empty_pairs,
             std::span<const double> rule_score, std::span<const double> root_score,
             std::span<const double> prior, bool closed);

  struct Range {
    Index first, last;
    bool known;
  };
  Index symbols() const { return static_cast<Index>(variables_.size()); }
  Index entries() const { return static_cast<Index>(entry_symbol_.size()); }
  Index rule_count() const { return static_cast<Index>(rules_.size()); }
  int variables(Index symbol) const { return variables_[at(symbol)]; }
  Index category(Index symbol) const { return category_[at(symbol)]; }
  bool marks(Index symbol) const { return mark_.empty() || mark_[at(symbol)]; }
  bool is_root(Index symbol) const { return root_[at(symbol)] != 0; }
  double root_score(Index symbol) const { return root_score_[at(symbol)]; }
  double prior(Index symbol) const { return prior_[at(symbol)]; }
  // The maximum that a rule with this left child adds to the merit of its result.
  double best_as_left(Index symbol) const { return best_as_left_[at(symbol)]; }
  double rule_score(const CcgRule& rule) const { return rule_score_[at(rule.number)]; }
  const CcgRule& rule(Index number) const { return rules_[at(number)]; }
  const std::uint8_t* map(Index offset) const { return maps_.data() + offset; }
  Index entry_symbol(Index entry) const { return entry_symbol_[at(entry)]; }
  std::span<const std::pair<Index, Index>> slots(Index entry) const;
  bool combines_left(Index symbol) const { return as_left_[at(symbol)] || !closed_; }
  // The rules of two symbols, or of one if right is -1.
  Range rules(Index left, Index right) const;

 private:
  void read_rules(std::span<const Index> rows, std::span<const Index> empty_pairs);
  void check_rule(const CcgRule& rule) const;
  void take_left(const CcgRule& rule);

  std::vector<std::uint8_t> variables_, root_, mark_, maps_, as_left_;
  std::vector<double> rule_score_, root_score_, prior_, best_as_left_;
  std::vector<Index> category_, entry_symbol_, first_slot_;
  std::vector<std::pair<Index, Index>> slots_;
  std::vector<CcgRule> rules_;
  std::vector<std::pair<Index, Index>> ranges_;  // of the pairs in pairs_
  KeyTable pairs_;
  std::vector<Range> unary_;
  bool closed_;
};

struct ChartSettings {
  bool normal_form = true;   // Eisner's constraints; coordination to the left
  bool dependencies = true;  // items know all heads and unfilled slots, not the lexical head alone
  bool spans = false;        // parts know the span they are used over
  bool fragments = false;    // without a parse: the fewest constituents that cover the sentence
  bool keep_gold = false;    // the margin spares gold
  int max_unary = 2;         // unary rules in a row
  double margin = 0;         // edges of analyses that the coarse model puts further behind its best
                             // one are left out; infinite: none
  double cell_margin = 0;    // the same among the constituents of a span, by what is below them and
                             // how frequent they are; twice that where it leaves no parse
  std::size_t max_nodes = 1'000'000, max_edges = 20'000'000;
};

// The lexical entries of a sentence, and its gold analysis if known.
struct CcgSentence {
  Index words = 0;
  std::span<const Index> first_cell;        // [words + 1]
  std::span<const Index> entry;             // [cells]
  std::span<const double> cell_score;       // [cells], of the coarse model
  std::span<const std::uint8_t> gold_cell;  // [cells], or empty
  std::span<const Index> gold_node;  // [nodes][6]: begin, split (-1: unary), end, categories of
                                     // the node, its left and its right child; the root is last
  std::span<const Index> gold_dependency;  // [dependencies][3]: functor, relation, argument
};

enum class Outcome : std::uint8_t { kParsed, kFragments, kNoParse, kTooLarge, kUnknownPairs };
enum class PartKind : std::uint8_t { kLexical, kUnary, kBinary, kRoot, kGlue };
constexpr int kPartColumns =
    7;  // kind, rule or cell or symbol, heads left, right, begin, split, end

struct CcgChart {
  Outcome outcome = Outcome::kNoParse;
  double margin = 0;  // that was used
  ForestArrays forest;
  std::vector<Index> node;              // [nodes][3] begin, end, symbol (-1: goal, glue)
  std::vector<Index> part;              // [parts][kPartColumns]
  std::vector<Index> first_filled{0};   // [parts + 1], into filled
  std::vector<Index> filled;            // dependencies that a part fills
  std::vector<Index> dependency;        // [dependencies][3] functor's cell, relation, argument
  std::vector<std::int16_t> n, d, c;    // [parts]
  std::vector<std::uint8_t> gold_edge;  // [edges]
  std::vector<Index> unknown;           // [pairs][2] that the grammar must compile first
};

CcgChart build_ccg_chart(const CcgGrammar& grammar, const CcgSentence& sentence,
                         const ChartSettings& settings);

class CcgGold;

// The chart over symbols alone, which determines the nodes of the full chart.
struct CoarseChart {
  struct Node {
    Index begin, end, symbol;
    Form form;
    std::uint8_t level;  // unary rules since the last word or binary rule
    Index first_edge, last_edge;
  };
  struct Edge {
    Index rule;         // the cell's number where left is -1
    Index left, right;  // nodes, -1: none
    double score;       // of the rule or the cell
  };
  std::vector<Node> node;
  std::vector<double> inside;  // [nodes], the best analysis below
  std::vector<Edge> edge;
  std::vector<Index> first_node;  // of the span `cell(begin, end)`, in order of building
  std::vector<Index> last_node;
  std::vector<std::uint8_t> keep;  // [nodes]: part of an analysis of the sentence
  std::vector<std::uint8_t> keep_edge;
  std::vector<Index> root;  // nodes over the whole sentence that may be one
  std::vector<Index> unknown;
  bool too_large = false;

  // The best analysis below an edge.
  double through(const Edge& edge) const {
    double sum = edge.score;
    if (edge.left >= 0) sum += inside[static_cast<std::size_t>(edge.left)];
    if (edge.right >= 0) sum += inside[static_cast<std::size_t>(edge.right)];
    return sum;
  }
  std::size_t cell(Index begin, Index end) const {
    return static_cast<std::size_t>(begin) * static_cast<std::size_t>(words + 1) +
           static_cast<std::size_t>(end);
  }
  Index words = 0;
};

CoarseChart build_coarse_chart(const CcgGrammar& grammar, const CcgSentence& sentence,
                               const ChartSettings& settings, double cell_margin);
// Marks the nodes of analyses within the margin as kept.
void prune(const CcgGrammar& grammar, double margin, CoarseChart& chart);
// Marks the nodes of gold derivations as kept too.
void keep_gold(const CcgGrammar& grammar, const CcgGold& gold, CoarseChart& chart);
// Nodes that end at each position, over ways to cover the sentence with as few
// as possible; marks them and all below them as kept.
std::vector<std::vector<Index>> cover(double margin, CoarseChart& chart);

}  // namespace treewright::ccg
