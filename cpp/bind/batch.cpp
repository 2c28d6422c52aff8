// Bindings of features, and of batches of examples.
#include "bind/bind.hpp"

namespace treewright::bind {

namespace {

using BoundItem = std::tuple<const BoundForest*, const BoundForest*, const BoundCountTable*,
                             const BoundFeatures*, const CompiledObjective*>;

using Items = nb::typed<nb::list, nb::object>;

std::vector<double> sweep(std::span<const Item> items, std::span<const double> weights,
                          std::span<const std::int64_t> first, int threads,
                          const std::function<void(std::size_t, const std::vector<double>&)>& add) {
  std::vector<double> value(items.size(), 0.0);
  const nb::gil_scoped_release release;
  bool stopped = false;
  try {
    evaluate_batch(
        items, weights, first, checked_threads(threads), [&] { return stopped = interrupted(); },
        value.data(), add);
  } catch (const Interrupted&) {
  }
  if (stopped) {
    const nb::gil_scoped_acquire gil;
    throw nb::python_error();
  }
  return value;
}

// A prepared batch: the items' addresses, checked once. Python's list keeps the objects.
class Batch {
 public:
  Batch(Items items, std::int64_t features) : kept_(items), features_(features) {
    for (nb::handle handle : items) {
      const auto [forest, gold, counts, features_of, objective] = nb::cast<BoundItem>(handle);
      if (forest == nullptr || features_of == nullptr || objective == nullptr)
        throw std::invalid_argument("an item needs a forest, features and an objective");
      features_of->core.check(forest->core.parts(), features);
      items_.push_back({&forest->core, gold ? &gold->core : nullptr, counts_of(*forest, counts),
                        &features_of->core, objective});
    }
  }

  auto run(const In<double>& weights, int threads) const {
    std::vector<double> gradient(weights.size(), 0.0);
    auto value =
        evaluate(items_, weights, threads, [&](std::size_t i, const std::vector<double>& local) {
          const auto& vocabulary = items_[i].features->vocabulary;
          for (std::size_t k = 0; k < local.size(); ++k) gradient[vocabulary[k]] += local[k];
        });
    return std::make_pair(give(std::move(value)), give(std::move(gradient)));
  }

  auto run_on(const In<std::int64_t>& numbers, const In<double>& weights, int threads) {
    std::vector<Item> chosen;
    for (const std::int64_t i : view(numbers)) {
      if (i < 0 || i >= static_cast<std::int64_t>(items_.size()))
        throw std::invalid_argument("the batch has no example " + std::to_string(i));
      chosen.push_back(items_[static_cast<std::size_t>(i)]);
    }
    SparseSum sum;
    std::swap(sum, sum_);  // a second thread that comes here meanwhile makes its own
    if (sum.uses.empty()) sum = SparseSum(static_cast<std::size_t>(features_));
    auto value =
        evaluate(chosen, weights, threads, [&](std::size_t i, const std::vector<double>& local) {
          sum.add(chosen[i].features->vocabulary, local);
        });
    std::vector<double> gradient;
    std::vector<Index> uses, touched;
    sum.take(gradient, uses);
    touched.swap(sum.touched);
    std::swap(sum, sum_);
    return std::make_tuple(give(std::move(value)), give(std::move(touched)),
                           give(std::move(gradient)), give(std::move(uses)));
  }

  auto uses() const {
    std::vector<Index> count(static_cast<std::size_t>(features_), 0);
    for (const Item& item : items_)
      for (const Index feature : item.features->vocabulary)
        ++count[static_cast<std::size_t>(feature)];
    return give(std::move(count));
  }

  std::size_t size() const { return items_.size(); }

  // Every item has a table of its own: weights[first[i] .. first[i + 1]]. Its columns point there.
  auto run_tables(const In<double>& weights, const In<std::int64_t>& first, int threads) const {
    check_tables(view(first), static_cast<std::int64_t>(weights.size()));
    std::vector<double> gradient(weights.size(), 0.0);
    auto value = sweep(items_, view(weights), view(first), threads,
                       [&](std::size_t i, const std::vector<double>& local) {
                         const auto& vocabulary = items_[i].features->vocabulary;
                         double* table = gradient.data() + view(first)[i];
                         for (std::size_t k = 0; k < local.size(); ++k)
                           table[vocabulary[k]] += local[k];
                       });
    return std::make_pair(give(std::move(value)), give(std::move(gradient)));
  }

 private:
  void check_tables(std::span<const std::int64_t> first, std::int64_t weights) const {
    const auto fail = [](const std::string& what) { throw std::invalid_argument(what); };
    if (first.size() != items_.size() + 1 || first.front() != 0 || first.back() != weights)
      fail("first must run from 0 to the number of weights, with one table for each item");
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const std::int64_t size = first[i + 1] - first[i];
      if (size < 0) fail("table " + std::to_string(i) + " ends before it begins");
      for (const Index column : items_[i].features->vocabulary)
        if (column < 0 || column >= size)
          fail("forest " + std::to_string(i) + ": column " + std::to_string(column) +
               " is outside its table of " + std::to_string(size) + " entries");
    }
  }

