// Comparison of Programs, attribute by attribute.
#pragma once

#include <string>

#include "vecc/program.h"

namespace vecc::test {

/// The first thing that differs (`%3: index`), or empty. Doubles must have equal bits, but any NaN
/// equals any NaN. Index forms and expression nodes are compared, not only what they mean.
[[nodiscard]] std::string program_difference(const Program& a, const Program& b);

}  // namespace vecc::test
