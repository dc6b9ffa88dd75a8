// Formulas of one entry, the same in C++ and CUDA.
#pragma once

#include <cstdint>
#include <string>

#include "src/kernel/print/node_text.h"

namespace vecc {

/// A number as C++: infinities and NaN too.
[[nodiscard]] std::string constant_text(double value);
/// Entry i of an entrywise node, from entries of its operands.
[[nodiscard]] std::string entry_text(const NodeText& of, std::uint32_t number);
/// The product of entries from left to right, without one operand (kNoOperand: of all).
[[nodiscard]] std::string product_text(const NodeText& of, const KernelNode& node,
                                       std::uint32_t without);

}  // namespace vecc
