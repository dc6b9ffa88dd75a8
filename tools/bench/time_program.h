// Times of a Program on a backend: forward, backward, both.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "timed_runs.h"
#include "vecc/backend.h"

namespace vecc::tools {

struct TimeOptions {
  std::string backend = "torch";
  ExecutionOptions execution;
  std::uint32_t warmup = 10;
  std::uint32_t repeat = 50;
  bool gradients = true;
};
/// The backend by its name. Error: Usage.
[[nodiscard]] Result<const Backend*> backend_of(const TimeOptions& options);

struct ProgramTimes {
  std::string device;
  TimedRuns forward;   ///< without gradients
  TimedRuns backward;  ///< the reverse mode alone; empty without TimeOptions::gradients
  TimedRuns both;      ///< forward that keeps what backward needs, and backward
};
/// Compiles each twice (without and with gradients) and runs them in turn, a few runs of each a
/// round. Output gradients are 1 everywhere. Errors: those of the backend.
[[nodiscard]] Result<std::vector<ProgramTimes>> time_programs(
    std::span<const Program* const> programs, const TimeOptions& options);
/// The same of one.
[[nodiscard]] Result<ProgramTimes> time_program(const Program& program, const TimeOptions& options);

/// Name, median and least time of each, as a table's cells and as JSON.
[[nodiscard]] nlohmann::ordered_json json_of(const ProgramTimes& times);

}  // namespace vecc::tools
