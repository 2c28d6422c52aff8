#include "dependency/transition/system.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace treewright::dependency::transition {

namespace {
std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
void increment(std::uint8_t& count) { count += count < 255; }
}  // namespace

void State::begin(std::int32_t words) {
  nodes.assign(at(words) + 1, DepNode{});
  stack.clear();
  next = 1, headless = 0, last_action = -1, finished = false;
}

Transitions::Transitions(System system, std::int32_t labels) : system_(system), labels_(labels) {
  if (labels < 1 || labels > 30000) throw std::invalid_argument("from 1 to 30000 labels");
}

unsigned Transitions::legal(const State& state) const {
  if (state.finished) return 0;
  return system_ == System::kArcEager ? legal_eager(state) : legal_hybrid(state);
}

// At the last word the words without a head must come down to one, which takes the place of the
// root; before it, the word ahead can still take them all as dependents.
unsigned Transitions::legal_eager(const State& state) const {
  if (state.next > state.words()) return kCanRoot;
  const bool last = state.next == state.words();
  if (state.stack.empty()) return kCanShift;
  const bool headed = state.nodes[at(state.top(0))].head != 0;
  return (last ? 0u : kCanShift) | (headed ? kCanReduce : kCanLeft) |
         (!last || state.headless == 1 ? kCanRight : 0u);
}

unsigned Transitions::legal_hybrid(const State& state) const {
  const bool more = state.next <= state.words();
  if (!more && state.stack.size() == 1) return kCanRoot;
  return (more ? kCanShift : 0u) | (more && !state.stack.empty() ? kCanLeft : 0u) |
         (state.stack.size() > 1 ? kCanRight : 0u);
}

// The root takes all words before it that have no head, so it is shifted onto an empty stack; and
// it never becomes a dependent.
unsigned Transitions::legal_for_root(const State& state, std::int32_t root) const {
  unsigned kinds = legal(state);
  if (state.next == root && !state.stack.empty())
    kinds &= ~(kCanShift | (system_ == System::kArcEager ? kCanRight : 0u));
  if (state.top(0) == root) kinds &= ~kCanLeft;
  return kinds;
}

std::int32_t Transitions::dependent(const State& state, bool left) const {
  return left || system_ == System::kArcHybrid ? state.top(0) : state.next;
}

std::int32_t Transitions::governor(const State& state, bool left) const {
  if (left) return state.next;
  return state.top(system_ == System::kArcHybrid ? 1 : 0);
}

void Transitions::link(State& state, std::int32_t head, std::int32_t dependent,
                       std::int32_t label) {
  DepNode& below = state.nodes[at(dependent)];
  DepNode& above = state.nodes[at(head)];
  below.head = static_cast<std::int16_t>(head);
  below.label = static_cast<std::uint16_t>(label + 1);
  const std::uint64_t bit = std::uint64_t{1} << (label % 64);
  if (dependent < head) {
    above.left2 = std::exchange(above.left, static_cast<std::int16_t>(dependent));
    above.left_labels |= bit;
    increment(above.left_count);
  } else {
    above.right2 = std::exchange(above.right, static_cast<std::int16_t>(dependent));
    above.right_labels |= bit;
    increment(above.right_count);
  }
}

// Once the buffer is empty, an arc-eager stack can only be reduced to the root: done at once.
void Transitions::push(State& state) const {
  const bool headless = state.nodes[at(state.next)].head == 0;
  state.headless += headless;
  state.stack.push_back(static_cast<std::int16_t>(state.next++));
  if (system_ == System::kArcEager && state.next > state.words()) state.stack.resize(1);
}

void Transitions::apply(State& state, std::int32_t action) const {
  state.last_action = action;
  if (action == kRoot) {
    state.finished = true;
  } else if (action == kShift) {
    push(state);
  } else if (action == kReduce) {
    state.stack.pop_back();
  } else {
    const bool left = action < kArcs + labels_;
    const std::int32_t label = (action - kArcs) % labels_;
    link(state, governor(state, left), dependent(state, left), label);
    if (!left && system_ == System::kArcEager) return push(state);
    state.headless -= 1;
    state.stack.pop_back();
  }
}

bool Transitions::must_reduce(const State& state, std::span<const std::int32_t> heads) const {
  const std::int32_t next = state.next;
  for (std::size_t i = 0; i + 1 < state.stack.size(); ++i) {
    const std::int32_t word = state.stack[i];
    if (heads[at(word - 1)] == next || heads[at(next - 1)] == word) return true;
  }
  return false;
}

std::int32_t Transitions::next_gold(const State& state, std::span<const std::int32_t> heads,
                                    std::span<const std::int32_t> labels,
                                    std::span<const std::int32_t> last_dependent,
                                    bool reduce_early) const {
  const unsigned legal_kinds = legal(state);
  if (legal_kinds & kCanRoot) return kRoot;
  const std::int32_t top = state.top(0), under = state.top(1), next = state.next;
  const auto head = [&](std::int32_t word) { return heads[at(word - 1)]; };
  const auto label = [&](std::int32_t word) { return labels[at(word - 1)]; };
  if ((legal_kinds & kCanLeft) && head(top) == next) return left_arc(label(top));
  if (system_ == System::kArcHybrid) {
    const bool complete = top && last_dependent[at(top)] < next;
    return under && complete && head(top) == under ? right_arc(label(top)) : kShift;
  }
  if (top && head(next) == top) return right_arc(label(next));
  if (legal_kinds & kCanReduce)
    if (reduce_early ? last_dependent[at(top)] < next : must_reduce(state, heads)) return kReduce;
  return kShift;
}

std::vector<std::int32_t> Transitions::oracle(std::span<const std::int32_t> heads,
                                              std::span<const std::int32_t> labels,
                                              bool reduce_early) const {
  State state;
  state.begin(static_cast<std::int32_t>(heads.size()));
  std::vector<std::int32_t> last(heads.size() + 1, 0), actions;
  for (std::size_t i = 0; i < heads.size(); ++i) last[at(heads[i])] = static_cast<int>(i) + 1;
  while (!state.finished) {
    const std::int32_t action = next_gold(state, heads, labels, last, reduce_early);
    const unsigned kind = action < kArcs             ? 1u << action
                          : action < kArcs + labels_ ? kCanLeft
                                                     : kCanRight;
    if (!(legal(state) & kind)) throw std::invalid_argument("the tree is not projective");
    apply(state, action);
    actions.push_back(action);
  }
  for (std::size_t i = 0; i < heads.size(); ++i)
    if (state.nodes[i + 1].head != heads[i])
      throw std::invalid_argument("the tree is not projective");
  return actions;
}

}  // namespace treewright::dependency::transition
