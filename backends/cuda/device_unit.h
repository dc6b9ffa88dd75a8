// A kernel's compile unit.
#pragma once

#include <cstdint>
#include <string>

#include "vecc/kernel.h"

namespace vecc::cuda {

/// The preludes and the kernel, for that many slots.
[[nodiscard]] std::string unit_text(const Kernel& kernel, std::uint32_t slots);

}  // namespace vecc::cuda
