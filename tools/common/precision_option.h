// --matmul-precision.
#pragma once

#include <functional>

#include "vecc/matmul_precision.h"

namespace CLI {
class App;
}  // namespace CLI

namespace vecc::tools {

/// Adds the option; `take` gets its value.
void add_precision_option(CLI::App& app, std::function<void(MatmulPrecision)> take);

}  // namespace vecc::tools
