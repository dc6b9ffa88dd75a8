// One measured import, vectorize and optimize, in a process of its own.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "vecc/error.h"

namespace vecc::tools {

/// What one run costs. Peak: the process's largest resident set minus what it held before the
/// import (the program's own code and libraries).
struct CompileMeasurement {
  std::uint64_t neurons = 0;
  std::uint64_t edges = 0;
  std::uint64_t layers = 0;
  double import_seconds = 0;
  double vectorize_seconds = 0;
  double optimize_seconds = 0;
  std::uint64_t rows = 0;            ///< computed, as vectorized
  std::uint64_t optimized_rows = 0;  ///< and after the optimizer
  std::uint64_t peak_bytes = 0;
  std::uint64_t graph_bytes = 0;

  [[nodiscard]] double neurons_per_second() const {
    return static_cast<double>(neurons) / (import_seconds + vectorize_seconds + optimize_seconds);
  }
};

[[nodiscard]] nlohmann::ordered_json json_of(const CompileMeasurement& m);
/// Throws nlohmann's exception on anything that json_of did not make.
[[nodiscard]] CompileMeasurement measurement_of(const nlohmann::ordered_json& json);

/// A line of /proc/self/status in bytes: `VmHWM` (the largest resident set so far), `VmRSS`.
[[nodiscard]] Result<std::uint64_t> status_bytes(std::string_view name);

/// Binds this process to one CPU, imports, vectorizes and optimizes `path` at a level. Errors:
/// those of the stages; FileUnreadable if the kernel does not say what the process holds.
[[nodiscard]] Result<CompileMeasurement> measure_compile(const std::string& path,
                                                         std::uint32_t level);

}  // namespace vecc::tools
