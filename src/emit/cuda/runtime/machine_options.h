// Options of a program that runs on a GPU.
#pragma once

#include <cstdint>

#include "src/emit/native/runtime/number_option.h"

namespace vecc::emitted {

struct MachineOptions {
  std::uint64_t device = 0;
};

inline constexpr NumberOption<MachineOptions> kMachineOptions[] = {
    {"--device", 0, 4096, &MachineOptions::device}};

inline constexpr const char* kMachineHelp =
    R"(  --device=N       Which GPU: 0, as without it, the first of those in CUDA_VISIBLE_DEVICES
)";

}  // namespace vecc::emitted
