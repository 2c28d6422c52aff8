// Bindings of constituency parsing: the span model, pruned charts, features.
#include "bind/bind.hpp"
#include "constituency/cky.hpp"
#include "constituency/features.hpp"
#include "constituency/span.hpp"

namespace treewright::bind {

using namespace treewright::constituency;

namespace {

// A sentence that keeps its arrays.
struct BoundTokens {
  In<Key> attributes;
  In<Index> sort;
  Tokens core;
  BoundTokens(In<Key> a, Index columns, In<Index> s)
      : attributes(a), sort(s), core{{view(a), columns}, view(s)} {}
};

struct BoundTrainer {
  SpanModel& model;
  SpanTrainer trainer;
  explicit BoundTrainer(SpanModel& m) : model(m), trainer(m) {}
};

auto give_candidates(const std::vector<Candidate>& found) {
  std::vector<Index> rows;
  std::vector<float> posterior;
  rows.reserve(3 * found.size());
  for (const Candidate& c : found) {
    rows.insert(rows.end(), {c.begin, c.end, c.label});
    posterior.push_back(c.posterior);
  }
  return std::make_pair(give_table(std::move(rows), 3), give(std::move(posterior)));
}

std::vector<ClassKind> class_kinds(const In<std::uint8_t>& kinds) {
  std::vector<ClassKind> out;
  for (const std::uint8_t kind : view(kinds)) {
    if (kind > 2) throw std::invalid_argument("a class is a word, a phrase or artificial: 0, 1, 2");
    out.push_back(static_cast<ClassKind>(kind));
  }
  return out;
}

void bind_span_model(nb::module_& m) {
  nb::class_<BoundTokens>(m, "Tokens", "A sentence as integers; keeps the arrays.")
      .def(nb::init<In<Key>, Index, In<Index>>(), "attributes"_a, "columns"_a, "sort"_a);
  nb::class_<SpanModel>(m, "SpanModel")
      .def(
          "__init__",
          [](SpanModel* self, int bits, const In<std::uint8_t>& kinds,
             const TemplateProgram& templates) {
            new (self) SpanModel(bits, class_kinds(kinds), templates);
          },
          "bits"_a, "kinds"_a, "templates"_a)
      .def_prop_ro("shape",
                   [](const SpanModel& self) { return std::make_pair(self.rows(), self.stride()); })
      .def("weights",
           [](const SpanModel& self) {
             return give_table(std::vector<float>(self.weights()), self.stride());
           })
      .def(
          "set_weights",
          [](SpanModel& self, const In<float>& weights) {
            if (weights.size() != self.weights().size())
              throw std::invalid_argument("these weights are of another span model");
            self.weights() = copy(weights);
          },
          "weights"_a)
      .def(
          "candidates",
          [](const SpanModel& self, const BoundTokens& tokens, double threshold) {
            return give_candidates(
                unlocked([&] { return self.candidates(tokens.core, threshold); }));
          },
          "tokens"_a, "threshold"_a)
      .def(
          "best",
          [](const SpanModel& self, const BoundTokens& tokens) {
            return give_candidates(unlocked([&] { return self.best(tokens.core); })).first;
          },
          "tokens"_a);
  nb::class_<BoundTrainer>(m, "SpanTrainer")
      .def(nb::init<SpanModel&>(), "model"_a, nb::keep_alive<1, 2>())
      .def(
          "train",
          [](BoundTrainer& self, const In<Index>& first_token, const BoundTokens& tokens,
             const In<Index>& first_span, const In<Index>& spans, const In<Index>& order,
             double rate) {
            const SpanCorpus corpus{view(first_token), tokens.core, view(first_span), view(spans)};
            return unlocked([&] { return self.trainer.pass(corpus, view(order), rate); });
          },
          "first_token"_a, "tokens"_a, "first_span"_a, "spans"_a, "order"_a, "rate"_a);
}

auto bind_pruned(const TreebankGrammar& grammar, const In<Index>& tags, const In<Index>& candidates,
                 bool spans, std::size_t max_edges) {
  Chart chart = unlocked([&] {
    return build_pruned(grammar, view(tags), view(candidates),
                        spans ? SpanLayout::kSpans : SpanLayout::kRules, max_edges);
  });
  auto& f = chart.forest;
  return std::make_tuple(give(std::move(f.first_edge)), give(std::move(f.left)),
                         give(std::move(f.right)), give(std::move(f.part)), f.parts,
                         give_table(std::move(chart.nodes), 3),
                         give_table(std::move(chart.parts), 4));
}

auto bind_cky(const TreebankGrammar& grammar, const In<double>& scores, Index words,
              const In<Index>& entry_word, const In<Index>& entry_tag,
              const In<double>& entry_score) {
  BestTree best = unlocked([&] {
    return cky_best(grammar, view(scores), words, view(entry_word), view(entry_tag),
                    view(entry_score));
  });
  return std::make_pair(best.score, give_table(std::move(best.nodes), 3));
}

void bind_grammar(nb::module_& m) {
  nb::class_<TreebankGrammar>(m, "TreebankGrammar")
      .def(
          "__init__",
          [](TreebankGrammar* self, Index tags, Index symbols, const In<Index>& binary,
             const In<Index>& unary, const In<Index>& root) {
            new (self) TreebankGrammar(tags, symbols, view(binary), view(unary), view(root));
          },
          "tags"_a, "symbols"_a, "binary"_a, "unary"_a, "root"_a)
      .def_prop_ro("rules", &TreebankGrammar::rules);
  m.def("build_pruned", bind_pruned, "grammar"_a, "tags"_a, "candidates"_a, "spans"_a,
        "max_edges"_a);
  m.def("cky_best", bind_cky, "grammar"_a, "scores"_a, "words"_a, "entry_word"_a, "entry_tag"_a,
        "entry_score"_a);
}

void bind_part_features(nb::module_& m) {
  nb::class_<FeatureSpace>(m, "FeatureSpace")
      .def(
          "__init__",
          [](FeatureSpace* self, const TreebankGrammar& grammar, const In<Index>& kind,
             const TemplateProgram& templates) {
            new (self) FeatureSpace(grammar, copy(kind), templates);
          },
          "grammar"_a, "kind"_a, "templates"_a, nb::keep_alive<1, 2>());
  nb::class_<FeatureCounter>(m, "FeatureCounter")
      .def(nb::init<const FeatureSpace&>(), "space"_a, nb::keep_alive<1, 2>())
      .def(
          "add",
          [](FeatureCounter& self, const BoundTokens& tokens, const In<Index>& parts) {
            unlocked([&] { self.add(tokens.core, view(parts)); });
          },
          "tokens"_a, "parts"_a)
      .def(
          "keys", [](const FeatureCounter& self, Index least) { return give(self.keys(least)); },
          "least"_a);
  nb::class_<FeatureIndex>(m, "FeatureIndex")
      .def(
          "__init__",
          [](FeatureIndex* self, const FeatureSpace& space, const In<Key>& keys, int bits,
             int key_bits) { new (self) FeatureIndex(space, view(keys), bits, key_bits); },
          "space"_a, "keys"_a, "bits"_a, "key_bits"_a = 64, nb::keep_alive<1, 2>())
      .def_prop_ro("size", &FeatureIndex::size)
      .def(
          "matrix",
          [](const FeatureIndex& self, const BoundTokens& tokens, const In<Index>& parts) {
            auto found = unlocked([&] { return self.matrix(tokens.core, view(parts)); });
            return std::make_tuple(give(std::move(found.first)), give(std::move(found.local)),
                                   give(std::move(found.vocabulary)));
          },
          "tokens"_a, "parts"_a)
      .def(
          "scores",
          [](const FeatureIndex& self, const BoundTokens& tokens, const In<Index>& parts,
             const In<double>& weights) {
            return give(
                unlocked([&] { return self.scores(tokens.core, view(parts), view(weights)); }));
          },
          "tokens"_a, "parts"_a, "weights"_a);
}

}  // namespace

void bind_constituency(nb::module_& m) {
  bind_span_model(m);
  bind_grammar(m);
  bind_part_features(m);
}

}  // namespace treewright::bind
