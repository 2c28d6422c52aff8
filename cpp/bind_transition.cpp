// Bindings of transition-based dependency parsing.
#include "bind.hpp"

namespace treewright::bind {

void bind_transition(nb::module_&) {}

}  // namespace treewright::bind
