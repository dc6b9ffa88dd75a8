#include "time_program.h"

#include <chrono>
#include <vector>

namespace vecc::tools {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::uint64_t output_size(const Program& program) {
  std::uint64_t size = 0;
  for (const Op& op : program.ops()) {
    if (op.kind() == OpKind::Output) size += op.size();
  }
  return size;
}

Result<void> time_forward(Executable& executable, const TimeOptions& options, RunSeries& series) {
  series.warmup = options.warmup;
  for (std::uint32_t i = 0; i < options.warmup + options.repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    VECC_TRY_VOID(executable.run());
    series.seconds.push_back(seconds_since(start));
  }
  return {};
}

Result<void> time_both(Executable& executable, const std::vector<double>& ones,
                       const TimeOptions& options, ProgramTimes& times) {
  times.backward.warmup = times.both.warmup = options.warmup;
  for (std::uint32_t i = 0; i < options.warmup + options.repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    VECC_TRY_VOID(executable.run());
    const auto middle = std::chrono::steady_clock::now();
    VECC_TRY_VOID(executable.differentiate(ones));
    times.backward.seconds.push_back(seconds_since(middle));
    times.both.seconds.push_back(seconds_since(start));
  }
  return {};
}

}  // namespace

Result<ProgramTimes> time_program(const Program& program, const TimeOptions& options) {
  const Backend* backend = find_backend(options.backend);
  if (backend == nullptr) {
    return Errors(ErrorCode::Usage, "--backend", "no backend \"" + options.backend + "\"");
  }
  ProgramTimes times;
  ExecutionOptions execution = options.execution;
  execution.gradients = false;
  {
    VECC_TRY(const auto executable, backend->compile(program, execution));
    times.device = executable->device_name();
    VECC_TRY_VOID(time_forward(*executable, options, times.forward));
  }
  if (!options.gradients) return times;
  execution.gradients = true;
  VECC_TRY(const auto executable, backend->compile(program, execution));
  const std::vector<double> ones(output_size(program), 1.0);
  VECC_TRY_VOID(time_both(*executable, ones, options, times));
  return times;
}

nlohmann::ordered_json json_of(const ProgramTimes& times) {
  nlohmann::ordered_json result{{"device", times.device}, {"forward", json_of(times.forward)}};
  if (!times.both.seconds.empty()) {
    result["backward"] = json_of(times.backward);
    result["both"] = json_of(times.both);
  }
  return result;
}

}  // namespace vecc::tools
