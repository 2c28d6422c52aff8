#include "dependency/transition/dynamic_oracle.hpp"

namespace treewright::dependency::transition {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Gold dependents of a word that are still in the buffer.
std::int32_t waiting(const State& state, std::span<const std::int32_t> heads, std::int32_t word) {
  std::int32_t count = 0;
  for (std::int32_t k = state.next; k <= state.words(); ++k) count += heads[at(k - 1)] == word;
  return count;
}

std::int32_t shift_cost(const State& state, std::span<const std::int32_t> heads) {
  const std::int32_t next = state.next, head = heads[at(next - 1)];
  std::int32_t cost = head == 0 && !state.stack.empty();
  for (std::size_t i = 0; i < state.stack.size(); ++i) {
    const std::int32_t word = state.stack[i];
    cost += heads[at(word - 1)] == next;
    cost += head == word && i + 1 < state.stack.size();
  }
  return cost;
}

}  // namespace

std::int32_t hybrid_cost(const Transitions& transitions, const State& state,
                         std::span<const std::int32_t> heads, std::span<const std::int32_t> labels,
                         std::int32_t action) {
  if (action == kShift) return shift_cost(state, heads);
  if (action < kArcs) return 0;
  const bool left = action < transitions.right_arc(0);
  const std::int32_t word = state.top(0), head = heads[at(word - 1)];
  const std::int32_t made = transitions.governor(state, left);
  const bool right_label = labels[at(word - 1)] == (action - kArcs) % transitions.labels();
  const bool reachable = head >= state.next || head == state.top(1);
  const bool lost = reachable && (head != made || !right_label);
  return lost + waiting(state, heads, word);
}

}  // namespace treewright::dependency::transition
