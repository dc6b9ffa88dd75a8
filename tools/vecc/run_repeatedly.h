// Runs of --repeat, each timed.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "tools/common/stages.h"
#include "vecc/error.h"

namespace vecc::tools {

/// Calls `body` as often as asked and notes each time.
template <class Body>
Result<std::vector<double>> run_repeatedly(std::uint32_t times, ProgressLine& line, Body&& body) {
  std::vector<double> seconds;
  for (std::uint32_t i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    VECC_TRY_VOID(body());
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    seconds.push_back(time.count());
    line.update(i + 1, times > 1 ? times : 0, ProgressUnit::Runs);
  }
  return seconds;
}

}  // namespace vecc::tools
