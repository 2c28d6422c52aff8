// Bindings of CCG charts.
#include "bind.hpp"

namespace treewright::bind {

void bind_ccg(nb::module_&) {}

}  // namespace treewright::bind
