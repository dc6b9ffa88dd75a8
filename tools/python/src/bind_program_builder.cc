// _core.ProgramBuilder: vecc/nn/program_target.py calls it with arrays of the right types.
#include "errors.h"
#include "program_builder.h"

namespace vecc::python_package {

void bind_program_builder(nb::module_& module) {
  using Self = ProgramBuilder;
  nb::class_<Self>(module, "ProgramBuilder", "A Program, op by op.")
      .def(nb::init<>())
      .def("table", &Self::table, nb::arg("name"), nb::arg("count"), nb::arg("shape"))
      .def("weight", &Self::weight, nb::arg("table"))
      .def("fact", &Self::fact<float>, nb::arg("values"), nb::arg("rows"), nb::arg("shape"))
      .def("fact", &Self::fact<double>, nb::arg("values"), nb::arg("rows"), nb::arg("shape"))
      .def("concat", &Self::concat, nb::arg("values"))
      .def("gather", &Self::gather, nb::arg("value"), nb::arg("rows"))
      .def("repeat", &Self::repeat, nb::arg("value"), nb::arg("times"))
      .def("linear", &Self::linear, nb::arg("left"), nb::arg("right"), nb::arg("transpose_left"),
           nb::arg("transpose_right"))
      .def("segment", &Self::segment, nb::arg("value"), nb::arg("offsets"), nb::arg("combination"))
      .def("fixed_segment", &Self::fixed_segment, nb::arg("value"), nb::arg("members"),
           nb::arg("combination"))
      .def("transform", &Self::transform, nb::arg("value"), nb::arg("function"), nb::arg("words"))
      .def("map", &Self::map, nb::arg("expression"), nb::arg("values"))
      .def("samples", &Self::samples, nb::arg("value"), nb::arg("columns"))
      .def("classes", &Self::classes, nb::arg("names"))
      .def("build", &Self::build, nb::arg("name"));
}

}  // namespace vecc::python_package
