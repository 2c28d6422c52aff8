// Bindings of CCG charts.
#include "bind/bind.hpp"
#include "ccg/chart.hpp"
#include "ccg/features.hpp"

namespace treewright::bind {

using namespace treewright::ccg;

namespace {

// A chart with the sentence that it was built from, which features read.
struct BoundChart {
  std::vector<Index> first_cell, entry;
  CcgChart core;
  CcgSentence sentence() const {
    CcgSentence s;
    s.words = static_cast<Index>(first_cell.size()) - 1;
    s.first_cell = first_cell;
    s.entry = entry;
    return s;
  }
};

struct BoundWords {
  In<Key> attribute;
  In<Index> verbs, stops;
  Words core;
  BoundWords(In<Key> a, In<Index> v, In<Index> s, Index columns)
      : attribute(a), verbs(v), stops(s), core{{view(a), columns}, view(v), view(s)} {}
};

template <class T>
std::span<const T> view_or_none(const std::optional<In<T>>& array) {
  return array ? view(*array) : std::span<const T>{};
}

BoundChart build(const CcgGrammar& grammar, const In<Index>& first_cell, const In<Index>& entry,
                 const ChartSettings& settings, const std::optional<In<double>>& cell_score,
                 const std::optional<In<std::uint8_t>>& gold_cell,
                 const std::optional<In<Index>>& gold_node,
                 const std::optional<In<Index>>& gold_dependency) {
  if (first_cell.size() == 0) throw std::invalid_argument("CCG chart: first_cell is empty");
  BoundChart chart{copy(first_cell), copy(entry), {}};
  CcgSentence sentence = chart.sentence();
  sentence.cell_score = view_or_none(cell_score);
  sentence.gold_cell = view_or_none(gold_cell);
  sentence.gold_node = view_or_none(gold_node);
  sentence.gold_dependency = view_or_none(gold_dependency);
  chart.core = unlocked([&] { return build_ccg_chart(grammar, sentence, settings); });
  return chart;
}

void bind_grammar(nb::module_& m) {
  nb::class_<CcgGrammar>(m, "CcgGrammar", "A compiled CCG: symbols, rules, lexical entries.")
      .def(
          "__init__",
          [](CcgGrammar* self, const In<std::uint8_t>& variables, const In<Index>& category,
             const In<std::uint8_t>& root, const In<std::uint8_t>& mark, const In<Index>& rules,
             const In<std::uint8_t>& maps, const In<Index>& entry_symbol,
             const In<Index>& first_slot, const In<Index>& slots, const In<Index>& empty_pairs,
             const In<double>& rule_score, const In<double>& root_score, const In<double>& prior,
             bool closed) {
            new (self) CcgGrammar(view(variables), view(category), view(root), view(mark),
                                  view(rules), view(maps), view(entry_symbol), view(first_slot),
                                  view(slots), view(empty_pairs), view(rule_score),
                                  view(root_score), view(prior), closed);
          },
          "variables"_a, "category"_a, "root"_a, "mark"_a, "rules"_a, "maps"_a, "entry_symbol"_a,
          "first_slot"_a, "slots"_a, "empty_pairs"_a, "rule_score"_a, "root_score"_a, "prior"_a,
          "closed"_a);
  nb::class_<ChartSettings>(m, "CcgChartSettings", "What a CCG chart contains, and its limits.")
      .def(
          "__init__",
          [](ChartSettings* self, bool normal_form, bool dependencies, bool spans, bool fragments,
             bool keep_gold, int max_unary, double margin, double cell_margin,
             std::size_t max_nodes, std::size_t max_edges) {
            new (self) ChartSettings{normal_form, dependencies, spans,       fragments, keep_gold,
                                     max_unary,   margin,       cell_margin, max_nodes, max_edges};
          },
          "normal_form"_a, "dependencies"_a, "spans"_a, "fragments"_a, "keep_gold"_a, "max_unary"_a,
          "margin"_a, "cell_margin"_a, "max_nodes"_a, "max_edges"_a);
}

void bind_chart(nb::module_& m) {
  using Chart = const BoundChart&;
  nb::class_<BoundChart>(m, "CcgChart", "A CCG chart as a forest, and what its parts stand for.")
      .def_prop_ro(
          "outcome", [](Chart c) { return static_cast<int>(c.core.outcome); },
          "0 parsed, 1 fragments, 2 no parse, 3 too large, 4 unknown pairs")
      .def_prop_ro(
          "margin", [](Chart c) { return c.core.margin; }, "the margin that was used")
      .def(
          "forest",
          [](Chart c) {
            ForestArrays f = c.core.forest;
            return std::make_tuple(give(std::move(f.first_edge)), give(std::move(f.left)),
                                   give(std::move(f.right)), give(std::move(f.part)), f.parts);
          },
          "first_edge, left, right, part, parts")
      .def(
          "nodes", [](Chart c) { return give_table(std::vector(c.core.node), 3); },
          "[nodes, 3]: begin, end, symbol")
      .def(
          "parts", [](Chart c) { return give_table(std::vector(c.core.part), kPartColumns); },
          "[parts, 7]: kind, rule or cell or symbol, heads, begin, split, end")
      .def(
          "filled",
          [](Chart c) {
            return std::make_pair(give(std::vector(c.core.first_filled)),
                                  give(std::vector(c.core.filled)));
          },
          "the dependencies that each part fills, as first and numbers")
      .def(
          "dependencies", [](Chart c) { return give_table(std::vector(c.core.dependency), 3); },
          "[dependencies, 3]: the functor's cell, relation, argument")
      .def(
          "counts",
          [](Chart c) {
            std::vector<std::int16_t> all(c.core.n);
            all.insert(all.end(), c.core.d.begin(), c.core.d.end());
            all.insert(all.end(), c.core.c.begin(), c.core.c.end());
            return give(std::move(all));
          },
          "n, d and c of the parts, one after the other; empty without gold")
      .def("gold_edges", [](Chart c) { return give(std::vector(c.core.gold_edge)); })
      .def(
          "unknown", [](Chart c) { return give_table(std::vector(c.core.unknown), 2); },
          "[pairs, 2]: symbols whose rules the grammar does not know yet");
  m.def("ccg_chart", build, "grammar"_a, "first_cell"_a, "entry"_a, "settings"_a,
        "cell_score"_a.none() = nb::none(), "gold_cell"_a.none() = nb::none(),
        "gold_node"_a.none() = nb::none(), "gold_dependency"_a.none() = nb::none(),
        "The chart of a sentence's lexical entries.");
}

void bind_ccg_features(nb::module_& m) {
  nb::class_<BoundWords>(m, "CcgWords", "The words of a sentence as features see them.")
      .def(nb::init<In<Key>, In<Index>, In<Index>, Index>(), "attribute"_a, "verbs"_a, "stops"_a,
           "columns"_a);
  m.def(
      "ccg_feature_keys",
      [](const CcgGrammar& grammar, const BoundChart& chart, const BoundWords& words,
         const TemplateProgram& templates) {
        KeyRows rows = unlocked([&] {
          return feature_keys(grammar, chart.core, chart.sentence(), words.core, templates);
        });
        return std::make_pair(give(std::move(rows.first)), give(std::move(rows.key)));
      },
      "grammar"_a, "chart"_a, "words"_a, "templates"_a, "first [parts + 1] and keys");
  m.def(
      "ccg_feature_numbers",
      [](const CcgGrammar& grammar, const BoundChart& chart, const BoundWords& words,
         const TemplateProgram& templates, const KeyTable& table) {
        NumberRows rows = unlocked([&] {
          return feature_numbers(grammar, chart.core, chart.sentence(), words.core, templates,
                                 table);
        });
        return std::make_pair(give(std::move(rows.first)), give(std::move(rows.number)));
      },
      "grammar"_a, "chart"_a, "words"_a, "templates"_a, "table"_a,
      "first [parts + 1] and feature numbers");
  m.def(
      "ccg_feature_scores",
      [](const CcgGrammar& grammar, const BoundChart& chart, const BoundWords& words,
         const TemplateProgram& templates, const KeyTable& table, const In<double>& weights,
         const std::optional<In<double>>& cell_score, double cell_weight) {
        if (weights.size() != at(table.size()))
          throw std::invalid_argument("one weight a feature is needed");
        CcgSentence sentence = chart.sentence();
        sentence.cell_score = view_or_none(cell_score);
        return give(unlocked([&] {
          return feature_scores(grammar, chart.core, sentence, words.core, templates, table,
                                view(weights), cell_weight);
        }));
      },
      "grammar"_a, "chart"_a, "words"_a, "templates"_a, "table"_a, "weights"_a,
      "cell_score"_a.none() = nb::none(), "cell_weight"_a = 0.0,
      "float64 [parts]; lexical parts also have cell_weight times their cell's score");
}

}  // namespace

void bind_ccg(nb::module_& m) {
  bind_grammar(m);
  bind_chart(m);
  bind_ccg_features(m);
}

}  // namespace treewright::bind
