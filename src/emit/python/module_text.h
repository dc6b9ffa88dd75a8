// model.py: its text, and the tensors that it reads.
#pragma once

#include <string>

#include "vecc/emit_python.h"

namespace vecc::python {

struct Module {
  std::string text;
  WeightFile data;
};
/// `weights`: the learnable ones have the names of the Program's parameters.
[[nodiscard]] Module module_of(const Program& program, const PythonOptions& options);

}  // namespace vecc::python
