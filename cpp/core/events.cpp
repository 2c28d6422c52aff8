#include "core/events.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace treewright {
namespace {

// Numbers below this may have gaps; more numbers than events are a mistake.
constexpr std::size_t kSparse = std::size_t{1} << 20;

}  // namespace

std::vector<double> event_gains(std::span<const Index> first, std::span<const Index> event,
                                std::span<const double> marginal, double penalty) {
  const bool rises = std::is_sorted(first.begin(), first.end());
  if (first.size() != marginal.size() + 1 || first.front() != 0 || !rises ||
      first.back() != static_cast<Index>(event.size()))
    throw std::invalid_argument("the parts' first events must rise from 0 to the number of events");
  const std::size_t limit = std::max(event.size(), kSparse);
  std::size_t numbers = 0;
  for (const Index e : event) {
    if (e < 0 || static_cast<std::size_t>(e) >= limit)
      throw std::invalid_argument("an event's number is negative or too large: " +
                                  std::to_string(e));
    numbers = std::max(numbers, static_cast<std::size_t>(e) + 1);
  }
  std::vector<double> posterior(numbers, 0.0);
  std::vector<double> gain(marginal.size(), 0.0);
  for (std::size_t p = 0; p < gain.size(); ++p)
    for (Index i = first[p]; i < first[p + 1]; ++i) posterior[event[i]] += marginal[p];
  for (std::size_t p = 0; p < gain.size(); ++p)
    for (Index i = first[p]; i < first[p + 1]; ++i) gain[p] += posterior[event[i]] - penalty;
  return gain;
}

}  // namespace treewright
