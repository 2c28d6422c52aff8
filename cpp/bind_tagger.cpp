// Bindings of taggers.
#include "bind.hpp"

namespace treewright::bind {

void bind_tagger(nb::module_&) {}

}  // namespace treewright::bind
