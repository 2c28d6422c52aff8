// Dependency trees: weights of transition parsers from any arrays, spanning trees of any scores.
#include <cstddef>

#include "dependency/eisner.hpp"
#include "dependency/mst.hpp"
#include "dependency/transition/weight_rows.hpp"
#include "input.hpp"

using namespace treewright;
using namespace treewright::dependency;
using fuzz::require;

namespace {

void rows(fuzz::Input& input) {
  const std::int32_t actions = input.number(-1, 9);
  const auto keys = input.numbers<std::uint64_t>(6, 0, 9);
  auto first = input.offsets<std::int64_t>(7, 6);
  auto action = input.numbers<std::uint16_t>(30, 0, 8);
  if (input.flag()) first.resize(keys.size() + 1, static_cast<std::int64_t>(action.size()));
  const auto weights = input.scores<float>(action.size(), 3e38, false);
  transition::LearningRows learning;
  const std::vector<double> moments(weights.size(), 1.0);
  learning.restore(keys, first, action, weights, moments, actions);
  if (actions > 0) learning.update(7, actions - 1, 1.0F, 1.0);
  const transition::WeightArrays made = learning.averaged(2.0, 0.1F);
  require(learning.features() >= keys.size(), "no row is lost");
  const transition::FrozenRows frozen(keys, first, action, weights, actions, input.number(20, 64));
  std::vector<float> scores(at(std::max(actions, 1)));
  for (const std::uint64_t key : keys)
    if (const void* row = frozen.find(key, frozen.locate(key))) frozen.add_row(row, scores.data());
}

void trees(fuzz::Input& input) {
  const Index words = input.number(1, 6);
  const auto width = at(words + 1);
  const auto score = input.scores<double>(width * width, 1e290);
  const bool single = input.flag();
  double largest = 1;  // rounding is relative to it
  for (const double each : score)
    if (std::isfinite(each)) largest = std::max(largest, std::abs(each));
  double last = std::numeric_limits<double>::infinity();
  for (const HeadTree& tree : best_trees(words, score.data(), 5, single)) {
    Index roots = 0;
    for (Index word = 1; word <= words; ++word) {
      Index head = word, steps = 0;
      while (head > 0 && steps++ <= words) head = tree.head[at(head)];
      require(head == 0, "every word is below the root");
      roots += tree.head[at(word)] == 0;
    }
    require(!single || roots == 1, "one root");
    require(tree.score <= last + 1e-9 * largest, "best first");
    last = tree.score;
  }
}

void arcs(fuzz::Input& input) {
  const auto head = input.numbers<Index>(20, 0, 5), word = input.numbers<Index>(20, 1, 5);
  const ArcForest made =
      build_arc_forest(input.number(-1, 5), head, word, input.flag(), input.flag(), 5000);
  const ForestArrays& found = made.forest;
  if (found.nodes()) Forest(found.first_edge, found.left, found.right, found.part, found.parts);
}

void target(fuzz::Input& input) {
  switch (input.number(0, 2)) {
    case 0:
      return rows(input);
    case 1:
      return trees(input);
    default:
      return arcs(input);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(target, data, size);
}
