#include "core/events.hpp"

#include <algorithm>
#include <stdexcept>

namespace treewright {

std::vector<double> event_gains(std::span<const Index> first, std::span<const Index> event,
                                std::span<const double> marginal, double penalty) {
  const bool rises = std::is_sorted(first.begin(), first.end());
  if (first.size() != marginal.size() + 1 || first.front() != 0 || !rises ||
      first.back() != static_cast<Index>(event.size()))
    throw std::invalid_argument("the parts' first events must rise from 0 to the number of events");
  for (const Index e : event)
    if (e < 0 || static_cast<std::size_t>(e) >= event.size())
      throw std::invalid_argument("the events' numbers must be from 0, without gaps");
  std::vector<double> posterior(event.size(), 0.0);
  std::vector<double> gain(marginal.size(), 0.0);
  for (std::size_t p = 0; p < gain.size(); ++p)
    for (Index i = first[p]; i < first[p + 1]; ++i) posterior[event[i]] += marginal[p];
  for (std::size_t p = 0; p < gain.size(); ++p)
    for (Index i = first[p]; i < first[p + 1]; ++i) gain[p] += posterior[event[i]] - penalty;
  return gain;
}

}  // namespace treewright
