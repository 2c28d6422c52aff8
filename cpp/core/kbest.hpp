// Lazy k-best derivations (Huang and Chiang 2005, algorithm 3).
#pragma once

#include <vector>

#include "core/sweep.hpp"

namespace treewright {

// At most k distinct derivations of finite score, best first. O(E + D k log k) for derivations of
// D edges: after the Viterbi pass, only what the k derivations touch is visited.
std::vector<Derivation> kbest(const Forest& forest, const double* score, std::size_t k);

}  // namespace treewright
