#include "backends/cuda/batch_numbers.h"

namespace vecc::cuda {

void NumberWriter::add_weights(std::span<const Batch::Weights> weights, BatchSlot::Step& step) {
  for (std::size_t w = 0; w < weights.size(); ++w) {
    const auto& [rows, values] = weights[w];
    const DeviceBlock& block = step.weights[w];
    std::vector<std::uint32_t>& before = step.weight_rows[w];
    auto next = rows.begin();
    for (const std::uint32_t row : before) {
      while (next != rows.end() && *next < row) ++next;
      if (next == rows.end() || *next != row) add(block.at(row), 0);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) add(block.at(rows[i]), values[i]);
    before = rows;
  }
}

std::uint64_t count_writes(std::span<const Batch::Weights> weights, const BatchSlot::Step& step) {
  std::uint64_t count = 0;
  for (const Batch::Weights& of : weights) count += of.rows.size();
  for (const std::vector<std::uint32_t>& rows : step.weight_rows) count += rows.size();
  return count;
}

}  // namespace vecc::cuda
