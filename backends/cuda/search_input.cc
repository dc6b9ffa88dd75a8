#include "backends/cuda/search_input.h"

#include <algorithm>
#include <cstring>

#include "backends/cuda/batch_numbers.h"
#include "src/batch/batch_loops.h"
#include "src/kernel/prelude/batch_tables.h"

namespace vecc::cuda {
namespace {

namespace made = vecc_kernel;

// Appends arrays, each aligned.
class InputArrays {
 public:
  InputArrays(std::span<std::byte> to, std::uint64_t at) : to_(to), at_(BatchLayout::aligned(at)) {}

  [[nodiscard]] std::uint32_t add(std::span<const std::uint32_t> rows) {
    const std::uint64_t at = take(rows.size_bytes());
    if (!rows.empty()) std::memcpy(&to_[at], rows.data(), rows.size_bytes());
    return to_row(at);
  }
  [[nodiscard]] std::uint32_t add(std::span<const double> values, DType dtype) {
    const std::uint64_t at = take(values.size() * byte_size(dtype));
    if (values.empty()) return to_row(at);
    if (dtype == DType::F64) {
      std::memcpy(&to_[at], values.data(), values.size_bytes());
    } else {
      auto* const narrow = reinterpret_cast<float*>(&to_[at]);
      std::ranges::transform(values, narrow, [](double v) { return static_cast<float>(v); });
    }
    return to_row(at);
  }
  [[nodiscard]] std::uint64_t end() const { return at_; }

 private:
  std::uint64_t take(std::uint64_t bytes) {
    const std::uint64_t at = at_;
    at_ = BatchLayout::aligned(at + bytes);
    VECC_CHECK(at_ <= to_.size(), "room for what a batch brings");
    return at;
  }

  std::span<std::byte> to_;
  std::uint64_t at_;
};

}  // namespace

std::uint64_t search_input_bytes(std::uint64_t numbers, std::uint64_t weights, std::uint64_t rows,
                                 std::uint64_t rows_before, std::uint64_t samples) {
  return sizeof(made::BatchInput) + numbers * NumberWriter::kBytes +
         weights * (sizeof(made::WeightRows) + 4 * BatchLayout::kAlignment) +
         (rows + rows_before + samples) * sizeof(std::uint32_t) + rows * sizeof(double) +
         sizeof(made::DrawInput) + 2 * BatchLayout::kAlignment;
}

std::uint64_t write_search_input(std::span<const SetNumber> numbers,
                                 std::span<const Batch::Weights> weights, const SearchDraw* draw,
                                 DType dtype, BatchSlot::Step& step, std::span<std::byte> to) {
  made::BatchInput head{to_row(numbers.size()), to_row(weights.size()), 0};
  NumberWriter writer(dtype, &to[sizeof head]);
  for (const SetNumber& number : numbers) writer.add(number.to, number.value);
  const auto rows_at = static_cast<std::uint64_t>(writer.end() - to.data());
  InputArrays arrays(to, rows_at + weights.size() * sizeof(made::WeightRows));
  for (std::size_t w = 0; w < weights.size(); ++w) {
    std::vector<std::uint32_t>& before = step.weight_rows[w];
    made::WeightRows of{};
    of.values = step.weights[w].at(0);
    of.before = to_row(before.size());
    of.count = to_row(weights[w].rows.size());
    of.first_before = arrays.add(before);
    of.first_row = arrays.add(weights[w].rows);
    of.first_value = arrays.add(weights[w].values, dtype);
    std::memcpy(&to[rows_at + w * sizeof of], &of, sizeof of);
    before = weights[w].rows;
  }
  if (draw != nullptr) {
    made::DrawInput of{};
    of.run = draw->draw.run;
    of.values = step.weights.back().at(0);
    of.drawn = draw->drawn;
    of.rows = to_row(draw->members);
    of.samples = to_row(draw->draw.samples.size());
    of.first_sample = arrays.add(draw->draw.samples);
    head.draw = arrays.end();
    static_assert(sizeof of % sizeof(std::uint32_t) == 0);
    (void)arrays.add(std::span(reinterpret_cast<const std::uint32_t*>(&of), sizeof of / 4));
  }
  std::memcpy(to.data(), &head, sizeof head);
  return arrays.end();
}

}  // namespace vecc::cuda
