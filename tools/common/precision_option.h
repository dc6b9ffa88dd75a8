// --matmul-precision.
#pragma once

#include <CLI/App.hpp>
#include <functional>

#include "vecc/matmul_precision.h"

namespace vecc::tools {

/// Adds the option; `take` gets its value.
void add_precision_option(CLI::App& app, std::function<void(MatmulPrecision)> take);

}  // namespace vecc::tools
