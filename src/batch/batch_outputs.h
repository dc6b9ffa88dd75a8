// Where a forward pass leaves the outputs of samples, which batches ask for.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/plan.h"
#include "vecc/program.h"

namespace vecc {

/// The output of a sample: as many elements as the shape has.
struct BatchOutput {
  BufferIndex buffer = 0;
  Shape shape;
  std::uint64_t first = 0;  ///< element of the buffer
};

/// By sample. `plan`: of `program`.
[[nodiscard]] std::vector<BatchOutput> find_outputs(const Plan& plan, const Program& program);

/// Whether two outputs lie one after another.
[[nodiscard]] inline bool follows(const BatchOutput& before, const BatchOutput& after) {
  return after.buffer == before.buffer && after.shape == before.shape &&
         after.first == before.first + before.shape.size();
}

}  // namespace vecc
