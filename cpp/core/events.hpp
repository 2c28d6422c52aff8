// Gains of parts for minimum-risk decoding of events.
#pragma once

#include <span>
#include <vector>

#include "core/forest.hpp"

namespace treewright {

// gain(p) = sum over the events e of part p of [sum over parts q of e of marginal(q)] - penalty.
// The events of part p are event[first[p]] to event[first[p + 1] - 1].
std::vector<double> event_gains(std::span<const Index> first, std::span<const Index> event,
                                std::span<const double> marginal, double penalty);

}  // namespace treewright
