// The interpreter: runs any Program with plain loops in double, on the CPU, with no dependency, and
// differentiates it in reverse mode. Slow; what Programs and their gradients mean is read off here.
#pragma once

#include "vecc/backend.h"

namespace vecc::reference {

[[nodiscard]] const Backend& interpreter_backend();

}  // namespace vecc::reference
