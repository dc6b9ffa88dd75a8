#include "src/kg/cuda/formula_unit.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "backends/cuda/device_unit.h"
#include "src/kernel/print_cuda.h"
#include "src/kernel/schedule/choose_loops.h"
#include "src/kernel/schedule/schedule_kernel.h"
#include "src/support/quantity_text.h"

namespace vecc::kg {
namespace {

// The bytes of a kernel's argument.
class ArgumentBytes {
 public:
  template <class T>
  void add(const T& value) {
    while (bytes_.size() % sizeof(T) != 0) bytes_.push_back({});
    const auto* const from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  [[nodiscard]] std::vector<std::byte> take() {
    while (bytes_.size() % sizeof(std::uint64_t) != 0) bytes_.push_back({});
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

// How a launch's rows, or the one row of each block, are gone through.
Result<KernelSchedule> schedule_of(const Kernel& kernel, const RowPlaces& rows,
                                   const Target& target) {
  const std::uint64_t bytes = schedule_widest(kernel).array_bytes;
  if (bytes > kThreadMemory) {
    return Errors(ErrorCode::BackendUnsupported, "--backend=cuda",
                  "of a row of the score each thread would keep " + text_of_bytes(bytes) +
                      ", expected at most " + text_of_bytes(kThreadMemory) +
                      ": a smaller --dim needs less, --backend=cpu takes any");
  }
  RowSizes sizes;
  sizes.rows = rows.spans != 0 ? 1 : static_cast<std::uint32_t>(rows.most);
  sizes.work = sizes.rows;
  sizes.classes.resize(1);
  sizes.classes[0].add(static_cast<std::uint32_t>(rows.members), sizes.rows);
  return schedule_kernel(kernel, choose_loops(kernel, sizes, target).loops, target);
}

}  // namespace

Result<FormulaUnit> make_formula_unit(ScoreKernel made, const ArrayPlaces& arrays,
                                      const RowPlaces& rows, DType dtype, const Target& target) {
  for (std::size_t a = 0; a < made.arrays.size(); ++a) {
    KernelAccess& access = made.kernel.accesses[a];
    const std::uint64_t pack = pack_size(access.shape) * byte_size(dtype);
    access.aligned = arrays.at(made.arrays[a]).data % pack == 0;
  }
  VECC_TRY(const KernelSchedule schedule, schedule_of(made.kernel, rows, target));
  FormulaUnit unit;
  const bool has_spans = rows.spans != 0;
  unit.text = cuda::unit_text(made.kernel, schedule, has_spans ? CudaUnit::Spans : CudaUnit::Range);
  ArgumentBytes bytes;
  std::uint32_t second = 0;
  for (std::size_t a = 0; a < made.arrays.size(); ++a) {
    bytes.add(arrays.at(made.arrays[a]).data);
    if (made.arrays[a] == ScoreArray::Score) second |= 1u << a;
  }
  for (const ScoreArray array : made.arrays) bytes.add(arrays.at(array).list);
  bytes.add(std::uint64_t{0});  // offsets
  bytes.add(std::uint64_t{0});  // order
  bytes.add(static_cast<std::uint32_t>(rows.most));
  bytes.add(std::uint32_t{0});  // members
  const std::uint32_t slots = schedule.members.of_class.front().slots;
  const auto most = static_cast<std::uint32_t>(rows.most);
  const std::uint32_t step = has_spans ? 1 : rows_of_block(schedule, slots, most, target);
  if (has_spans) bytes.add(rows.spans);
  bytes.add(rows.range);
  bytes.add(has_spans ? second : step);
  const std::uint64_t blocks = (rows.most + step - 1) / step * schedule.parts;
  if (blocks >= 0x7FFFFFFF) {
    return Errors(ErrorCode::LimitShape, "--backend=cuda",
                  "a kernel of the score has " + std::to_string(blocks) +
                      " blocks, the limit is 2^31 - 2: a smaller --batch-size has fewer");
  }
  unit.bound.arguments = bytes.take();
  unit.bound.block_count = static_cast<std::uint32_t>(blocks);
  unit.bound.threads = schedule.members.threads;
  return unit;
}

}  // namespace vecc::kg
