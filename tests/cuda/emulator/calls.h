// How often the emulated driver was asked for what takes time.
#pragma once

#include <cstdint>

struct EmulatedCalls {
  std::uint64_t allocations = 0;   ///< of the device, and of pinned memory
  std::uint64_t graphs = 0;        ///< instantiated
  std::uint64_t modules = 0;       ///< loaded
  std::uint64_t mapped_bytes = 0;  ///< of the device, mapped where they were asked for
  std::uint64_t launches = 0;      ///< of kernels, but those of graphs
  friend bool operator==(const EmulatedCalls&, const EmulatedCalls&) = default;
};

/// Of the emulator's library; by its name, for those that have loaded it.
extern "C" const EmulatedCalls* vecc_emulated_calls();
