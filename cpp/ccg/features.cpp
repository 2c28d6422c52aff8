// One traversal of a chart's parts computes the keys of their features for all callers.
#include "ccg/features.hpp"

#include <array>
#include <stdexcept>

namespace treewright::ccg {

namespace {

// 0, 1, 2, 3, 4, 5-6, 7-10, 11+
Index size_class(Index size) {
  if (size <= 4) return std::max(size, Index{0});
  return size <= 6 ? 5 : size <= 10 ? 6 : 7;
}

// The values and places of one part or dependency.
struct Context {
  std::array<Index, kValues> value{};
  std::array<Index, kPlaces> place{};
};

class Walk {
 public:
  Walk(const CcgGrammar& grammar, const CcgChart& chart, const CcgSentence& sentence,
       const Words& words, const TemplateProgram& templates)
      : grammar_(grammar),
        chart_(chart),
        sentence_(sentence),
        words_(words),
        templates_(templates) {
    templates.require(kValues, kPlaces, kMarks);
    const Index columns = templates.limits().columns;
    const std::size_t n = at(sentence.words);
    if (words.table.columns() != columns || (columns && words.table.words() != sentence.words) ||
        words.verbs.size() != n + 1 || words.stops.size() != n + 1)
      throw std::invalid_argument("features: attributes of words are missing");
    if (!fits()) throw std::invalid_argument("features: this is a chart of another grammar");
    for (Index w = 0; w < sentence.words; ++w)
      word_of_cell_.resize(at(sentence.first_cell[at(w) + 1]), w);
  }

  Index parts() const { return chart_.forest.parts; }
  // The cell of a lexical part; -1 for others.
  Index cell(Index part) const {
    const Index* row = &chart_.part[at(part) * kPartColumns];
    return static_cast<PartKind>(row[0]) == PartKind::kLexical ? row[1] : -1;
  }
  Index dependencies() const { return static_cast<Index>(chart_.dependency.size() / 3); }
  std::span<const Index> filled(Index part) const {
    const Index first = chart_.first_filled[at(part)];
    return {chart_.filled.data() + first, at(chart_.first_filled[at(part) + 1] - first)};
  }

  // Calls visit(key) for the part's own features, without those of its dependencies.
  template <class Visit>
  void own(Index part, Visit visit) const {
    const Index* row = &chart_.part[at(part) * kPartColumns];
    Context context;
    context.place = {row[2], row[2], row[3], row[4], row[6] < 0 ? -1 : row[6] - 1, row[5]};
    context.value[kValueLength] = row[4] < 0 ? -1 : size_class(row[6] - row[4]);
    switch (static_cast<PartKind>(row[0])) {
      case PartKind::kLexical:
        context.value[kValueRule] = sentence_.entry[at(row[1])];
        context.value[kValueCategory] =
            grammar_.category(grammar_.entry_symbol(context.value[kValueRule]));
        return keys(kLexical, context, visit);
      case PartKind::kUnary:
      case PartKind::kBinary:
        set_rule(context, grammar_.rule(row[1]));
        return keys(kRule, context, visit);
      case PartKind::kRoot:
        context.value[kValueRule] = context.value[kValueCategory] = grammar_.category(row[1]);
        return keys(kRoot, context, visit);
      case PartKind::kGlue:
        return;
    }
  }

  template <class Visit>
  void dependency(Index number, Visit visit) const {
    const Index* row = &chart_.dependency[at(number) * 3];
    const Index functor = word_of_cell_[at(row[0])];
    Context context;
    context.place.fill(-1);
    context.place[kPlaceHead] = context.place[kPlaceLeft] = functor;
    context.place[kPlaceRight] = row[2];
    context.value[kValueRule] = row[1];
    context.value[kValueCategory] =
        grammar_.category(grammar_.entry_symbol(sentence_.entry[at(row[0])]));
    context.value[kValueSide] = row[2] < functor;
    set_distance(context, functor, row[2]);
    keys(kDependency, context, visit);
  }

 private:
  // Whether all parts refer to entries, rules and symbols of the grammar.
  bool fits() const {
    const auto known = [&](const Index* row) {
      switch (static_cast<PartKind>(row[0])) {
        case PartKind::kUnary:
        case PartKind::kBinary:
          return row[1] < grammar_.rule_count();
        case PartKind::kRoot:
          return row[1] < grammar_.symbols();
        default:
          return true;
      }
    };
    for (const Index entry : sentence_.entry)
      if (entry >= grammar_.entries()) return false;
    for (std::size_t i = 0; i < chart_.part.size(); i += kPartColumns)
      if (!known(&chart_.part[i])) return false;
    return sentence_.cell_score.empty() || sentence_.cell_score.size() == sentence_.entry.size();
  }

