// What the binding files share: arrays in and out, forests that keep their arrays, the GIL.
//
// bind*.cpp and this header are the only files that include nanobind.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "core/build.hpp"
#include "core/deadline.hpp"
#include "core/kbest.hpp"
#include "counts/batch.hpp"

namespace treewright::bind {

using namespace treewright::counts;

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using OutTable = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
using ComplexVector = std::vector<std::complex<double>>;

template <class T>
std::span<const T> view(const In<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
std::vector<T> copy(const In<T>& array) {
  return {array.data(), array.data() + array.size()};
}

// Hands a vector's memory to numpy.
template <class T>
Out<T> give(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(kept->data(), {kept->size()}, owner);
}

template <class T>
OutTable<T> give_table(std::vector<T>&& values, std::size_t columns) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return OutTable<T>(kept->data(), {kept->size() / columns, columns}, owner);
}

template <class T>
std::vector<T> per_node(const Forest& forest, const NodeValues<T>& values) {
  return {values.data(), values.data() + forest.nodes()};
}

// Forests, counts and features keep the arrays that they are views of.
struct BoundForest {
  In<Index> first_edge, left, right, part;
  Forest core;
  BoundForest(In<Index> f, In<Index> l, In<Index> r, In<Index> p, Index parts)
      : first_edge(f),
        left(l),
        right(r),
        part(p),
        core(view(f), view(l), view(r), view(p), parts) {}
};

struct BoundCountTable {
  In<std::int16_t> n, d;
  CountTable core;
  const BoundForest* owner;  // Python keeps it alive
  BoundCountTable(const BoundForest& forest, In<std::int16_t> n_, In<std::int16_t> d_)
      : n(n_), d(d_), core(forest.core, view(n_), view(d_)), owner(&forest) {}

  // The counts of this forest: those of another one have cells elsewhere.
  const CountTable& of(const BoundForest& forest) const {
    if (&forest != owner) throw std::invalid_argument("these are the counts of another forest");
    return core;
  }
};

inline const CountTable* counts_of(const BoundForest& forest, const BoundCountTable* counts) {
  return counts ? &counts->of(forest) : nullptr;
}

struct BoundFeatures {
  In<Index> first, local, vocabulary;
  std::optional<In<float>> value;
  Features core;
  Index parts;
  BoundFeatures(In<Index> f, In<Index> l, In<Index> v, std::optional<In<float>> x)
      : first(f),
        local(l),
        vocabulary(v),
        value(x),
        core{view(f), view(l), x ? view(*x) : std::span<const float>{}, view(v)},
        parts(static_cast<Index>(f.size()) - 1) {
    if (f.size() == 0) throw std::invalid_argument("features: first is empty");
    core.check(parts, -1);
  }
};

inline const double* checked(const BoundForest& forest, const In<double>& scores) {
  if (scores.size() != static_cast<std::size_t>(forest.core.parts()))
    throw std::invalid_argument(
        "scores must have one entry a part: " + std::to_string(scores.size()) + " for " +
        std::to_string(forest.core.parts()) + " parts");
  check_scores(view(scores));
  return scores.data();
}

inline double require_weight(double log_z) {
  if (log_z == Log::zero()) throw std::invalid_argument("no derivation has weight");
  return log_z;
}

inline unsigned checked_threads(int threads) {
  if (threads < 1 || threads > 1024) throw std::invalid_argument("threads: from 1 to 1024");
  return static_cast<unsigned>(threads);
}

inline bool interrupted() {
  const nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

// Runs work(i, thread, stop) for i < count so that Ctrl-C ends it. Called without the GIL.
template <class Work>
void interruptible(std::size_t count, int threads, Work work) {
  StopFlag stop{false};
  try {
    run_ordered(
        count, checked_threads(threads),
        [&](std::size_t i, unsigned thread) { work(i, thread, stop); }, [](std::size_t) {}, stop,
        interrupted);
  } catch (const Interrupted&) {
  }
  if (!stop) return;
  const nb::gil_scoped_acquire gil;
  throw nb::python_error();
}

// The same for a long single computation.
template <class Work>
void interruptible(Work work) {
  interruptible(1, 1, [&](std::size_t, unsigned, const StopFlag& stop) { work(stop); });
}

// Runs work without the GIL, unless the time for it is over.
template <class Work>
auto unlocked(Work work) {
  check_deadline();
  const nb::gil_scoped_release release;
  return work();
}

using DerivationTuple = std::pair<double, Out<Index>>;
inline DerivationTuple give(Derivation&& d) { return {d.score, give(std::move(d.edges))}; }

// One function a binding file; bind.cpp calls them all.
void bind_forest(nb::module_& m);
void bind_sweeps(nb::module_& m);
void bind_builders(nb::module_& m);
void bind_plans(nb::module_& m);
void bind_counts(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_ccg(nb::module_& m);
void bind_features(nb::module_& m);
void bind_tagger(nb::module_& m);
void bind_constituency(nb::module_& m);
void bind_transition(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_factors(nb::module_& m);

}  // namespace treewright::bind
