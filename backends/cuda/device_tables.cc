#include "backends/cuda/device_tables.h"

#include <algorithm>
#include <span>
#include <vector>

namespace vecc::cuda {
namespace {

// Entries that are made narrow at once.
constexpr std::size_t kNarrowPiece = std::size_t{1} << 20;

void write_narrow(std::span<const std::uint32_t> entries, std::uint64_t begin,
                  const DeviceMemory& memory) {
  std::vector<std::uint16_t> narrow;
  for (std::size_t i = 0; i < entries.size(); i += kNarrowPiece) {
    const auto piece = entries.subspan(i, std::min(kNarrowPiece, entries.size() - i));
    narrow.resize(piece.size());
    std::ranges::transform(piece, narrow.begin(),
                           [](std::uint32_t entry) { return static_cast<std::uint16_t>(entry); });
    memory.write(begin + i * sizeof(std::uint16_t), narrow.data(),
                 narrow.size() * sizeof(std::uint16_t));
  }
}

}  // namespace

std::uint64_t DeviceTables::add(ArrayIndex array, bool narrow) {
  const auto [found, is_new] = begins_.try_emplace({array, narrow}, device_array_bytes(bytes_));
  if (is_new) {
    const std::size_t entry = narrow ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
    bytes_ = found->second + plan_.arrays[array]->size() * entry;
  }
  return found->second;
}

void DeviceTables::upload(const DeviceMemory& memory) const {
  for (const auto& [of, begin] : begins_) {
    const std::span<const std::uint32_t> entries(*plan_.arrays[of.first]);
    if (of.second) {
      write_narrow(entries, begin, memory);
    } else {
      memory.write(begin, entries.data(), entries.size_bytes());
    }
  }
}

}  // namespace vecc::cuda
