// The variables that a row's body reads, in C++ and CUDA, and the order of rows.
#pragma once

#include <string>

#include "vecc/kernel.h"

namespace vecc {

/// "float" or "double".
[[nodiscard]] const char* type_text(DType dtype);
/// The row at a place of the order; of a kernel without types a launch may have none.
[[nodiscard]] std::string row_text(const Kernel& kernel, const std::string& at);

/// d0, d1, ... (data of the accesses), l0, ... (lists), w0, ... (words by row), from `a->`;
/// begin_of(r), end_of(r), count_of(r) and, for CUDA, first_of(r): a row's members; the order.
[[nodiscard]] std::string variables_text(const Kernel& kernel);

}  // namespace vecc
