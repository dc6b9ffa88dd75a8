// _core.ProgramBuilder: vecc/nn/targets.py calls it with arrays of the right types.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "errors.h"
#include "program_builder.h"
#include "vecc/step_inputs.h"

namespace vecc::python_package {
namespace {

// What a training's run sets, by name.
nb::dict step_inputs(std::uint64_t seed, std::uint64_t run) {
  if (seed >= kStepSeeds || run == 0) raise_usage("seed", "expected less than 2^32");
  nb::dict result;
  for (const std::string_view name : {kStepNumber, kStepSeed, kStepBlock}) {
    result[nb::cast(std::string(name))] = step_input_value(name, seed, run);
  }
  return result;
}

}  // namespace

void bind_program_builder(nb::module_& module) {
  module.def("step_inputs", step_inputs, nb::arg("seed"), nb::arg("run"),
             nb::sig("def step_inputs(seed: int, run: int) -> dict[str, float]"));
  using Self = ProgramBuilder;
  nb::class_<Self>(module, "ProgramBuilder", "A Program, op by op.")
      .def(nb::init<>())
      .def("table", &Self::table, nb::arg("name"), nb::arg("count"), nb::arg("shape"))
      .def("weight", &Self::weight, nb::arg("table"))
      .def("step_input", &Self::step_input, nb::arg("name"))
      .def("step_samples", &Self::step_samples, nb::arg("count"))
      .def("update", &Self::update, nb::arg("table"), nb::arg("rows"))
      .def("fact", &Self::fact<float>, nb::arg("values"), nb::arg("rows"), nb::arg("shape"),
           nb::arg("name") = "")
      .def("fact", &Self::fact<double>, nb::arg("values"), nb::arg("rows"), nb::arg("shape"),
           nb::arg("name") = "")
      .def("concat", &Self::concat, nb::arg("values"))
      .def("gather", &Self::gather, nb::arg("value"), nb::arg("rows"))
      .def("repeat", &Self::repeat, nb::arg("value"), nb::arg("times"))
      .def("linear", &Self::linear, nb::arg("left"), nb::arg("right"), nb::arg("transpose_left"),
           nb::arg("transpose_right"))
      .def("segment", &Self::segment, nb::arg("value"), nb::arg("offsets"), nb::arg("combination"))
      .def("transform", &Self::transform, nb::arg("value"), nb::arg("function"), nb::arg("words"))
      .def("map", &Self::map, nb::arg("expression"), nb::arg("values"))
      .def("keep_lists", &Self::keep_lists)
      .def("samples", &Self::samples, nb::arg("value"), nb::arg("columns"))
      .def("classes", &Self::classes, nb::arg("names"))
      .def("build", &Self::build, nb::arg("name"));
}

}  // namespace vecc::python_package
