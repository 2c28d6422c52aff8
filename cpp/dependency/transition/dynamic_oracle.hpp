// The dynamic oracle of the arc-hybrid system (Goldberg and Nivre 2013): what an action costs in
// any state, gold or not. The costs of arcs add up, since every set of arcs of a projective tree
// that can be reached one by one can be reached together.
#pragma once

#include <cstdint>
#include <span>

#include "dependency/transition/system.hpp"

namespace treewright::dependency::transition {

// The gold arcs, labels included, that an action puts out of reach; heads and labels of words from
// 1 on stand at 0. The word at the bottom of the stack has the root below it.
std::int32_t hybrid_cost(const Transitions& transitions, const State& state,
                         std::span<const std::int32_t> heads, std::span<const std::int32_t> labels,
                         std::int32_t action);

}  // namespace treewright::dependency::transition
