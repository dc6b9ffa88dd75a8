// What every model.py has besides its own operations.
#pragma once

#include <string>

#include "vecc/emit_python.h"

namespace vecc::python {

/// What it is, and imports.
[[nodiscard]] std::string head_text(bool uses_functional);
/// Reading and writing safetensors.
[[nodiscard]] std::string safetensors_text();
/// Methods that load and save weights.
[[nodiscard]] std::string weight_methods_text();
/// Losses as functions, those that fit the samples, and the table of them.
[[nodiscard]] std::string loss_functions_text(const PythonLoss& loss);
/// The command line: prints outputs as vecc does; trains, if there is a loss.
[[nodiscard]] std::string main_text(bool has_loss, bool is_double);
[[nodiscard]] std::string readme_text(bool has_loss);

}  // namespace vecc::python
