// Transition systems for projective dependency trees with one root (Nivre 2008; Kuhlmann,
// Gómez-Rodríguez and Satta 2011).
//
// Words count from 1; 0 is no word. There is no artificial root on the stack: a parse is finished
// once the buffer is empty, and the last word without a head is the root. What is legal at the last
// word keeps every reachable parse a tree with a single root, so nothing is repaired afterwards.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::dependency::transition {

enum class System { kArcEager, kArcHybrid };

// Actions are numbers: three without a label, then a left and a right arc for each label.
constexpr std::int32_t kShift = 0, kReduce = 1, kRoot = 2, kArcs = 3;
enum Kind : unsigned { kCanShift = 1, kCanReduce = 2, kCanRoot = 4, kCanLeft = 8, kCanRight = 16 };
constexpr std::int32_t kMaxWords = 16000;

// What a partial parse knows of a word. Dependents count outermost first.
struct DepNode {
  std::int16_t head = 0, left = 0, left2 = 0, right = 0, right2 = 0;
  std::uint16_t label = 0;  // of the arc from the head, from 1; 0 without a head
  std::uint8_t left_count = 0, right_count = 0;
  std::uint64_t left_labels = 0, right_labels = 0;  // sets, by label modulo 64
};

struct State {
  std::vector<DepNode> nodes;       // [words + 1]
  std::vector<std::int16_t> stack;  // the top is last
  std::int32_t next = 1;            // the first word of the buffer
  std::int32_t headless = 0;        // words on the stack that have no head
  std::int32_t last_action = -1;
  bool finished = false;

  std::int32_t words() const { return static_cast<std::int32_t>(nodes.size()) - 1; }
  std::int32_t top(std::size_t depth) const {
    return depth < stack.size() ? stack[stack.size() - 1 - depth] : 0;
  }
  void begin(std::int32_t words);
};

class Transitions {
 public:
  Transitions(System system, std::int32_t labels);
  System system() const { return system_; }
  std::int32_t labels() const { return labels_; }
  std::int32_t actions() const { return kArcs + 2 * labels_; }
  std::int32_t left_arc(std::int32_t label) const { return kArcs + label; }
  std::int32_t right_arc(std::int32_t label) const { return kArcs + labels_ + label; }

  // The kinds of action that are possible, as a sum of `Kind`; 0 if the parse is finished.
  unsigned legal(const State& state) const;
  // The same for parses whose root is a given word; some action is always left.
  unsigned legal_for_root(const State& state, std::int32_t root) const;
  void apply(State& state, std::int32_t action) const;
  // The actions that build a projective tree: the arc-eager oracle reduces as late as it can, or as
  // soon. Throws std::invalid_argument if the tree cannot be built.
  std::vector<std::int32_t> oracle(std::span<const std::int32_t> heads,
                                   std::span<const std::int32_t> labels, bool reduce_early) const;
  // The word that a left or right arc takes as dependent and as head in this state.
  std::int32_t dependent(const State& state, bool left) const;
  std::int32_t governor(const State& state, bool left) const;

 private:
  unsigned legal_eager(const State& state) const;
  unsigned legal_hybrid(const State& state) const;
  std::int32_t next_gold(const State& state, std::span<const std::int32_t> heads,
                         std::span<const std::int32_t> labels,
                         std::span<const std::int32_t> last_dependent, bool reduce_early) const;
  bool must_reduce(const State& state, std::span<const std::int32_t> heads) const;
  static void link(State& state, std::int32_t head, std::int32_t dependent, std::int32_t label);
  void push(State& state) const;

  System system_;
  std::int32_t labels_;
};

}  // namespace treewright::dependency::transition
