// _core.SavedProgram.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "errors.h"
#include "program.h"
#include "saved_program.h"

namespace vecc::python_package {
namespace {

std::unique_ptr<SavedProgram> load_saved(const std::string& path,
                                         const std::optional<std::string>& dtype,
                                         std::uint32_t threads, const std::string& device) {
  TemplateCompileOptions options;
  options.device = take(parse_device(device));
  options.threads = threads;
  if (dtype) {
    if (*dtype != "f32" && *dtype != "f64") raise_usage("dtype", *dtype + " is none of f32, f64");
    options.dtype = *dtype == "f64" ? DType::F64 : DType::F32;
  }
  return without_lock(
      [&] { return take(SavedProgram::make(take(Template::read(path)), options)); });
}

nb::object run_saved(SavedProgram& self, const std::vector<const Graph*>& graphs) {
  const auto outputs = without_lock([&] { return take(self.run(graphs)); });
  std::vector<ShapedValue> values;
  values.reserve(outputs.size());
  for (const auto& output : outputs) values.push_back({output.shape, output.value});
  return stack_values(values, self.dtype());
}

nb::dict predict_saved(SavedProgram& self, const Graph& graph,
                       const std::optional<std::string>& split,
                       const std::optional<std::string>& loss) {
  const auto chosen = split_of(split);
  const auto asked = loss_of(loss);
  return predictions_dict(without_lock([&] { return take(self.predict(graph, chosen, asked)); }),
                          *graph.graph);
}

nb::dict saved_counts(SavedProgram& self) {
  const TemplateProgram::Counts found = self.counts();
  nb::dict result;
  result["kernels"] = found.kernels;
  result["compiled"] = found.compiled;
  result["interpreted"] = found.interpreted;
  return result;
}

}  // namespace

void bind_saved_program(nb::module_& module) {
  module.def("load_program", load_saved, nb::arg("path"), nb::arg("dtype").none(),
             nb::arg("threads"), nb::arg("device"));
  nb::class_<SavedProgram>(module, "SavedProgram", "A template with its code.")
      .def_prop_ro("dtype", [](const SavedProgram& p) { return std::string(text_of(p.dtype())); })
      .def_prop_ro("loss", [](const SavedProgram& p) { return p.model().loss(); })
      .def("counts", saved_counts)
      .def("weights",
           [](const SavedProgram& p) { return table_arrays(p.model().weights().weight_tables); })
      .def("run", run_saved, nb::arg("graphs"), nb::sig("def run(self, graphs) -> " VECC_STACKED))
      .def("predict", predict_saved, nb::arg("graph"), nb::arg("split").none(),
           nb::arg("loss").none())
      .def(
          "save",
          [](const SavedProgram& p, const std::string& path) {
            without_lock([&] { take(p.model().write(path)); });
          },
          nb::arg("path"));
}

}  // namespace vecc::python_package
