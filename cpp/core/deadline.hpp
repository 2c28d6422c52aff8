// A deadline at which the loops of the core stop. It applies to the process: a server sets it for
// its current requests; otherwise it is unset, which costs one load per check.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace treewright {

struct DeadlinePassed : std::runtime_error {
  DeadlinePassed() : std::runtime_error("the time for this computation is over") {}
};

// Nanoseconds of the steady clock.
constexpr std::int64_t kNoDeadline = std::numeric_limits<std::int64_t>::max();
inline std::atomic<std::int64_t> deadline{kNoDeadline};

inline std::int64_t steady_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

// Throws if the deadline has passed. Called once per span, node or step, not per edge.
inline void check_deadline() {
  const std::int64_t due = deadline.load(std::memory_order_relaxed);
  if (due != kNoDeadline && steady_now() >= due) throw DeadlinePassed();
}

}  // namespace treewright
