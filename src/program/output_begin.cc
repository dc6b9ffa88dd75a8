#include "src/program/output_begin.h"

#include <numeric>

#include "src/support/list_threads.h"
#include "src/support/long_list.h"

namespace vecc {

std::vector<std::uint64_t> output_begin(const Program& program) {
  std::vector<std::uint64_t> begin =
      long_list<std::uint64_t>(program.sample_count() + std::size_t{1});
  for (const Op& op : program.ops()) {
    const auto* output = std::get_if<OutputOp>(&op.attributes);
    if (output == nullptr) continue;
    ListThreads::for_ranges(op.rows, [&](std::size_t from, std::size_t to) {
      for (auto i = static_cast<std::uint32_t>(from); i < to; ++i) {
        begin[output->samples[i] + std::size_t{1}] = op.shape.size();
      }
    });
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  return begin;
}

}  // namespace vecc
