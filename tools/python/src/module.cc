// _core: the extension module under the package vecc. What users call is in vecc/*.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "errors.h"
#include "graph.h"
#include "knowledge_graph.h"
#include "program.h"
#include "program_builder.h"
#include "saved_program.h"
#include "src/support/enum_names.h"
#include "tools/common/logging.h"
#include "vecc/backend.h"
#include "vecc/loss.h"
#include "vecc/train_step.h"

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

/// By name of an optimizer: its hyperparameters with their defaults, and its class in torch.optim.
nb::dict all_optimizers() {
  nb::dict result;
  for (const OptimizerInfo& each : optimizers()) {
    nb::dict defaults;
    for (const HyperparameterInfo& hyperparameter : hyperparameters()) {
      const auto& value = each.defaults.*hyperparameter.value;
      if (!value) continue;
      const nb::str name(hyperparameter.name.data(), hyperparameter.name.size());
      const bool is_flag = hyperparameter.range == HyperparameterRange::Flag;
      defaults[name] =
          is_flag ? nb::object(nb::bool_(*value != 0)) : nb::object(nb::float_(*value));
    }
    nb::dict about;
    about["hyperparameters"] = defaults;
    about["torch"] = each.torch.empty() ? nb::object(nb::none())
                                        : nb::object(nb::str(each.torch.data(), each.torch.size()));
    result[nb::str(each.text.data(), each.text.size())] = about;
  }
  return result;
}

// What VECC_LOG_LEVEL says, empty as unset; an error of the import else.
std::string log_level() {
  const char* const said = std::getenv("VECC_LOG_LEVEL");
  const std::string level = said != nullptr && *said != '\0' ? said : "warn";
  const std::vector<std::string>& levels = vecc::tools::log_levels();
  if (std::find(levels.begin(), levels.end(), level) != levels.end()) return level;
  throw nb::import_error(
      ("VECC_LOG_LEVEL: found " + level + ", expected trace, debug, info, warn, error or off")
          .c_str());
}

}  // namespace
}  // namespace vecc::python_package

NB_MODULE(_core, module) {
  using namespace vecc::python_package;
  vecc::tools::set_up_logging(log_level());
  nanobind::set_leak_warnings(false);  // what a notebook still holds when Python ends is no leak
  module.attr("VERSION") = VECC_VERSION;
  module.def("backends", usable_backends, nb::arg("device"));
  module.def("optimizers", all_optimizers);
  module.def("losses", [] { return vecc::names_of<vecc::Loss>(); });
  bind_errors();
  bind_graph(module);
  bind_saved_program(module);
  bind_program(module);
  bind_writer(module);
  bind_program_builder(module);
  bind_row_orders(module);
  bind_grounder(module);
  bind_knowledge_graph(module);
}
