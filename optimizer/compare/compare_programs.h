// Whether two Programs compute the same: outputs and gradients on random weights, in double, by the
// interpreter. The measure of every pass: a Program before it and after it.
#pragma once

#include <cstdint>
#include <string>

#include "vecc/error.h"
#include "vecc/program.h"

namespace vecc::opt {

struct CompareOptions {
  std::uint64_t seed = 1;
  double tolerance = 1e-9;
  std::uint32_t draws = 2;  ///< of all weights; at least 1
  /// Compare gradients too. Not of a Program with updates.
  bool gradients = true;
};

struct Comparison {
  bool equal = true;
  /// The largest |after - before| / max(1, |before|), of what updates store, too; infinity where
  /// only one of two numbers is a number, or finite.
  double worst_output = 0;
  double worst_gradient = 0;
  /// The first difference in words: which sample or parameter row, both numbers; empty if equal.
  std::string difference;
};

/// Runs both Programs on the same weights, uniform in [-1, 1) by the parameter's name and the
/// element's place in it, so that the order of parameters does not matter; their gradients are
/// those of the outputs' sum with random factors. A parameter that row numbers or steps are made of
/// in either Program keeps its values in both; if `before` does not run by other weights' numbers
/// (it stores rows twice that are equal only by the values given), all keep theirs. Equal is
/// |after - before| <= tolerance * max(1, |before|) for every element of every output and gradient,
/// and of what updates store, with NaN and infinity in the same places, and the same shapes.
///
/// A parameter that only one of the Programs has (dropped as dead) is equal if its gradient is
/// zero.
///
/// Where a function jumps or bends (signum, relu, max, min, sparsemax), two Programs that round
/// differently may come down on different sides of the jump: a false alarm. Random weights make it
/// unlikely that rows which are not the same tie, and rows that are the same stay so; what is left
/// is rare and depends on the weights. So a draw that differs is repeated with another seed, and
/// counts only if that one differs too (what is reported is the first).
///
/// Runs one Program after the other, and keeps only outputs and gradients of the first.
///
/// Errors: BackendUnsupported (gradients of a Program with updates), MissingValues (of a parameter
/// that row numbers or steps are made of), RowNumber and DifferentRows (of `before`, by the values
/// given), OutOfMemory.
[[nodiscard]] Result<Comparison> compare_programs(const Program& before, const Program& after,
                                                  const CompareOptions& options = {});

}  // namespace vecc::opt
