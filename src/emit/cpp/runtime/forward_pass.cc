#include "src/emit/cpp/runtime/forward_pass.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "src/emit/cpp/runtime/tile_table.h"
#include "src/emit/native/runtime/kernels.h"

namespace vecc::emitted {
namespace {

constexpr std::size_t kCacheLine = 64;

std::uint32_t thread_count(std::uint64_t wanted) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  return wanted == 0 ? cores : static_cast<std::uint32_t>(wanted);
}

}  // namespace

ForwardPass::ForwardPass(const DataFile& data, const std::vector<std::vector<double>>& weights,
                         const MachineOptions& options)
    : data_(data),
      is_double_(data.is_double()),
      element_bytes_(is_double_ ? 8 : 4),
      team_(thread_count(options.threads)) {
  bind_buffers(weights);
  bind_launches(options.shared_work);
}

// Zeros.
ForwardPass::Memory ForwardPass::make_memory(std::uint64_t elements) const {
  const std::size_t bytes = (elements * element_bytes_ + kCacheLine) / kCacheLine * kCacheLine;
  Memory memory(static_cast<std::byte*>(std::aligned_alloc(kCacheLine, bytes)));
  if (!memory) throw std::bad_alloc();
  std::memset(memory.get(), 0, bytes);
  return memory;
}

void ForwardPass::bind_buffers(const std::vector<std::vector<double>>& weights) {
  const auto rows = data_.rows<BufferRow>("buffers");
  memory_.push_back(make_memory(arena_elements(rows)));
  std::byte* const arena = memory_.front().get();
  // Launches load constants, they never store there.
  auto* const constants = const_cast<std::byte*>(data_.rows<std::byte>("constants").data());
  for (const BufferRow& row : rows) {
    switch (row.kind) {
      case BufferKind::Arena: buffers_.push_back(arena + row.first * element_bytes_); break;
      case BufferKind::Constant: buffers_.push_back(constants + row.first * element_bytes_); break;
      case BufferKind::Weight:
        memory_.push_back(make_memory(row.elements));
        buffers_.push_back(memory_.back().get());
        write_values(weights[row.first], is_double_, buffers_.back());
        break;
    }
  }
}

const unsigned* ForwardPass::wide(std::uint64_t place) const {
  return place == kNoPlace ? nullptr : data_.rows<unsigned>("indices_32").data() + place;
}

const void* ForwardPass::list(std::uint64_t place, bool is_wide) const {
  if (place == kNoPlace || is_wide) return wide(place);
  return data_.rows<std::uint16_t>("indices_16").data() + place;
}

cpu::KernelArguments ForwardPass::bind_arguments(const LaunchTables& launch) {
  const std::size_t first = arguments_.data.size();
  const std::size_t first_word = arguments_.words.size();
  for (const AccessRow& access : launch.accesses) {
    arguments_.data.push_back(buffers_[access.buffer] + access.first * element_bytes_);
    arguments_.lists.push_back(list(access.list, launch.is_wide()));
  }
  for (const std::uint64_t place : launch.words) arguments_.words.push_back(wide(place));
  return {arguments_.data.data() + first,
          arguments_.lists.data() + first,
          arguments_.words.data() + first_word,
          wide(launch.row.offsets),
          list(launch.row.order, launch.is_wide()),
          static_cast<unsigned>(launch.row.rows),
          static_cast<unsigned>(launch.row.members),
          nullptr};
}

void ForwardPass::bind_launches(std::uint64_t shared_work) {
  const auto tiles = data_.rows<TileRow>("tiles");
  // Launches point into these: they must not move.
  arguments_.data.reserve(data_.rows<AccessRow>("accesses").size());
  arguments_.lists.reserve(arguments_.data.capacity());
  arguments_.words.reserve(data_.rows<std::uint64_t>("words").size());
  std::vector<cpu::BoundLaunch> launches;
  for (const LaunchTables& launch : launches_of(data_)) {
    const TileRow& row = tiles[launches.size()];
    const KernelCode& code = kernels()[launch.row.kernel];
    cpu::BoundLaunch& bound = launches.emplace_back();
    bound.function = launch.is_wide() ? code.wide : code.narrow;
    bound.arguments = bind_arguments(launch);
    bound.work = row.work;
    bound.scratch_bytes = row.scratch_bytes;
    bound.tile_count = row.tile_count;
    bound.tiles = wide(row.tiles);
    bound.tile_types = wide(row.tile_types);
  }
  launch_count_ = launches.size();
  walk_ = cpu::TileWalk(std::move(launches), team_.size(), shared_work);
}

}  // namespace vecc::emitted
