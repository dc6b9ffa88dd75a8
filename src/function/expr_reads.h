// What an expression reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vecc/function.h"

namespace vecc {

/// How often it reads an operand.
[[nodiscard]] std::size_t count_reads(const Expr& expr, std::uint32_t operand);
/// `sum($0, $1, ...)`, of operands only, some of them perhaps more than once.
[[nodiscard]] bool is_plain_sum(const Expr& expr);
/// The same of each of so many operands once.
[[nodiscard]] bool is_sum_of_each(const Expr& expr, std::size_t operands);

}  // namespace vecc
