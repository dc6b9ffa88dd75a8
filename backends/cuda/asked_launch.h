// How kernels are to be started: the caller's choice, or that of VECC_CUDA_LAUNCH.
#pragma once

#include <cstdint>

#include "vecc/backend.h"
#include "vecc/error.h"

namespace vecc::cuda {

struct AskedLaunch {
  CudaLaunch launch = CudaLaunch::Auto;
  std::uint32_t blocks = 0;  ///< of Grid, Cluster, Parts; 0: as many as the GPU is made for
};

/// Auto is what the variable says: "grid", "parts:64"; what it leaves open is Auto. Error: Usage.
[[nodiscard]] Result<AskedLaunch> asked_launch(CudaLaunch launch);

}  // namespace vecc::cuda
