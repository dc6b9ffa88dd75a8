// The functions of SQL by which special literals and types are computed, for every engine.
#pragma once

#include <cstdint>
#include <span>

#include "tools/ground/constant_table.h"

namespace vecc::tools::ground {

struct SpecialFunction {
  const char* name;
  int arguments;  ///< kAnyNumber: one or more
  std::int64_t (*compute)(const ConstantTable& constants, std::span<const std::int64_t> arguments);
};
inline constexpr int kAnyNumber = -1;

/// What an engine calls a function with.
struct BoundFunction {
  const SpecialFunction* function;
  const ConstantTable* constants;
};

/// compare(x, y): below 0, 0 or above 0. follows(x, y), is_sum(x, y, z), is_difference,
/// is_remainder, max_card(n, x, y, ...), has_type(x, t): 0 or 1. Arguments are constants by number.
[[nodiscard]] std::span<const SpecialFunction> special_functions();

}  // namespace vecc::tools::ground
