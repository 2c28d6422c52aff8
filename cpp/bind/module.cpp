// The module: its parts, and what errors become in Python.
#include "bind/bind.hpp"

using namespace treewright;
using namespace treewright::bind;

namespace {

std::string compiler() {
#if defined(__clang__)
  return std::string("clang ") + __clang_version__;
#elif defined(__GNUC__)
  return std::string("gcc ") + __VERSION__;
#else
  return "unknown";
#endif
}

const char* simd_level() {
#if defined(TREEWRIGHT_ARCH)
  return TREEWRIGHT_ARCH;
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(TREEWRIGHT_SANITIZE)
  if (__builtin_cpu_supports("x86-64-v4")) return "x86-64-v4";
  if (__builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
#endif
  return "portable";
}

// What users can mend is a ForestError in Python, what took too long a DeadlineError.
void translate(const std::exception_ptr& thrown, void*) {
  const auto raise = [](const char* name, const char* message) {
    const nb::object type = nb::module_::import_("treewright.errors").attr(name);
    PyErr_SetString(type.ptr(), message);
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const DeadlinePassed& error) {
    raise("DeadlineError", error.what());
  } catch (const std::invalid_argument& error) {
    raise("ForestError", error.what());
  } catch (const std::length_error& error) {
    raise("ForestError", error.what());
  }
}

// Sets the time from now at which all loops of this process give up; none: never.
void set_deadline(std::optional<double> seconds) {
  deadline = seconds ? steady_now() + static_cast<std::int64_t>(1e9 * *seconds) : kNoDeadline;
}

}  // namespace

NB_MODULE(_core, m) {
  nb::register_exception_translator(translate);
  m.doc() = "Treewright's native core: forests, sweeps and objectives over integers and floats.";
  m.def("simd_level", simd_level, "The instruction set that the hot loops use here.");
  m.def("compiler", compiler, "What the core was compiled with.");
  m.def("set_deadline", set_deadline, "seconds"_a.none(),
        "Sets the time from now at which the core's loops give up; None: never.");
  bind_forest(m);
  bind_sweeps(m);
  bind_plans(m);
  bind_counts(m);
  bind_batch(m);
  bind_builders(m);
  bind_features(m);
  bind_tagger(m);
  bind_ccg(m);
  bind_constituency(m);
  bind_transition(m);
  bind_graph(m);
  bind_factors(m);
}
