// Bindings of transition-based dependency parsing.
#include <memory>

#include "bind/bind.hpp"
#include "dependency/transition/dynamic_oracle.hpp"
#include "dependency/transition/train.hpp"

namespace treewright::bind {

using namespace treewright::dependency::transition;

namespace {

using Ints = In<std::int32_t>;
using Offsets = In<std::int64_t>;
using ParseTuple = std::tuple<Out<std::int32_t>, Out<std::int32_t>, double>;
using WeightTuple =
    std::tuple<Out<std::uint64_t>, Out<std::int64_t>, Out<std::uint16_t>, Out<float>>;

// Row i of a ragged array, checked.
template <class T>
std::span<const T> ragged(std::span<const T> values, std::span<const std::int64_t> first,
                          std::size_t i, std::size_t width = 1) {
  if (first.empty() || i >= first.size() - 1 || first[i] < 0 || first[i + 1] < first[i] ||
      static_cast<std::size_t>(first[i + 1]) > values.size() / width)
    throw std::invalid_argument("offsets and values do not fit together");
  const auto begin = static_cast<std::size_t>(first[i]) * width;
  return values.subspan(begin, static_cast<std::size_t>(first[i + 1]) * width - begin);
}

void check_tree(const TransitionModel& model, std::span<const std::int32_t> heads,
                std::span<const std::int32_t> labels) {
  const auto words = static_cast<std::int32_t>(heads.size());
  if (labels.size() != heads.size()) throw std::invalid_argument("one label a head");
  for (const std::int32_t head : heads)
    if (head < 0 || head > words) throw std::invalid_argument("a head outside the sentence");
  for (const std::int32_t label : labels)
    if (label < 0 || label >= model.transitions().labels())
      throw std::invalid_argument("no such label");
}

std::vector<std::int32_t> checked_oracle(const TransitionModel& model,
                                         std::span<const std::int32_t> heads,
                                         std::span<const std::int32_t> labels, bool early) {
  check_tree(model, heads, labels);
  return model.transitions().oracle(heads, labels, early);
}

void apply_checked(const TransitionModel& model, State& state, std::int32_t action) {
  const Transitions& transitions = model.transitions();
  if (action < 0 || action >= transitions.actions()) throw std::invalid_argument("no such action");
  const unsigned kind = action < kArcs                      ? 1u << action
                        : action < transitions.right_arc(0) ? unsigned{kCanLeft}
                                                            : unsigned{kCanRight};
  if (!(transitions.legal(state) & kind)) throw std::invalid_argument("an illegal action");
  transitions.apply(state, action);
}

void check_actions(const TransitionModel& model, std::int32_t words,
                   std::span<const std::int32_t> actions) {
  State state;
  state.begin(words);
  for (const std::int32_t action : actions) apply_checked(model, state, action);
  if (!state.finished) throw std::invalid_argument("a sequence of actions that does not finish");
}

std::size_t checked_beam(int beam) {
  if (beam < 1 || beam > 100000) throw std::invalid_argument("the beam is at least 1");
  return static_cast<std::size_t>(beam);
}

void write_tree(const State& state, std::int32_t root_label, std::int32_t* heads,
                std::int32_t* labels) {
  for (std::size_t i = 1; i < state.nodes.size(); ++i) {
    heads[i - 1] = state.nodes[i].head;
    labels[i - 1] = state.nodes[i].head ? state.nodes[i].label - 1 : root_label;
  }
}

ParseTuple tree_of(const BeamItem& item, std::int32_t root_label, float scale) {
  std::vector<std::int32_t> heads(item.state.nodes.size() - 1), labels(heads.size());
  write_tree(item.state, root_label, heads.data(), labels.data());
  return {give(std::move(heads)), give(std::move(labels)),
          static_cast<double>(item.score) * static_cast<double>(scale)};
}

// Different sequences can build one tree: each tree is given once, with its best score.
template <class Rows>
std::vector<ParseTuple> best_trees(const TransitionModel& model, BeamSearch<Rows>& search,
                                   In<Key> table, int k, int beam, std::int32_t root_label,
                                   float scale, std::int32_t root = 0) {
  const std::size_t wanted = checked_beam(k), width = std::max(wanted, checked_beam(beam));
  const Sentence sentence = model.sentence(view(table));
  if (root < 0 || root > sentence.words) throw std::invalid_argument("the root is no word");
  const auto items = unlocked([&] { return search.run(sentence, width, root); });
  std::vector<const BeamItem*> chosen;
  const auto key = [](const BeamItem& item) {
    std::vector<std::pair<int, int>> arcs;
    for (const DepNode& node : item.state.nodes) arcs.emplace_back(node.head, node.label);
    return arcs;
  };
  for (const BeamItem& item : items)
    if (chosen.size() < wanted &&
        std::ranges::none_of(chosen, [&](auto* c) { return key(*c) == key(item); }))
      chosen.push_back(&item);
  std::vector<ParseTuple> made;
  for (const BeamItem* item : chosen) made.push_back(tree_of(*item, root_label, scale));
  return made;
}

struct BoundModel {
  TransitionModel core;
  std::int32_t root_label;
};

struct FrozenParser {
  const BoundModel& model;
  FrozenRows rows;
  FrozenParser(const BoundModel& m, In<std::uint64_t> keys, Offsets first,
               In<std::uint16_t> actions, In<float> weights, int key_bits)
      : model(m),
        rows(view(keys), view(first), view(actions), view(weights), m.core.outputs(), key_bits) {}
};

using TreesTuple = std::tuple<Out<std::int32_t>, Out<std::int32_t>, Out<double>>;

constexpr std::size_t kBlock = 16;  // sentences that a thread takes at once

// The best trees of many sentences; each thread has its own search.
TreesTuple parse_all(const FrozenParser& parser, In<Key> table, Offsets first, int beam,
                     int threads) {
  const TransitionModel& model = parser.model.core;
  const auto columns = static_cast<std::size_t>(model.columns());
  const std::size_t width = checked_beam(beam), count = first.size() ? first.size() - 1 : 0;
  std::vector<std::int32_t> heads(table.size() / columns), labels(heads.size());
  std::vector<double> scores(count);
  unlocked([&] {
    std::vector<std::unique_ptr<BeamSearch<FrozenRows>>> searches;
    for (unsigned t = 0; t < checked_threads(threads); ++t)
      searches.push_back(std::make_unique<BeamSearch<FrozenRows>>(model, parser.rows));
    const auto parse = [&](std::size_t i, unsigned thread) {
      const Sentence sentence = model.sentence(ragged(view(table), view(first), i, columns));
      const BeamItem& best = searches[thread]->run(sentence, width)[0];
      const auto at = static_cast<std::size_t>(first.data()[i]);
      write_tree(best.state, parser.model.root_label, &heads[at], &labels[at]);
      scores[i] = static_cast<double>(best.score) * static_cast<double>(parser.rows.scale());
    };
    interruptible((count + kBlock - 1) / kBlock, threads,
                  [&](std::size_t block, unsigned thread, const StopFlag&) {
                    const std::size_t end = std::min(count, (block + 1) * kBlock);
                    for (std::size_t i = block * kBlock; i < end; ++i) parse(i, thread);
                  });
  });
  return {give(std::move(heads)), give(std::move(labels)), give(std::move(scores))};
}

WeightTuple give_weights(WeightArrays&& arrays) {
  return {bind::give(std::move(arrays.keys)), bind::give(std::move(arrays.first)),
          bind::give(std::move(arrays.actions)), bind::give(std::move(arrays.weights))};
}

using StateTuple = std::tuple<Out<std::uint64_t>, Out<std::int64_t>, Out<std::uint16_t>, Out<float>,
                              Out<double>, Out<std::uint64_t>, double>;

struct Learner {
  const BoundModel& model;
  TransitionLearner core;
  explicit Learner(const BoundModel& m) : model(m), core(m.core) {}

