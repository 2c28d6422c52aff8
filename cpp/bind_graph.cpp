// Bindings of graph-based dependency parsing.
#include "bind.hpp"

namespace treewright::bind {

void bind_graph(nb::module_&) {}

}  // namespace treewright::bind
