#include "src/plan/launch_layout.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "src/kernel/schedule/schedule_kernel.h"
#include "src/support/quantity_text.h"

namespace vecc {
namespace {

// Blocks of many rows compute, those of few wait for the matrix: they begin in turn, so that a
// multiprocessor has both; long ones before shorter ones, so that all end at about the same time.
void mix_blocks(std::uint32_t most, std::vector<BlockRows>& blocks) {
  const auto rows_of = [](const BlockRows& block) { return block.end - block.begin; };
  std::ranges::stable_sort(blocks, std::ranges::greater{}, rows_of);
  const auto few = std::ranges::find_if(
      blocks, [&](const BlockRows& block) { return rows_of(block) <= most / 4; });
  std::vector<BlockRows> mixed;
  mixed.reserve(blocks.size());
  for (auto a = blocks.begin(), b = few; a != few || b != blocks.end();) {
    if (a != few) mixed.push_back(*a++);
    if (b != blocks.end()) mixed.push_back(*b++);
  }
  blocks = std::move(mixed);
}

}  // namespace

Result<void> check_thread_memory(const Kernel& kernel) {
  const std::uint64_t bytes = schedule_widest(kernel).array_bytes;
  if (bytes <= kThreadMemory) return {};
  const auto longest = std::ranges::max_element(kernel.nodes, {},
                                                [](const KernelNode& n) { return n.shape.size(); });
  return Errors(ErrorCode::BackendUnsupported, "cuda",
                "of a row of " + longest->shape.text() + " numbers each thread would keep " +
                    text_of_bytes(bytes) + ", expected at most " + text_of_bytes(kThreadMemory) +
                    "; run such rows on the CPU: --backend=cpu, --emit=cpp");
}

Result<void> check_thread_memory(const Plan& plan) {
  for (const Kernel& kernel : plan.kernels) VECC_TRY_VOID(check_thread_memory(kernel));
  return {};
}

std::vector<BlockRows> cut_blocks(const Plan& plan, const Launch& launch,
                                  const LaunchSchedule& rows) {
  const KernelSchedule& schedule = *rows.schedule;
  const auto rows_at_once = [&](std::uint32_t slots_of_row) {
    return rows_of_block(schedule, slots_of_row, launch.rows, plan.target);
  };
  std::vector<BlockRows> blocks;
  const auto cut = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t step,
                       std::uint32_t type) {
    for (std::uint32_t row = begin; row < end; row += std::min(step, end - row)) {
      for (std::uint32_t part = 0; part < schedule.parts; ++part) {
        blocks.push_back({row, row + std::min(step, end - row), type * schedule.parts + part});
      }
    }
  };
  const std::vector<MemberLoop>& of_class = schedule.members.of_class;
  if (launch.tile_types.empty()) {
    std::uint32_t begin = 0;
    for (std::size_t c = 0; c < of_class.size(); ++c) {
      const std::uint32_t end = rows.ends[c];
      cut(begin, end, rows_at_once(of_class[c].slots), static_cast<std::uint32_t>(c));
      begin = end;
    }
  } else {
    const std::uint32_t step = rows_at_once(of_class.front().slots);
    for (std::size_t t = 0; t < launch.tile_types.size(); ++t) {
      cut(launch.tiles[t], launch.tiles[t + 1], step, launch.tile_types[t]);
    }
  }
  if (schedule.parts > 1 && schedule.product) mix_blocks(schedule.product->rows, blocks);
  return blocks;
}

}  // namespace vecc
