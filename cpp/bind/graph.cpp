// Bindings of graph-based dependency parsing: trees, forests of trees, features of arcs.
#include "bind/bind.hpp"
#include "dependency/arcs.hpp"
#include "dependency/eisner.hpp"
#include "dependency/mst.hpp"

namespace treewright::bind {

using namespace treewright::dependency;

namespace {

template <class T>
using Writable = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
std::span<T> span_of(const Writable<T>& array) {
  return {array.data(), array.size()};
}

using LabelledTuple = std::tuple<Out<Index>, Out<Index>, double>;

void check_square(std::size_t entries, Index words, Index labels) {
  if (words < 1 || words >= 1 << 14) throw std::invalid_argument("a tree has 1 to 16383 words");
  const auto side = static_cast<std::size_t>(words) + 1;
  if (labels < 1 || entries != side * side * static_cast<std::size_t>(labels))
    throw std::invalid_argument("arcs need a score for every head, word and label");
}

template <class T>
void check_arc_scores(std::span<const T> scores) {
  for (const T s : scores)
    if (!(s < std::numeric_limits<T>::infinity()))
      throw std::invalid_argument("an arc's score is not a number or infinite");
}

std::vector<LabelledTuple> give_trees(std::vector<LabelledTree>&& trees) {
  std::vector<LabelledTuple> out;
  for (auto& tree : trees) {
    tree.head.erase(tree.head.begin());
    tree.label.erase(tree.label.begin());
    out.emplace_back(give(std::move(tree.head)), give(std::move(tree.label)), tree.score);
  }
  return out;
}

std::vector<DerivationTuple> bind_best_trees(Index words, const In<double>& score, std::size_t k,
                                             bool single_root) {
  check_square(score.size(), words, 1);
  check_arc_scores(view(score));
  std::vector<DerivationTuple> out;
  for (auto& tree : unlocked([&] { return best_trees(words, score.data(), k, single_root); })) {
    tree.head.erase(tree.head.begin());
    out.emplace_back(tree.score, give(std::move(tree.head)));
  }
  return out;
}

Out<Index> bind_best_tree_by(Index words, const In<double>& gain, const In<double>& score,
                             bool single_root) {
  for (const In<double>* each : {&gain, &score}) {
    check_square(each->size(), words, 1);
    check_arc_scores(view(*each));
  }
  auto head = unlocked([&] { return best_tree_by(words, gain.data(), score.data(), single_root); });
  if (!head.empty()) head.erase(head.begin());
  return give(std::move(head));
}

auto bind_best_labelled(Index words, Index labels, const In<float>& score, std::size_t k,
                        bool single_root, bool variants) {
  check_square(score.size(), words, labels);
  check_arc_scores(view(score));
  return give_trees(unlocked(
      [&] { return best_labelled_trees(words, labels, score.data(), k, single_root, variants); }));
}

auto bind_labellings(const std::vector<In<Index>>& heads, Index words, Index labels,
                     const In<float>& score, std::size_t k) {
  check_square(score.size(), words, labels);
  check_arc_scores(view(score));
  std::vector<HeadTree> trees;
  for (const auto& array : heads) {
    if (array.size() != static_cast<std::size_t>(words))
      throw std::invalid_argument("a tree needs a head a word");
    HeadTree tree{{-1}, 0.0};
    for (const Index head : view(array)) {
      if (head < 0 || head > words)
        throw std::invalid_argument("a head is outside of the sentence");
      tree.head.push_back(head);
    }
    trees.push_back(std::move(tree));
  }
  return give_trees(unlocked([&] { return best_labellings(trees, labels, score.data(), k); }));
}

auto bind_arc_forest(Index words, const In<Index>& head, const In<Index>& word, bool siblings,
                     bool single_root, std::size_t max_edges) {
  auto built = unlocked([&] {
    return build_arc_forest(words, view(head), view(word), siblings, single_root, max_edges);
  });
  auto& f = built.forest;
  return std::make_tuple(give(std::move(f.first_edge)), give(std::move(f.left)),
                         give(std::move(f.right)), give(std::move(f.part)), f.parts,
                         give_table(std::move(built.siblings), 3));
}

struct ArcTemplates {
  TemplateProgram core;
  explicit ArcTemplates(const TemplateProgram& program) : core(program) {
    check_arc_templates(program);
  }
  WordTable sentence(const In<Key>& values) const { return {view(values), core.limits().columns}; }
};

void check_table(std::size_t entries, const In<Index>& rows, Index labels) {
  if (labels < 1 || entries != rows.size() * static_cast<std::size_t>(labels))
    throw std::invalid_argument("rows need one number a label");
}

void check_totals(const Writable<float>& weights, const Writable<double>& totals) {
  if (totals.size() && totals.size() != weights.size())
    throw std::invalid_argument("weights and totals differ in length");
}

void bind_rows(nb::class_<ArcTemplates>& c) {
  c.def(
      "scores",
      [](const ArcTemplates& self, const In<Key>& attributes, const In<Index>& head,
         const In<Index>& word, const In<Index>& sibling, Index labels, const In<float>& weights) {
        if (labels < 1 || static_cast<std::size_t>(labels) > weights.size())
          throw std::invalid_argument("no labels, or more labels than weights");
        std::vector<float> out(head.size() * static_cast<std::size_t>(labels));
        const auto sentence = self.sentence(attributes);
        unlocked([&] {
          score_rows(self.core, sentence, {view(head), view(word), view(sibling)}, labels,
                     view(weights), out.data());
          return 0;
        });
        return give(std::move(out));
      },
      "attributes"_a, "head"_a, "word"_a, "sibling"_a, "labels"_a, "weights"_a);
  c.def(
      "update",
      [](const ArcTemplates& self, const In<Key>& attributes, const In<Index>& head,
         const In<Index>& word, const In<Index>& sibling, Index labels, const In<float>& change,
         Writable<float> weights, Writable<double> totals, double time) {
        check_table(change.size(), head, labels);
        check_totals(weights, totals);
        const auto sentence = self.sentence(attributes);
        unlocked([&] {
          update_rows(self.core, sentence, {view(head), view(word), view(sibling)}, labels,
                      change.data(), {span_of(weights), span_of(totals), time});
          return 0;
        });
      },
      "attributes"_a, "head"_a, "word"_a, "sibling"_a, "labels"_a, "change"_a, "weights"_a,
      "totals"_a, "time"_a);
  c.def(
      "descend",
      [](const ArcTemplates& self, const In<Key>& attributes, const In<Index>& head,
         const In<Index>& word, const In<Index>& sibling, Index labels, const In<float>& gradient,
         Writable<float> weights, Writable<double> totals, double time, Writable<float> squares,
         double rate) {
        check_table(gradient.size(), head, labels);
        check_totals(weights, totals);
        if (squares.size() != weights.size())
          throw std::invalid_argument("weights and squares differ in length");
        const auto sentence = self.sentence(attributes);
        unlocked([&] {
          descend_rows(self.core, sentence, {view(head), view(word), view(sibling)}, labels,
                       gradient.data(), {span_of(weights), span_of(totals), time}, span_of(squares),
                       rate);
          return 0;
        });
      },
      "attributes"_a, "head"_a, "word"_a, "sibling"_a, "labels"_a, "gradient"_a, "weights"_a,
      "totals"_a, "time"_a, "squares"_a, "rate"_a);
}

}  // namespace

void bind_graph(nb::module_& m) {
  m.def("best_trees", bind_best_trees, "words"_a, "score"_a, "k"_a, "single_root"_a,
        "The k best spanning trees of arc scores [head, word]: pairs of a score and heads.");
  m.def("best_tree_by", bind_best_tree_by, "words"_a, "gain"_a, "score"_a, "single_root"_a,
        "The heads of the tree with the best sum of gains, of equals that with the best score.");
  m.def("best_labelled_trees", bind_best_labelled, "words"_a, "labels"_a, "score"_a, "k"_a,
        "single_root"_a, "variants"_a,
        "The k best labelled trees of arc scores [head, word, label]: heads, labels, score.");
  m.def("best_labellings", bind_labellings, "heads"_a, "words"_a, "labels"_a, "score"_a, "k"_a,
        "The k best labellings of given trees: heads, labels, score.");
  m.def("build_arc_forest", bind_arc_forest, "words"_a, "head"_a, "word"_a, "siblings"_a,
        "single_root"_a, "max_edges"_a);
  auto templates = nb::class_<ArcTemplates>(m, "ArcTemplates")
                       .def(nb::init<const TemplateProgram&>(), "templates"_a);
  bind_rows(templates);
}

}  // namespace treewright::bind
