// _core.Embeddings: vecc/kg.py.
#pragma once

#include <nanobind/nanobind.h>

namespace vecc::python_package {

void bind_knowledge_graph(nanobind::module_& module);

}  // namespace vecc::python_package
