// Options of the optimizer as text, for keys of what it made.
#pragma once

#include <string>

#include "vecc/optimize.h"

namespace vecc::opt {

/// Everything that decides what optimize() makes of a Program, in one line: equal texts, equal
/// results. Not of `measure`, whose choices stand in no options.
[[nodiscard]] std::string describe_options(const OptimizeOptions& options);

}  // namespace vecc::opt
