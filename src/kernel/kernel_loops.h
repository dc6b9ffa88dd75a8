// What printers of kernels have in common: the variables that a row's body reads, and the order of
// rows.
#pragma once

#include <string>

#include "vecc/kernel.h"

namespace vecc {

/// Whether a tile of rows has a type.
[[nodiscard]] bool has_types(const Kernel& kernel);
/// Whether rows come in an order, or may.
[[nodiscard]] bool has_order(const Kernel& kernel);
/// The row at a place of the order; of a kernel without types a launch may have none.
[[nodiscard]] std::string row_text(const Kernel& kernel, const std::string& at);

/// d0, d1, ... (data of the accesses), l0, ... (lists), w0, ... (words by row), from `a->`.
[[nodiscard]] std::string head_text(const Kernel& kernel);
/// begin_of(r), end_of(r), count_of(r) and, for CUDA, first_of(r): a row's members.
[[nodiscard]] std::string segments_text(const Kernel& kernel);

/// A flat kernel's entries as rows of their own.
[[nodiscard]] Kernel as_scalars(Kernel kernel);

}  // namespace vecc
