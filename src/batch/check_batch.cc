#include "src/batch/check_batch.h"

#include <algorithm>
#include <string>
#include <utility>

namespace vecc {

Result<void> check_batch(const BatchPlan& plan, const Batch& batch) {
  const auto error = [](std::string text) {
    return Errors(ErrorCode::Usage, "batch", std::move(text));
  };
  if (batch.weights.size() != plan.weights.size()) {
    return error("weights of " + std::to_string(batch.weights.size()) + " parameters, expected " +
                 std::to_string(plan.weights.size()));
  }
  const auto is_there = [&](std::uint32_t sample) { return sample < plan.outputs.size(); };
  if (!std::ranges::all_of(batch.samples, is_there)) {
    return error("samples that are not there, or whose outputs are not computed");
  }
  for (std::size_t w = 0; w < batch.weights.size(); ++w) {
    const std::vector<std::uint32_t>& rows = batch.weights[w].rows;
    const std::vector<double>& values = batch.weights[w].values;
    if (values.size() != rows.size()) return error("another number of weights than of rows");
    const bool rises = std::ranges::adjacent_find(rows, std::ranges::greater_equal()) == rows.end();
    const auto fits = [&](BufferIndex b) {
      return rows.empty() || rows.back() < plan.unit_counts[b] * plan.units[b];
    };
    if (!rises || !std::ranges::all_of(plan.weights[w], fits)) {
      return error("rows of weights that do not rise, or are not there");
    }
  }
  return {};
}

}  // namespace vecc
