// The kernel prelude: the functions that generated kernels call, as text. Its parts lie in
// prelude/.
#pragma once

#include <string>
#include <string_view>

#include "vecc/matmul_precision.h"

namespace vecc {

/// Stands before every generated kernel, in C++17 and in CUDA C++. It includes nothing; its
/// functions are in the namespace vecc_kernel. To be compiled with -ffp-contract=off (CUDA:
/// -fmad=false).
[[nodiscard]] std::string_view kernel_prelude();
/// Stands behind it before a kernel in CUDA C++.
[[nodiscard]] std::string_view device_prelude();
/// Stands behind that before a kernel of that precision: empty if it is Exact.
[[nodiscard]] std::string tensor_prelude(MatmulPrecision precision);
/// Stands behind that before a kernel of CudaUnit::Batch.
[[nodiscard]] std::string_view batch_prelude();
/// Of what goes on from run to run on a device (print_end_run()). It stands alone.
[[nodiscard]] std::string_view series_prelude();
/// Of numbers that are set (print_set_numbers()). It stands alone.
[[nodiscard]] std::string_view number_prelude();
/// Of batches that are made on a device (print_make_batch()). It stands behind that.
[[nodiscard]] std::string_view make_batch_prelude();

}  // namespace vecc
