// Bindings of constituency parsing.
#include "bind.hpp"

namespace treewright::bind {

void bind_constituency(nb::module_&) {}

}  // namespace treewright::bind
