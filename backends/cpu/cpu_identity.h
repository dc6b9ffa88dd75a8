// Which CPU this is: -march=native makes other code for another one.
#pragma once

#include <string>

namespace vecc::cpu {

/// Vendor, family, model, stepping and feature flags of the first core, as the kernel tells them.
[[nodiscard]] const std::string& cpu_identity();

}  // namespace vecc::cpu
