// Bindings of taggers.
#include "tagging/tagger.hpp"

#include <algorithm>
#include <functional>

#include "bind/bind.hpp"

namespace treewright::bind {

using namespace treewright::tagging;

namespace {

// Arrays of a corpus, kept by Python for as long as a call lasts.
TagInput tag_input(const In<Key>& attributes, const In<std::uint32_t>& classes,
                   const In<Index>& first_position, Index columns) {
  TagInput input{view(attributes), view(classes), view(first_position), columns};
  input.check();
  return input;
}

auto bind_hash(const Templates& templates, const In<Key>& attributes,
               const In<std::uint32_t>& classes, const In<Index>& first_position) {
  const TagInput input = tag_input(attributes, classes, first_position, templates.columns());
  std::vector<Key> keys(input.classes.size() * static_cast<std::size_t>(templates.size()));
  unlocked([&] {
    for (std::size_t s = 0; s + 1 < input.first_position.size(); ++s) {
      const auto at = static_cast<std::size_t>(input.first_position[s]);
      templates.hash(input, static_cast<Index>(s),
                     keys.data() + at * static_cast<std::size_t>(templates.size()));
    }
  });
  return give_table(std::move(keys), static_cast<std::size_t>(templates.size()));
}

auto bind_tag(const TaggerModel& model, const In<Key>& attributes, const In<std::uint32_t>& classes,
              const In<Index>& first_position, const In<Index>& set, double beta, Index least,
              Index most) {
  const TagInput input =
      tag_input(attributes, classes, first_position, model.templates().columns());
  model.check(input, view(set));
  if (!(beta > 0 && beta <= 1)) throw std::invalid_argument("beta is above 0 and at most 1");
  Lattice lattice;
  unlocked([&] {
    for (std::size_t s = 0; s + 1 < input.first_position.size(); ++s)
      model.tag(input, static_cast<Index>(s), view(set), {beta, least, most}, lattice);
  });
  return std::make_tuple(give(std::move(lattice.first)), give(std::move(lattice.tag)),
                         give(std::move(lattice.posterior)), give(std::move(lattice.emission)),
                         give(std::move(lattice.local)));
}

auto bind_marginals(const TaggerModel& model, const In<Index>& first, const In<Index>& tag,
                    const In<double>& emission, double power) {
  if (first.size() < 2 || tag.size() != emission.size())
    throw std::invalid_argument("marginals need words, and one emission a candidate");
  if (!std::isfinite(power)) throw std::invalid_argument("the power must be finite");
  Lattice lattice{copy(first), copy(tag), {}, copy(emission), {}, power};
  if (lattice.first.front() != 0 || static_cast<std::size_t>(lattice.first.back()) != tag.size() ||
      std::ranges::adjacent_find(lattice.first, std::greater_equal<>()) != lattice.first.end())
    throw std::invalid_argument("first must rise from 0 to the number of candidates");
  for (const Index t : lattice.tag)
    if (t < 0 || t >= model.tags()) throw std::invalid_argument("a tag is out of range");
  const double log_z = unlocked([&] { return model.marginals(lattice); });
  return std::make_pair(log_z, give(std::move(lattice.posterior)));
}

// Entries of every candidate: offsets and numbers, for the feature matrix of a lattice.
auto bind_entries(const TaggerModel& model, const In<Index>& rows, const In<Index>& first_tag,
                  const In<Index>& tag) {
  const auto width = static_cast<std::size_t>(model.templates().size());
  if (first_tag.size() == 0 || rows.size() != (first_tag.size() - 1) * width)
    throw std::invalid_argument("rows must be [positions][templates]");
  for (const Index row : view(rows))
    if (row >= model.row_count()) throw std::invalid_argument("the model has no such row");
  const auto first = view(first_tag);
  if (first.front() != 0 || !std::is_sorted(first.begin(), first.end()) ||
      static_cast<std::size_t>(first.back()) != tag.size())
    throw std::invalid_argument("first_tag must run from 0 to the number of candidates");
  std::vector<Index> offset{0}, entry;
  unlocked([&] {
    for (std::size_t i = 0; i + 1 < first.size(); ++i)
      for (Index c = first[i]; c < first[i + 1]; ++c) {
        const Index t = view(tag)[static_cast<std::size_t>(c)];
        if (t < 0 || t >= model.tags()) throw std::invalid_argument("no such tag");
        model.entries(view(rows).data() + i * width, t, entry);
        offset.push_back(static_cast<Index>(entry.size()));
      }
  });
  return std::make_pair(give(std::move(offset)), give(std::move(entry)));
}

auto bind_local(const LocalObjective& objective, const In<double>& weights) {
  if (weights.size() != static_cast<std::size_t>(objective.entries()))
    throw std::invalid_argument("one weight an entry is needed");
  std::vector<double> gradient(weights.size(), 0.0);
  const double value = unlocked([&] {
    return objective.evaluate(weights.data(), gradient.data(), 0, objective.positions());
  });
  return std::make_pair(value, give(std::move(gradient)));
}

using InOut = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

double bind_pass(const LocalObjective& objective, const In<Index>& order, double rate,
                 double precision, double dropout, std::uint64_t seed, InOut weights,
                 InOut squares) {
  if (!(dropout >= 0 && dropout < 1)) throw std::invalid_argument("dropout is from 0 to below 1");
  const auto size = static_cast<std::size_t>(objective.entries());
  if (weights.size() != size || squares.size() != size)
    throw std::invalid_argument("one weight and one sum of squares an entry are needed");
  for (const Index i : view(order))
    if (i < 0 || i >= objective.positions()) throw std::invalid_argument("no such position");
  return unlocked([&] {
    return objective.pass(view(order), {rate, precision, dropout, seed}, weights.data(),
                          squares.data());
  });
}

}  // namespace

void bind_tagger(nb::module_& m) {
  nb::class_<Templates>(m, "TagTemplates", "Feature templates of taggers, compiled.")
      .def(
          "__init__",
          [](Templates* self, const TemplateProgram& templates, const In<Index>& scans) {
            new (self) Templates(templates, view(scans));
          },
          "templates"_a, "scans"_a)
      .def("__len__", &Templates::size)
      .def("hash", bind_hash, "attributes"_a, "classes"_a, "first_position"_a,
           "Feature keys, [positions, templates].");
  nb::class_<TaggerModel>(m, "TaggerModel", "Weights of a tagger, ready to tag.")
      .def(
          "__init__",
          [](TaggerModel* self, const Templates& templates, const In<Key>& keys,
             const In<Index>& row_first, const In<Index>& row_tag, const In<float>& local,
             const In<float>& chain, Index tags, const In<Index>& set_first,
             const In<Index>& set_tag, const In<float>& bigram, const In<Key>& trigrams,
             const In<float>& trigram, int order, int key_bits) {
            TagSets sets(view(set_first), view(set_tag), tags);
            new (self) TaggerModel(templates, view(keys), view(row_first), view(row_tag),
                                   view(local), view(chain), tags, std::move(sets), view(bigram),
                                   view(trigrams), view(trigram), order, key_bits);
          },
          "templates"_a, "keys"_a, "row_first"_a, "row_tag"_a, "local"_a, "chain"_a, "tags"_a,
          "set_first"_a, "set_tag"_a, "bigram"_a, "trigrams"_a, "trigram"_a, "order"_a,
          "key_bits"_a = 64)
      .def("tag", bind_tag, "attributes"_a, "classes"_a, "first_position"_a, "set"_a, "beta"_a,
           "least"_a, "most"_a,
           "The pruned lattice: offsets of positions, tags, posteriors, emissions, local.")
      .def("marginals", bind_marginals, "first"_a, "tag"_a, "emission"_a, "power"_a = 1.0,
           "log Z and posteriors of a sentence's candidates.")
      .def(
          "rows",
          [](const TaggerModel& model, const In<Key>& attributes, const In<std::uint32_t>& classes,
             const In<Index>& first_position) {
            const TagInput input =
                tag_input(attributes, classes, first_position, model.templates().columns());
            return give(unlocked([&] { return model.rows(input); }));
          },
          "attributes"_a, "classes"_a, "first_position"_a)
      .def("entries", bind_entries, "rows"_a, "first_tag"_a, "tag"_a);
  nb::class_<LocalObjective>(m, "LocalObjective", "The local model's likelihood.")
      .def(
          "__init__",
          [](LocalObjective* self, const In<Index>& rows, Index templates,
             const In<Index>& row_first, const In<Index>& row_tag, Index tags,
             const In<Index>& set_first, const In<Index>& set_tag, const In<Index>& set,
             const In<Index>& gold) {
            TagSets sets(view(set_first), view(set_tag), tags);
            new (self) LocalObjective(copy(rows), templates, copy(row_first), copy(row_tag), tags,
                                      sets, copy(set), copy(gold));
          },
          "rows"_a, "templates"_a, "row_first"_a, "row_tag"_a, "tags"_a, "set_first"_a, "set_tag"_a,
          "set"_a, "gold"_a)
      .def("value_and_gradient", bind_local, "weights"_a)
      .def("step", bind_pass, "order"_a, "rate"_a, "precision"_a, "dropout"_a, "seed"_a,
           "weights"_a, "squares"_a, "One pass of AdaGrad; changes weights and squares.");
}

}  // namespace treewright::bind
