#include "src/program/output_begin.h"

#include <numeric>

namespace vecc {

std::vector<std::uint64_t> output_begin(const Program& program) {
  std::vector<std::uint64_t> begin(program.sample_count() + std::size_t{1});
  for (const Op& op : program.ops()) {
    const auto* output = std::get_if<OutputOp>(&op.attributes);
    if (output == nullptr) continue;
    for (std::uint32_t i = 0; i < op.rows; ++i) {
      begin[output->samples[i] + std::size_t{1}] = op.shape.size();
    }
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  return begin;
}

}  // namespace vecc