  std::vector<double> evaluate(
      std::span<const Item> items, const In<double>& weights, int threads,
      const std::function<void(std::size_t, const std::vector<double>&)>& add) const {
    if (static_cast<std::int64_t>(weights.size()) != features_)
      throw std::invalid_argument("the batch was made for " + std::to_string(features_) +
                                  " weights, not " + std::to_string(weights.size()));
    return sweep(items, view(weights), {}, threads, add);
  }

  Items kept_;
  std::int64_t features_;
  std::vector<Item> items_;
  SparseSum sum_;  // of run_on: all zero, kept for the next call
};

// The features of some examples, checked once: scores of parts, and gradients added up over
// features.
class FeatureBatch {
 public:
  using List = nb::typed<nb::list, BoundFeatures>;
  using Numbers = std::vector<std::size_t>;

  FeatureBatch(List features, std::int64_t how_many)
      : kept_(features), features_(how_many), sum_(static_cast<std::size_t>(how_many)) {
    for (nb::handle handle : features) {
      items_.push_back(&nb::cast<const BoundFeatures&>(handle));
      items_.back()->core.check(items_.back()->parts, how_many);
    }
  }

  auto scores(const Numbers& numbers, const In<double>& weights) const {
    if (static_cast<std::int64_t>(weights.size()) != features_)
      throw std::invalid_argument("one weight for each feature");
    std::vector<double> local;
    std::vector<Out<double>> out;
    for (const std::size_t i : numbers) {
      const BoundFeatures& item = at(i);
      std::vector<double> score(static_cast<std::size_t>(item.parts));
      score_parts(item.core, weights.data(), local, score.data());
      out.push_back(give(std::move(score)));
    }
    return out;
  }

  auto add_up(const Numbers& numbers, const std::vector<In<double>>& gradients) {
    if (numbers.size() != gradients.size()) throw std::invalid_argument("one gradient an example");
    for (std::size_t k = 0; k < numbers.size(); ++k)
      if (gradients[k].size() != static_cast<std::size_t>(at(numbers[k]).parts))
        throw std::invalid_argument("the gradient must have one entry a part");
    std::vector<double> local, total;
    std::vector<Index> uses, touched;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const Features& features = at(numbers[k]).core;
      backpropagate(features, gradients[k].data(), local);
      sum_.add(features.vocabulary, local);
    }
    sum_.take(total, uses);
    touched.swap(sum_.touched);
    return std::make_tuple(give(std::move(touched)), give(std::move(total)), give(std::move(uses)));
  }

 private:
  const BoundFeatures& at(std::size_t i) const {
    if (i >= items_.size())
      throw std::invalid_argument("the batch has no example " + std::to_string(i));
    return *items_[i];
  }

  List kept_;
  std::int64_t features_;
  std::vector<const BoundFeatures*> items_;
  SparseSum sum_;  // all zero between two calls
};

}  // namespace

void bind_batch(nb::module_& m) {
  nb::class_<BoundFeatures>(m, "Features", "A CSR matrix of parts and features.")
      .def(nb::init<In<Index>, In<Index>, In<Index>, std::optional<In<float>>>(), "first"_a,
           "local"_a, "vocabulary"_a, "value"_a = nb::none())
      .def(
          "scores",
          [](const BoundFeatures& f, const In<double>& weights) {
            f.core.check(f.parts, static_cast<std::int64_t>(weights.size()));
            std::vector<double> local, out(static_cast<std::size_t>(f.parts));
            score_parts(f.core, weights.data(), local, out.data());
            return give(std::move(out));
          },
          "weights"_a, "Every part's score.")
      .def(
          "backpropagate",
          [](const BoundFeatures& f, const In<double>& gradient) {
            if (gradient.size() != static_cast<std::size_t>(f.parts))
              throw std::invalid_argument("the gradient must have one entry a part");
            std::vector<double> local;
            backpropagate(f.core, gradient.data(), local);
            return give(std::move(local));
          },
          "gradient"_a, "The gradient over the vocabulary, from the one over the parts.");
  nb::class_<FeatureBatch>(m, "FeatureBatch", "The features of some examples, checked once.")
      .def(nb::init<FeatureBatch::List, std::int64_t>(), "examples"_a, "features"_a)
      .def("scores", &FeatureBatch::scores, "numbers"_a, "weights"_a,
           "Scores of the parts of some examples.")
      .def("add_up", &FeatureBatch::add_up, "numbers"_a, "gradients"_a,
           "From gradients over parts: features that any example has, the gradient there, examples "
           "with each.");
  nb::class_<Batch>(m, "Batch", "Items (forest, gold, counts, features, objective), checked once.")
      .def(nb::init<Items, std::int64_t>(), "items"_a, "features"_a)
      .def("__len__", &Batch::size)
      .def("run", &Batch::run, "weights"_a, "threads"_a = 1,
           "Every item's value, and the gradient of their sum; the same for any number of threads.")
      .def("run_on", &Batch::run_on, "numbers"_a, "weights"_a, "threads"_a = 1,
           "Values of some items; features that they have, the gradient there, items with each.")
      .def("run_tables", &Batch::run_tables, "weights"_a, "first"_a, "threads"_a = 1,
           "Every item's value and gradient, each item with the weights of its own table.")
      .def("uses", &Batch::uses, "How many items have each feature.");
}

}  // namespace treewright::bind
