// Forests of any arrays, and what the sweeps say of those that are accepted.
#include <cstddef>

#include "core/kbest.hpp"
#include "counts/cells.hpp"
#include "input.hpp"

using namespace treewright;
using fuzz::require;

namespace {

void check_law(const Forest& forest, const Workspace& work, fuzz::Input& input) {
  const auto n = input.numbers<std::int16_t>(8, 0, 2), d = input.numbers<std::int16_t>(8, 0, 2);
  const counts::CountTable counts(forest, n, d);
  if (counts::cell_costs(forest, counts).split_cells > 10'000) return;
  double sum = 0;
  for (const double p : counts::split_law(forest, counts, work, {})) sum += p;
  require(std::abs(sum - 1) < 1e-6, "the law of the counts sums to 1");
}

void target(fuzz::Input& input) {
  const auto first = input.offsets<Index>(12, 3);
  const std::size_t edges = first.empty() ? 0 : at(std::min<Index>(std::max(first.back(), 0), 64));
  auto left = input.numbers<Index>(64, -1, 8), right = input.numbers<Index>(64, -1, 8);
  auto part = input.numbers<Index>(64, 0, 7);
  if (input.flag()) left.resize(edges, -1), right.resize(edges, -1), part.resize(edges, 0);
  const Forest forest(first, left, right, part, input.number(-1, 8));
  const auto score = input.scores<double>(at(forest.parts()), 1e290);
  Workspace work;
  const double log_z = local_probabilities(forest, score.data(), work);
  const Derivation best = viterbi(forest, score.data());
  const auto some = kbest(forest, score.data(), 4);
  outside(forest, score.data(), Log{}, inside(forest, score.data(), Log{}));
  std::vector<Index> nodes, kept;
  restrict_edges(forest, std::vector<std::uint8_t>(at(forest.edges()), 1), nodes, kept);
  require(some.empty() == (log_z == Log::zero()), "lists are empty where nothing has weight");
  if (some.empty()) return;
  require(std::isfinite(log_z), "log Z is a number");
  const double tolerance = 1e-9 * std::max(1.0, std::abs(log_z));
  require(best.score <= log_z + tolerance, "the best derivation has a share of Z");
  require(std::abs(some[0].score - best.score) <= tolerance, "a list begins with the best");
  std::vector<double> mass(at(forest.parts()), 0.0), edge(at(forest.edges()), 0.0);
  add_marginals(forest, work, 1.0, mass.data(), edge.data());
  for (const double each : edge) require(each >= 0 && std::isfinite(each), "marginals");
  sample(forest, work, 2, 7);
  check_law(forest, work, input);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(target, data, size);
}
