// A Program in parts that share nothing but parameters and facts, so that who runs one waits for
// nobody: what tiling with overlap is for stencils. Rows that several parts need are computed in
// each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vecc/program.h"

namespace vecc {

struct SampleParts {
  Program program;
  std::vector<ValueId> origin;  ///< by value, the one of the whole Program whose rows it has
  std::uint32_t parts = 0;
};

/// Deals the samples of a forward Program out to at most `most_parts` parts of about the same work,
/// and gives each part its own rows of every value: those that its samples are computed from. In
/// every value they stand part by part. Samples keep their numbers, parameters all of their rows; a
/// part reads its own copy of a parameter's rows, so that their gradients are sums of the parts'.
/// None if fewer than two parts come out, or rows of more than `most_elements` numbers would be
/// computed in all. Each result is computed by the same operations in the same order as in the
/// whole; sums over parts (gradients of parameters) are not.
///
///   %0 = weight w : f32[1, 4]
///   %1 = linear %0 (repeat 3) %facts : f32[3, 4]            both samples read row 1
///   %2 = segment (gather %1 [0, 1, 1, 2]) fixed(2) sum
///   =>
///   %1 = gather %0 [0, 0]
///   %2 = linear (gather %1 [0, 0, 1, 1]) (gather %facts [0, 1, 1, 2]) : f32[4, 4]
///   %3 = segment %2 fixed(2) sum
[[nodiscard]] std::optional<SampleParts> split_by_samples(const Program& program,
                                                          std::uint32_t most_parts,
                                                          std::uint64_t most_elements);

}  // namespace vecc