  void set_rule(Context& context, const CcgRule& rule) const {
    context.value[kValueRule] = rule.number;
    context.value[kValueCategory] = grammar_.category(rule.result);
    context.value[kValueLeft] = grammar_.category(rule.left);
    context.value[kValueRight] = rule.right < 0 ? -1 : grammar_.category(rule.right);
    context.value[kValueSide] = rule.head;
    if (rule.right < 0) return;
    if (rule.head == 1) context.place[kPlaceHead] = context.place[kPlaceRight];
    set_distance(context, context.place[kPlaceLeft], context.place[kPlaceRight]);
  }

  void set_distance(Context& context, Index a, Index b) const {
    const Index first = std::min(a, b), last = std::max(a, b);
    if (first < 0) return;
    const auto between = [&](std::span<const Index> before) {
      return last > first ? before[at(last)] - before[at(first) + 1] : 0;
    };
    const Index gap = std::max(last - first - 1, Index{0});
    context.value[kValueDistance] = std::min(gap, Index{2});
    context.value[kValueVerbs] = std::min(between(words_.verbs), Index{1});
    context.value[kValueStops] = std::min(between(words_.stops), Index{2});
    context.value[kValueGap] = size_class(gap);
  }

  // If a part lacks a place in a template, the template does not hold.
  template <class Visit>
  void keys(Mark mark, const Context& context, Visit visit) const {
    const auto value_of = [&](const Atom& atom) -> Key {
      if (atom.is_value())
        return Key{static_cast<std::uint32_t>(context.value[at(atom.value())])} + 1;
      const Index place = context.place[at(atom.place)];
      return place < 0 ? 0 : words_.table.near(place + atom.offset, atom.attribute);
    };
    for (const TemplateGroup& group : templates_.groups())
      if (group.mark == mark) group.each_hash(value_of, [&](Key hash) { visit(finish(hash)); });
  }

  const CcgGrammar& grammar_;
  const CcgChart& chart_;
  const CcgSentence& sentence_;
  const Words& words_;
  const TemplateProgram& templates_;
  std::vector<Index> word_of_cell_;
};

}  // namespace

KeyRows feature_keys(const CcgGrammar& grammar, const CcgChart& chart, const CcgSentence& sentence,
                     const Words& words, const TemplateProgram& templates) {
  const Walk walk(grammar, chart, sentence, words, templates);
  KeyRows rows;
  const auto keep = [&](Key key) { rows.key.push_back(key); };
  for (Index part = 0; part < walk.parts(); ++part) {
    walk.own(part, keep);
    for (const Index dependency : walk.filled(part)) walk.dependency(dependency, keep);
    rows.first.push_back(static_cast<std::int64_t>(rows.key.size()));
  }
  return rows;
}

NumberRows feature_numbers(const CcgGrammar& grammar, const CcgChart& chart,
                           const CcgSentence& sentence, const Words& words,
                           const TemplateProgram& templates, const KeyTable& table) {
  const Walk walk(grammar, chart, sentence, words, templates);
  NumberRows rows;
  const auto keep = [&](Key key) {
    if (const Index number = table.find(key); number >= 0) rows.number.push_back(number);
  };
  for (Index part = 0; part < walk.parts(); ++part) {
    walk.own(part, keep);
    for (const Index dependency : walk.filled(part)) walk.dependency(dependency, keep);
    if (rows.number.size() > (std::size_t{1} << 31) - 1)
      throw std::length_error("features: more than 2^31 entries in one chart");
    rows.first.push_back(static_cast<Index>(rows.number.size()));
  }
  return rows;
}

std::vector<double> feature_scores(const CcgGrammar& grammar, const CcgChart& chart,
                                   const CcgSentence& sentence, const Words& words,
                                   const TemplateProgram& templates, const KeyTable& table,
                                   std::span<const double> weight, double cell_weight) {
  const Walk walk(grammar, chart, sentence, words, templates);
  const bool adds_cells = cell_weight != 0 && !sentence.cell_score.empty();
  if (adds_cells && sentence.cell_score.size() != sentence.entry.size())
    throw std::invalid_argument("scores and cells differ in number");
  double sum = 0;
  const auto add = [&](Key key) {
    if (const Index number = table.find(key); number >= 0) sum += weight[at(number)];
  };
  // A dependency filled by many parts is scored once.
  std::vector<double> of_dependency(at(walk.dependencies())), score(at(walk.parts()));
  for (Index i = 0; i < walk.dependencies(); ++i) {
    sum = 0;
    walk.dependency(i, add);
    of_dependency[at(i)] = sum;
  }
  for (Index part = 0; part < walk.parts(); ++part) {
    sum = 0;
    walk.own(part, add);
    for (const Index dependency : walk.filled(part)) sum += of_dependency[at(dependency)];
    if (const Index cell = adds_cells ? walk.cell(part) : -1; cell >= 0)
      sum += cell_weight * sentence.cell_score[at(cell)];
    score[at(part)] = sum;
  }
  return score;
}

}  // namespace treewright::ccg
