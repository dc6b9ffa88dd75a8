// _core: the extension module under the package vecc. What users call is in vecc/*.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "errors.h"
#include "graph.h"
#include "program.h"
#include "program_builder.h"
#include "tools/common/logging.h"
#include "vecc/backend.h"

namespace vecc::python_package {
namespace {

/// Names of the backends that can run here.
std::vector<std::string> usable_backends(const std::string& device) {
  const Device parsed = take(parse_device(device));
  return without_lock([&] {
    std::vector<std::string> names;
    for (const Backend* backend : backends()) {
      if (backend->available(parsed)) names.emplace_back(backend->name());
    }
    return names;
  });
}

}  // namespace
}  // namespace vecc::python_package

NB_MODULE(_core, module) {
  using namespace vecc::python_package;
  vecc::tools::set_up_logging("warn");
  nanobind::set_leak_warnings(false);  // what a notebook still holds when Python ends is no leak
  module.attr("VERSION") = VECC_VERSION;
  module.def("backends", usable_backends, nb::arg("device"));
  bind_errors();
  bind_graph(module);
  bind_program(module);
  bind_writer(module);
  bind_program_builder(module);
}
