// Bindings of what all formalisms' features share: templates, and tables of keys.
#include "bind/bind.hpp"
#include "core/templates.hpp"

namespace treewright::bind {

void bind_features(nb::module_& m) {
  nb::class_<TemplateProgram>(m, "Templates", "Feature templates, compiled.")
      .def(
          "__init__",
          [](TemplateProgram* self, const In<Index>& code, Index columns, Index values,
             Index places, Index marks) {
            new (self) TemplateProgram(view(code), {columns, values, places, marks});
          },
          "code"_a, "columns"_a, "values"_a, "places"_a, "marks"_a)
      .def("__len__", &TemplateProgram::templates);
  nb::class_<KeyTable>(m, "KeyTable", "The keys of features; a feature is its key's position.")
      .def(
          "__init__",
          [](KeyTable* self, const In<Key>& keys, int key_bits) {
            new (self) KeyTable(KeyTable::distinct(view(keys), key_bits));
          },
          "keys"_a, "key_bits"_a = 64)
      .def("__len__", [](const KeyTable& table) { return table.size(); });
}

}  // namespace treewright::bind
