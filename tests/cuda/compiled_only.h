// A backend that compiles the kernels that the cuda backend would run, for a GPU that need not be
// there, and runs the interpreter.
#pragma once

#include "vecc/backend.h"

namespace vecc::test {

[[nodiscard]] const Backend& compiled_only_backend();

}  // namespace vecc::test
