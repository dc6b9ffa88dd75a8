#include "backends/cuda/batch_cutter.h"

#include <algorithm>

#include "src/kernel/prelude/batch_tables.h"
#include "src/kernel/schedule/schedule_kernel.h"

namespace vecc::cuda {
namespace {

using vecc_kernel::kMadeZeros;
using vecc_kernel::kZerosOfBlock;
static_assert(sizeof(vecc_kernel::MadeBlock) == sizeof(BlockRows));

// Of steps first, first + step, ... below end.
template <class Visit>
void for_each_step(std::uint64_t first, std::uint64_t end, std::uint64_t step, Visit&& visit) {
  for (std::uint64_t at = first; at < end; at += step) {
    visit(static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(std::min(at + step, end)));
  }
}

}  // namespace

void find_parts(const BatchRows& rows, std::span<LaunchPart> parts, std::uint32_t zeros) {
  std::ranges::fill(parts, LaunchPart());
  for (std::uint32_t run = 0; run < rows.runs.size(); ++run) {
    parts[rows.runs[run].launch].run = run;
  }
  for (std::uint32_t z = 0; z < rows.zeros.size(); ++z) {
    LaunchPart& part = parts[rows.zeros[z].launch];
    if (part.end_zeros == 0) part.first_zeros = zeros + z;
    part.end_zeros = zeros + z + 1;
  }
}

BatchCutter::BatchCutter(const Plan& plan, const BatchPlan& batch)
    : batch_(batch), target_(plan.target) {
  for (const Launch& launch : plan.launches) {
    std::vector<TypedRows>& whole = whole_.emplace_back();
    for (std::size_t t = 0; t < launch.tile_types.size(); ++t) {
      const TypedRows next{launch.tiles[t], launch.tiles[t + 1], launch.tile_types[t]};
      if (!whole.empty() && whole.back().type == next.type) {
        whole.back().end = next.end;
      } else {
        whole.push_back(next);
      }
    }
    if (whole.empty()) whole.push_back({0, launch.rows, 0});
  }
}

template <class Visit>
void BatchCutter::for_each_type(const BatchRows& rows, const BatchRows::Run& run,
                                Visit&& visit) const {
  if (run.is_whole) {
    for (const TypedRows& of : whole_[run.launch]) visit(of);
    return;
  }
  if (!batch_.launches[run.launch].types) return visit(TypedRows{0, run.rows, 0});
  TypedRows of;
  for (std::uint32_t t = run.first_tile; t < run.first_tile + run.tiles; ++t) {
    const BatchRows::Tile& tile = rows.tiles[t];
    if (tile.type != of.type && of.end > of.begin) visit(of);
    if (tile.type != of.type || of.end == of.begin) of = {tile.begin, tile.begin, tile.type};
    of.end = tile.end;
  }
  if (of.end > of.begin) visit(of);
}

template <class Visit>
void BatchCutter::for_each_block(const GraphNode& node, const BatchRows& rows,
                                 std::span<const LaunchPart> parts, std::uint64_t turns,
                                 Visit&& visit) const {
  const KernelSchedule& schedule = *node.schedule;
  const std::uint32_t slots = schedule.members.of_class.front().slots;
  for (std::uint32_t l = 0; l < node.launches.size(); ++l) {
    const LaunchPart& part = parts[node.launches[l]];
    for_each_step(part.first_zeros, part.end_zeros, kZerosOfBlock * turns,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    visit(BlockRows{begin, end, kMadeZeros, l});
                  });
    if (part.run == kNone) continue;
    const BatchRows::Run& run = rows.runs[part.run];
    const std::uint64_t step = turns * rows_of_block(schedule, slots, run.rows, target_);
    for_each_type(rows, run, [&](const TypedRows& of) {
      for_each_step(of.begin, of.end, step, [&](std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t p = 0; p < schedule.parts; ++p) {
          visit(BlockRows{begin, end, of.type * schedule.parts + p, l});
        }
      });
    });
  }
}

std::uint64_t BatchCutter::count(const GraphNode& node, const BatchRows& rows,
                                 std::span<const LaunchPart> parts, std::uint64_t turns) const {
  std::uint64_t blocks = 0;
  for_each_block(node, rows, parts, turns, [&](const BlockRows&) { ++blocks; });
  return blocks;
}

std::uint64_t BatchCutter::fewest(const GraphNode& node) const {
  std::uint64_t blocks = 0;
  for (const std::uint32_t launch : node.launches) {
    blocks += whole_[launch].size() * node.schedule->parts + 1;  // and one for zeros
  }
  return blocks;
}

std::uint64_t BatchCutter::most(const GraphNode& node) const {
  BatchRows rows;
  std::vector<LaunchPart> parts(whole_.size());
  for (const std::uint32_t launch : node.launches) {
    parts[launch].run = static_cast<std::uint32_t>(rows.runs.size());
    BatchRows::Run& run = rows.runs.emplace_back();
    run.launch = launch;
    run.rows = batch_.launches[launch].rows;
    run.is_whole = true;
  }
  return std::max(count(node, rows, parts, 1), fewest(node));
}

void BatchCutter::cut(const GraphNode& node, const BatchRows& rows,
                      std::span<const LaunchPart> parts, std::span<BlockRows> to) const {
  std::uint64_t turns = 1;
  while (count(node, rows, parts, turns) > to.size()) turns *= 2;
  std::size_t next = 0;
  for_each_block(node, rows, parts, turns, [&](const BlockRows& block) { to[next++] = block; });
  std::ranges::fill(to.subspan(next), BlockRows{});
}

}  // namespace vecc::cuda
