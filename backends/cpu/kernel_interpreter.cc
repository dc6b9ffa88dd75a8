#include "backends/cpu/kernel_interpreter.h"

#include <algorithm>
#include <utility>

#include "backends/cpu/interpreted_block.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc::cpu {
namespace {

using Kind = KernelNode::Kind;

constexpr std::uint64_t kMostRows = 512;
constexpr std::uint64_t kAlignment = 64;

template <class T, bool narrow>
void run_interpreted(const void* launch, unsigned begin, unsigned end, unsigned type) {
  const auto& arguments = *static_cast<const KernelArguments*>(launch);
  const auto& interpreter = *static_cast<const KernelInterpreter*>(arguments.interpreter);
  InterpretedBlock<T> block(interpreter, arguments, narrow, type);
  for (unsigned first = begin; first < end; first += interpreter.block()) {
    block.run(first, std::min(end, first + interpreter.block()));
  }
}

}  // namespace

std::uint64_t KernelInterpreter::take(std::uint64_t entries, std::uint64_t bytes) {
  const std::uint64_t place = scratch_bytes_;
  scratch_bytes_ += (entries * bytes + kAlignment - 1) / kAlignment * kAlignment;
  return place;
}

KernelInterpreter::KernelInterpreter(Kernel kernel, const ProcessorTiles& tiles)
    : kernel_(std::move(kernel)), layouts_(kernel_.nodes.size()) {
  const std::uint64_t bytes = byte_size(kernel_.dtype);
  std::uint64_t all = 0;
  std::uint64_t most = 1;
  for (const KernelNode& node : kernel_.nodes) {
    all += node.shape.size();
    most = std::max(most, node.shape.size());
  }
  const std::uint64_t row_bytes = (all + std::size(rooms_) * most) * bytes;
  block_ = static_cast<std::uint32_t>(
      std::clamp(tiles.block_bytes / row_bytes, std::uint64_t{1}, kMostRows));
  for (const KernelPhase& phase : kernel_.phases) {
    for (const KernelStep& step : phase.steps) {
      if (step.store) continue;
      const Kind kind = kernel_.nodes[step.number].kind;
      const bool of_row =
          kind == Kind::Reduce || kind == Kind::ReduceArg || kind == Kind::Threshold;
      layouts_[step.number].by_member = phase.space == KernelSpace::Member && !of_row;
    }
  }
  for (std::size_t n = 0; n < layouts_.size(); ++n) {
    const KernelNode& node = kernel_.nodes[n];
    layouts_[n].entries = node.shape.size();
    layouts_[n].values = take(node.shape.size() * block_, bytes);
    if (node.kind == Kind::Scan) layouts_[n].running = take(node.shape.size() * block_, bytes);
    if (node.kind == Kind::Reduce || node.kind == Kind::ReduceArg) {
      const std::uint64_t each = is_entry_selection(node) ? node.shape.size() : 1;
      layouts_[n].running = take(each * block_, bytes);
      layouts_[n].choices = take(each * block_, sizeof(std::uint32_t));
    }
  }
  row_numbers_ = take(block_, sizeof(std::uint32_t));
  member_numbers_ = take(block_, sizeof(std::uint32_t));
  member_rows_ = take(block_, sizeof(std::uint32_t));
  for (std::uint64_t& room : rooms_) room = take(most * block_, bytes);
}

KernelFunction KernelInterpreter::function(bool narrow) const {
  if (kernel_.dtype == DType::F32) {
    return narrow ? run_interpreted<float, true> : run_interpreted<float, false>;
  }
  return narrow ? run_interpreted<double, true> : run_interpreted<double, false>;
}

}  // namespace vecc::cpu
