// The native CPU backend: a Plan's kernels, printed as C++, compiled by the machine's compiler.
#pragma once

#include "vecc/backend.h"

namespace vecc {

[[nodiscard]] const Backend& cpu_backend();

}  // namespace vecc
