// The kernel prelude: the functions that generated kernels call, as text. Its parts lie in
// prelude/.
#pragma once

#include <string_view>

namespace vecc {

/// Stands before every generated kernel, in C++17 and in CUDA C++. It includes nothing; its
/// functions are in the namespace vecc_kernel. To be compiled with -ffp-contract=off (CUDA:
/// -fmad=false).
[[nodiscard]] std::string_view kernel_prelude();
/// Stands behind it before a kernel in CUDA C++.
[[nodiscard]] std::string_view device_prelude();
/// Stands behind that before a kernel that uses_matrix_units().
[[nodiscard]] std::string_view unit_prelude();
/// Stands behind that before a kernel of CudaUnit::Batch.
[[nodiscard]] std::string_view batch_prelude();
/// Of what goes on from run to run on a device (src/kernel/print_end_run.h). It stands alone.
[[nodiscard]] std::string_view series_prelude();
/// Of numbers that are set (src/kernel/print_set_numbers.h). It stands alone.
[[nodiscard]] std::string_view number_prelude();

}  // namespace vecc
