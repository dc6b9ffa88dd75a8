// The launches of data.safetensors, each with its own rows of all tables; and numbers for memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/emit/native/runtime/data_file.h"
#include "src/emit/native/runtime/tables.h"

namespace vecc::emitted {

struct LaunchTables {
  const LaunchRow& row;
  std::span<const AccessRow> accesses;
  std::span<const std::uint64_t> words;

  [[nodiscard]] bool is_wide() const { return row.is_wide == 1; }
};

/// They refer to `data`.
[[nodiscard]] std::vector<LaunchTables> launches_of(const DataFile& data);

/// How many elements the arena has.
[[nodiscard]] std::uint64_t arena_elements(std::span<const BufferRow> buffers);

/// As floats or doubles.
void write_values(std::span<const double> values, bool is_double, std::byte* memory);

}  // namespace vecc::emitted
