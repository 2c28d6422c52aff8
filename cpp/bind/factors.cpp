// Bindings of forests as factors over shared variables.
#include "core/factors.hpp"

#include "bind/bind.hpp"
#include "core/events.hpp"
#include "core/intersect.hpp"

namespace treewright::bind {
namespace {

const double* checked(const ForestFactor& factor, const In<double>& messages) {
  if (messages.size() != static_cast<std::size_t>(factor.values()))
    throw std::invalid_argument(
        "messages must have one entry a value: " + std::to_string(messages.size()) + " for " +
        std::to_string(factor.values()) + " values");
  check_scores(view(messages));
  return messages.data();
}

// Score, edges and values of a derivation; no edges if none has weight.
auto give_best(const ForestFactor& factor, Derivation&& found) {
  auto values = factor.values_of(found.edges);
  return std::make_tuple(found.score, give(std::move(found.edges)), give(std::move(values)));
}

template <double (ForestFactor::*answer)(const double*, double*)>
auto of_values(ForestFactor& factor, const In<double>& messages) {
  const double* message = checked(factor, messages);
  std::vector<double> out(static_cast<std::size_t>(factor.values()));
  const double log_z = unlocked([&] { return (factor.*answer)(message, out.data()); });
  return std::make_pair(log_z, give(std::move(out)));
}

auto bind_intersect(const BoundForest& forest, const In<double>& scores,
                    const In<Index>& value_of_part, const In<Index>& first,
                    const In<double>& emission, const In<double>& start, const In<double>& stop,
                    const In<double>& transition, std::size_t max_edges) {
  const double* score = bind::checked(forest, scores);
  if (value_of_part.size() != scores.size() || first.size() < 2)
    throw std::invalid_argument(
        "the intersection needs a value or -1 for each part, and variables");
  const ChainTables chain{view(first), view(emission), view(start), view(stop), view(transition)};
  auto out = unlocked([&] {
    return intersect(forest.core, {score, scores.size()}, view(value_of_part), chain, max_edges);
  });
  auto& f = out.forest;
  return std::make_tuple(give(std::move(f.first_edge)), give(std::move(f.left)),
                         give(std::move(f.right)), give(std::move(f.part)), f.parts,
                         give(std::move(out.score)), give(std::move(out.edge_of)));
}

}  // namespace

void bind_factors(nb::module_& m) {
  nb::class_<ForestFactor>(
      m, "ForestFactor",
      "A forest whose parts choose the values of variables. Not for two threads "
      "at once: it keeps its last answer.")
      .def(
          "__init__",
          [](ForestFactor* self, const BoundForest& forest, const In<Index>& parts,
             const In<Index>& values, const In<Index>& first,
             std::optional<std::int64_t> most_work) {
            new (self) ForestFactor(forest.core, view(parts), view(values), view(first), most_work);
          },
          "forest"_a, "parts"_a, "values"_a, "first"_a, "most_work"_a = nb::none(),
          nb::keep_alive<1, 2>())
      .def(
          "rescore",
          [](ForestFactor& f, const In<double>& scores) {
            if (scores.size() != f.scores().size())
              throw std::invalid_argument("scores must have one entry a part");
            check_scores(view(scores));
            f.rescore(view(scores));
          },
          "scores"_a, "New scores of all parts.")
      .def("forget", &ForestFactor::forget, "The next `best` starts from nothing.")
      .def("log_marginals", of_values<&ForestFactor::log_marginals>, "messages"_a,
           "log Z and the log of every value's probability.")
      .def("message", of_values<&ForestFactor::message>, "messages"_a,
           "log Z and what the factor tells the variables, normalised over each.")
      .def(
          "part_marginals",
          [](const ForestFactor& f) { return give(std::vector<double>(f.part_marginals())); },
          "The parts' marginals of the last log_marginals.")
      .def(
          "scores",
          [](const ForestFactor& f, const In<double>& messages) {
            const double* message = checked(f, messages);
            std::vector<double> out;
            f.add_messages(message, out);
            return give(std::move(out));
          },
          "messages"_a, "The parts' scores with the messages of their values.")
      .def(
          "best",
          [](ForestFactor& f, const In<double>& messages) {
            const double* message = checked(f, messages);
            return give_best(f, unlocked([&] { return f.best(message); }));
          },
          "messages"_a, "Score, edges and values of the best derivation, from the last answer.")
      .def(
          "solve",
          [](const ForestFactor& f, const In<double>& messages) {
            const double* message = checked(f, messages);
            return give_best(f, unlocked([&] { return f.solve(message); }));
          },
          "messages"_a, "The same from nothing; the last answer stays.")
      .def(
          "alive", [](ForestFactor& f) { return give(std::vector<std::uint8_t>(f.alive())); },
          "One byte a value: does a derivation use it?")
      .def_prop_ro(
          "work", [](const ForestFactor& f) { return f.warm().work(); },
          "Edges that the last `best` looked at.");
  m.def(
      "event_gains",
      [](const In<Index>& first, const In<Index>& event, const In<double>& marginals,
         double penalty) {
        return give(event_gains(view(first), view(event), view(marginals), penalty));
      },
      "first"_a, "event"_a, "marginals"_a, "penalty"_a,
      "Of each part, the sum over its events of their posterior less the penalty.");
  m.def(
      "intersect", bind_intersect, "forest"_a, "scores"_a, "value_of_part"_a, "first"_a,
      "emission"_a, "start"_a, "stop"_a, "transition"_a, "max_edges"_a,
      "Arrays of a forest intersected with a chain, its edges' scores, and whose edges they are.");
}

}  // namespace treewright::bind
