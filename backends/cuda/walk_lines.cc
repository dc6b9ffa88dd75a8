#include "backends/cuda/walk_lines.h"

#include <algorithm>
#include <cstring>

#include "src/plan/row_accesses.h"

namespace vecc::cuda {
namespace {

constexpr CUdeviceptr kLineBytes = 128;

// The pointers among a launch's arguments, as print_cuda() has them.
class BoundPointers {
 public:
  BoundPointers(const Launch& launch, const LaunchArguments& arguments)
      : arguments_(arguments), accesses_(launch.accesses.size()), words_(launch.words.size()) {}
  [[nodiscard]] CUdeviceptr data(std::size_t access) const { return at(access); }
  [[nodiscard]] CUdeviceptr list(std::size_t access) const { return at(accesses_ + access); }
  [[nodiscard]] CUdeviceptr offsets() const { return at(2 * accesses_ + words_); }
  [[nodiscard]] CUdeviceptr order() const { return at(2 * accesses_ + words_ + 1); }

 private:
  [[nodiscard]] CUdeviceptr at(std::size_t number) const {
    CUdeviceptr pointer = 0;
    std::memcpy(&pointer, arguments_.bytes.data() + number * sizeof pointer, sizeof pointer);
    return pointer;
  }
  const LaunchArguments& arguments_;
  std::size_t accesses_;
  std::size_t words_;
};

// The lines of one block.
class LineList {
 public:
  explicit LineList(std::vector<CUdeviceptr>& lines) : lines_(lines) {}
  void add(CUdeviceptr first, std::uint64_t bytes) {
    for (CUdeviceptr line = first / kLineBytes; line <= (first + bytes - 1) / kLineBytes; ++line) {
      if (lines_.empty() || lines_.back() != line * kLineBytes) lines_.push_back(line * kLineBytes);
    }
  }

 private:
  std::vector<CUdeviceptr>& lines_;
};

}  // namespace

void add_lines(const Plan& plan, const Launch& launch, const LaunchArguments& arguments,
               std::span<const std::uint32_t> block_of,
               std::vector<std::vector<CUdeviceptr>>& lines) {
  const Kernel& kernel = plan.kernels[launch.kernel];
  const BoundPointers bound(launch, arguments);
  const std::uint64_t entry = arguments.narrow ? 2 : 4;
  for_each_row(plan, launch, [&](const LaunchRow& row) {
    LineList of_block(lines[block_of[row.position]]);
    if (launch.order != kNone) of_block.add(bound.order() + row.position * entry, entry);
    if (launch.offsets != kNone) of_block.add(bound.offsets() + row.row * std::uint64_t{4}, 8);
  });
  for (std::size_t a = 0; a < kernel.accesses.size(); ++a) {
    const KernelAccess& access = kernel.accesses[a];
    const AccessBinding& binding = launch.accesses[a];
    const bool is_constant = plan.buffers[binding.buffer].kind == PlanBuffer::Kind::Constant;
    const bool is_list = access.map == RowMap::List;
    if (!is_list && !is_constant) continue;
    const std::uint64_t bytes = access.shape.size() * byte_size(plan.dtype);
    for_each_row(plan, launch, [&](const LaunchRow& row) {
      LineList of_block(lines[block_of[row.position]]);
      for_each_reached(plan, launch, a, row, [&](std::uint32_t counter, std::uint32_t number) {
        if (is_list) of_block.add(bound.list(a) + counter * entry, entry);
        if (is_constant) of_block.add(bound.data(a) + number * bytes, bytes);
      });
    });
  }
}

void keep_distinct_lines(std::vector<std::vector<CUdeviceptr>>& lines, std::size_t most) {
  for (std::vector<CUdeviceptr>& of_block : lines) {
    std::ranges::sort(of_block);
    of_block.erase(std::unique(of_block.begin(), of_block.end()), of_block.end());
    if (of_block.size() > most) of_block.resize(most);
  }
}

}  // namespace vecc::cuda
