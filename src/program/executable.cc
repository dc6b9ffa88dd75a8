// What an Executable does where its backend has no better way.
#include <chrono>
#include <cstddef>
#include <variant>
#include <vector>

#include "src/support/seconds_since.h"
#include "vecc/backend.h"

namespace vecc {

Executable::~Executable() = default;

Result<void> Executable::start() {
  return run();
}

Result<void> Executable::bind_batch(const Batch&, std::unique_ptr<BoundBatch>&) {
  return Errors(ErrorCode::Usage, "batch", "the program was not compiled for batches");
}
Result<void> Executable::start_batch(const BoundBatch&) {
  return Errors(ErrorCode::Usage, "batch", "the program was not compiled for batches");
}
Result<void> Executable::start_batch_with(std::span<const ParameterValues> values,
                                          const BoundBatch& batch) {
  for (const ParameterValues& of : values) {
    VECC_TRY_VOID(set_parameter(of.parameter, of.values));
  }
  return start_batch(batch);
}

Result<void> Executable::start_batches(std::span<const BatchStart> batches) {
  for (const BatchStart& start : batches) {
    VECC_TRY_VOID(start_batch_with(start.values, *start.batch));
  }
  return {};
}

Result<std::vector<double>> Executable::run_series(const RunSeries& series) {
  std::vector<double> totals;
  for (std::uint32_t i = 0; i < series.runs; ++i) {
    for (const RunSeries::Input& input : series.inputs) {
      VECC_TRY_VOID(set_parameter(input.parameter, std::span(&input.values[i], 1)));
    }
    constexpr double kZero = 0;
    VECC_TRY_VOID(set_state(series.total, std::span(&kZero, 1)));
    VECC_TRY_VOID(run());
    VECC_TRY(const std::vector<double> total, state(series.total));
    totals.push_back(total.front());
  }
  return totals;
}

Result<void> Executable::copy_outputs(OutputElements to) {
  VECC_TRY(const std::vector<Output> all, outputs());
  std::visit(
      [&](auto elements) {
        using T = typename decltype(elements)::value_type;
        auto at = elements.begin();
        for (const Output& output : all) {
          for (const double element : output.value) *at++ = static_cast<T>(element);
        }
      },
      to);
  return {};
}

Result<void> Executable::differentiate_sum() {
  VECC_TRY(const std::vector<Output> all, outputs());
  std::size_t elements = 0;
  for (const Output& output : all) elements += output.value.size();
  return differentiate(std::vector<double>(elements, 1.0));
}

Result<double> Executable::timed_run() {
  const auto begin = std::chrono::steady_clock::now();
  VECC_TRY_VOID(run());
  return seconds_since(begin);
}

}  // namespace vecc