  // Learns from the sentences named in `order`; how many had a violation.
  std::int64_t learn(In<Key> table, Offsets first, Ints gold, Offsets gold_first, Offsets order,
                     int beam, bool max_violation, float aggressiveness, bool ticking) {
    const auto columns = static_cast<std::size_t>(model.core.columns());
    const std::size_t width = checked_beam(beam);
    const Update update = max_violation ? Update::kMaxViolation : Update::kEarly;
    return unlocked([&] {
      std::int64_t mistakes = 0;
      for (const std::int64_t number : view(order)) {
        const auto i = static_cast<std::size_t>(number);
        const Sentence sentence = model.core.sentence(ragged(view(table), view(first), i, columns));
        const auto actions = ragged(view(gold), view(gold_first), i);
        check_actions(model.core, sentence.words, actions);
        mistakes += core.learn(sentence, actions, width, update, aggressiveness);
        if (ticking) core.tick();
      }
      return mistakes;
    });
  }
  // Learns greedily with the dynamic oracle; how many sentences had a wrong action.
  std::int64_t explore(In<Key> table, Offsets first, Ints heads, Ints labels, Offsets order,
                       double exploration, bool ticking) {
    const auto columns = static_cast<std::size_t>(model.core.columns());
    if (model.core.transitions().system() != System::kArcHybrid)
      throw std::invalid_argument("only the arc-hybrid system has a dynamic oracle");
    return unlocked([&] {
      std::int64_t mistakes = 0;
      for (const std::int64_t number : view(order)) {
        const auto i = static_cast<std::size_t>(number);
        const Sentence sentence = model.core.sentence(ragged(view(table), view(first), i, columns));
        const auto own_heads = ragged(view(heads), view(first), i);
        const auto own_labels = ragged(view(labels), view(first), i);
        check_tree(model.core, own_heads, own_labels);
        mistakes += core.explore(sentence, own_heads, own_labels, exploration);
        if (ticking) core.tick();
      }
      return mistakes;
    });
  }
  void update(In<Key> table, Ints better_heads, Ints better_labels, Ints worse_heads,
              Ints worse_labels, float rate, bool early) {
    const Sentence sentence = model.core.sentence(view(table));
    const auto words = static_cast<std::size_t>(sentence.words);
    if (better_heads.size() != words || worse_heads.size() != words)
      throw std::invalid_argument("a tree of another length than its sentence");
    const auto better = checked_oracle(model.core, view(better_heads), view(better_labels), early);
    const auto worse = checked_oracle(model.core, view(worse_heads), view(worse_labels), early);
    core.update(sentence, better, worse, rate);
  }
  StateTuple state() {
    auto [rows, moments] = core.rows().state();
    return std::tuple_cat(give_weights(std::move(rows)),
                          std::tuple(give(std::move(moments)), give(core.random_state())),
                          std::tuple(core.time()));
  }
  void restore(In<std::uint64_t> keys, Offsets first, In<std::uint16_t> actions, In<float> weights,
               In<double> moments, In<std::uint64_t> random, double time) {
    core.rows().restore(view(keys), view(first), view(actions), view(weights), view(moments),
                        model.core.outputs());
    core.restore(time, view(random));
  }
};

std::pair<Out<std::int32_t>, Out<std::int64_t>> oracle_all(const BoundModel& model, Ints heads,
                                                           Ints labels, Offsets first, bool early) {
  std::vector<std::int32_t> actions;
  std::vector<std::int64_t> ends{0};
  for (std::size_t i = 0; i + 1 < first.size(); ++i) {
    const auto made = checked_oracle(model.core, ragged(view(heads), view(first), i),
                                     ragged(view(labels), view(first), i), early);
    actions.insert(actions.end(), made.begin(), made.end());
    ends.push_back(static_cast<std::int64_t>(actions.size()));
  }
  return {bind::give(std::move(actions)), bind::give(std::move(ends))};
}

// The features of the state that some actions lead to.
Out<std::uint64_t> state_features(const BoundModel& model, In<Key> table, Ints actions) {
  const Sentence sentence = model.core.sentence(view(table));
  State state;
  state.begin(sentence.words);
  for (const std::int32_t action : view(actions)) apply_checked(model.core, state, action);
  Slots slots;
  find_slots(state, slots);
  std::vector<std::uint64_t> keys;
  for (const auto& group : model.core.program().groups())
    group_features(group, state, slots, sentence, keys);
  return bind::give(std::move(keys));
}

// What an action costs in the state that some actions lead to.
std::int32_t action_cost(const BoundModel& model, Ints heads, Ints labels, Ints actions,
                         std::int32_t action) {
  check_tree(model.core, view(heads), view(labels));
  if (model.core.transitions().system() != System::kArcHybrid)
    throw std::invalid_argument("only the arc-hybrid system has a dynamic oracle");
  State state;
  state.begin(static_cast<std::int32_t>(heads.size()));
  for (const std::int32_t each : view(actions)) apply_checked(model.core, state, each);
  State after = state;
  apply_checked(model.core, after, action);
  return hybrid_cost(model.core.transitions(), state, view(heads), view(labels), action);
}

}  // namespace

void bind_transition(nb::module_& m) {
  nb::class_<BoundModel>(m, "TransitionModel")
      .def(
          "__init__",
          [](BoundModel* self, const std::string& system, int labels, int root_label,
             const TemplateProgram& templates, int class_column, In<std::uint8_t> classes,
             int tag_column, int tags, Ints filter_first, In<std::uint16_t> filter_labels) {
            if (system != "arc-eager" && system != "arc-hybrid")
              throw std::invalid_argument("no such transition system: " + system);
            const Transitions transitions(
                system == "arc-eager" ? System::kArcEager : System::kArcHybrid, labels);
            new (self) BoundModel{
                TransitionModel(transitions, templates, class_column, copy(classes), tag_column,
                                tags, copy(filter_first), copy(filter_labels)),
                root_label};
          },
          "system"_a, "labels"_a, "root_label"_a, "templates"_a, "class_column"_a, "classes"_a,
          "tag_column"_a, "tags"_a, "filter_first"_a, "filter_labels"_a)
      .def("cost", &action_cost, "heads"_a, "labels"_a, "actions"_a, "action"_a)
      .def("features", &state_features, "table"_a, "actions"_a)
      .def("oracle", &oracle_all, "heads"_a, "labels"_a, "first"_a, "reduce_early"_a);

  nb::class_<Learner>(m, "TransitionLearner")
      .def(nb::init<const BoundModel&>(), "model"_a, nb::keep_alive<1, 2>())
      .def("learn", &Learner::learn, "table"_a, "first"_a, "gold"_a, "gold_first"_a, "order"_a,
           "beam"_a, "max_violation"_a, "aggressiveness"_a, "ticking"_a)
      .def("explore", &Learner::explore, "table"_a, "first"_a, "heads"_a, "labels"_a, "order"_a,
           "exploration"_a, "ticking"_a)
      .def("update", &Learner::update, "table"_a, "better_heads"_a, "better_labels"_a,
           "worse_heads"_a, "worse_labels"_a, "rate"_a, "reduce_early"_a)
      .def("tick", [](Learner& self) { self.core.tick(); })
      .def(
          "kbest",
          [](Learner& self, In<Key> table, int k, int beam, std::int32_t root) {
            return best_trees(self.model.core, self.core.search(), table, k, beam,
                              self.model.root_label, 1.0f, root);
          },
          "table"_a, "k"_a, "beam"_a, "root"_a = 0)
      .def(
          "averaged",
          [](Learner& self, float threshold) {
            return give_weights(self.core.rows().averaged(self.core.time(), threshold));
          },
          "threshold"_a)
      .def("current", [](Learner& self) { return give_weights(self.core.rows().current()); })
      .def("state", &Learner::state)
      .def("restore", &Learner::restore, "keys"_a, "first"_a, "actions"_a, "weights"_a, "moments"_a,
           "random"_a, "time"_a)
      .def_prop_ro("features", [](Learner& self) { return self.core.rows().features(); });

  nb::class_<FrozenParser>(m, "TransitionParser")
      .def(nb::init<const BoundModel&, In<std::uint64_t>, Offsets, In<std::uint16_t>, In<float>,
                    int>(),
           "model"_a, "keys"_a, "first"_a, "actions"_a, "weights"_a, "key_bits"_a = 64,
           nb::keep_alive<1, 2>())
      .def("parse", &parse_all, "table"_a, "first"_a, "beam"_a, "threads"_a)
      .def(
          "kbest",
          [](const FrozenParser& self, In<Key> table, int k, int beam) {
            BeamSearch<FrozenRows> search(self.model.core, self.rows);
            return best_trees(self.model.core, search, table, k, beam, self.model.root_label,
                              self.rows.scale());
          },
          "table"_a, "k"_a, "beam"_a)
      .def_prop_ro("bytes", [](const FrozenParser& self) { return self.rows.bytes(); });
}

}  // namespace treewright::bind
