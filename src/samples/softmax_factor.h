// Attention in a Program: sums of products with a softmax over the same members.
#pragma once

#include <optional>

#include "vecc/program.h"

namespace vecc {

/// The softmax (sparsemax) op over the segments of a `segment` op whose row e is a factor of row e
/// of that op's operand, if there is one: where the softmax is 0, so is the member.
///
///   %5 = segment %4 [0, 2, 5] softmax
///   %6 = linear %5 %3
///   %7 = segment %6 [0, 2, 5] sum              %7: %5
[[nodiscard]] std::optional<ValueId> find_softmax_factor(const Program& program, ValueId segment);

}  // namespace vecc
