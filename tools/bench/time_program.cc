#include "time_program.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

namespace vecc::tools {
namespace {

std::uint64_t output_size(const Program& program) {
  std::uint64_t size = 0;
  for (const Op& op : program.ops()) {
    if (op.kind() == OpKind::Output) size += op.size();
  }
  return size;
}

using Executables = std::vector<std::unique_ptr<Executable>>;

Result<Executables> compile_all(std::span<const Program* const> programs,
                                const TimeOptions& options, bool gradients) {
  VECC_TRY(const Backend* backend, backend_of(options));
  ExecutionOptions execution = options.execution;
  execution.gradients = gradients;
  Executables result;
  for (const Program* program : programs) {
    VECC_TRY(result.emplace_back(), backend->compile(*program, execution));
  }
  return result;
}

// Every program's warm-up, then rounds of a few runs of each in turn: what else the machine does
// meanwhile, and how warm it gets, meets all of them alike.
template <class Run>
Result<void> run_in_rounds(std::size_t programs, const TimeOptions& options, Run&& run) {
  constexpr std::uint32_t kRunsARound = 5;
  const auto run_each = [&](std::uint32_t times) -> Result<void> {
    for (std::size_t p = 0; p < programs; ++p) {
      for (std::uint32_t i = 0; i < times; ++i) VECC_TRY_VOID(run(p));
    }
    return {};
  };
  VECC_TRY_VOID(run_each(options.warmup));
  for (std::uint32_t done = 0; done < options.repeat; done += kRunsARound) {
    VECC_TRY_VOID(run_each(std::min(kRunsARound, options.repeat - done)));
  }
  return {};
}

Result<void> time_forward(std::span<const Program* const> programs, const TimeOptions& options,
                          std::vector<ProgramTimes>& times) {
  VECC_TRY(const Executables executables, compile_all(programs, options, /*gradients=*/false));
  for (std::size_t p = 0; p < programs.size(); ++p) {
    times[p].device = executables[p]->device_name();
    times[p].forward.warmup = options.warmup;
  }
  return run_in_rounds(programs.size(), options, [&](std::size_t p) -> Result<void> {
    const auto start = std::chrono::steady_clock::now();
    VECC_TRY_VOID(executables[p]->run());
    times[p].forward.seconds.push_back(seconds_since(start));
    return {};
  });
}

Result<void> time_both(std::span<const Program* const> programs, const TimeOptions& options,
                       std::vector<ProgramTimes>& times) {
  VECC_TRY(const Executables executables, compile_all(programs, options, /*gradients=*/true));
  std::vector<std::vector<double>> ones;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    ones.emplace_back(output_size(*programs[p]), 1.0);
    times[p].backward.warmup = times[p].both.warmup = options.warmup;
  }
  return run_in_rounds(programs.size(), options, [&](std::size_t p) -> Result<void> {
    const auto start = std::chrono::steady_clock::now();
    VECC_TRY_VOID(executables[p]->run());
    const auto middle = std::chrono::steady_clock::now();
    VECC_TRY_VOID(executables[p]->differentiate(ones[p]));
    times[p].backward.seconds.push_back(seconds_since(middle));
    times[p].both.seconds.push_back(seconds_since(start));
    return {};
  });
}

}  // namespace

Result<const Backend*> backend_of(const TimeOptions& options) {
  const Backend* backend = find_backend(options.backend);
  if (backend != nullptr) return backend;
  return Errors(ErrorCode::Usage, "--backend", "no backend \"" + options.backend + "\"");
}

Result<std::vector<ProgramTimes>> time_programs(std::span<const Program* const> programs,
                                                const TimeOptions& options) {
  std::vector<ProgramTimes> times(programs.size());
  VECC_TRY_VOID(time_forward(programs, options, times));
  if (options.gradients) VECC_TRY_VOID(time_both(programs, options, times));
  return times;
}

Result<ProgramTimes> time_program(const Program& program, const TimeOptions& options) {
  const Program* one = &program;
  VECC_TRY(std::vector<ProgramTimes> times, time_programs(std::span(&one, 1), options));
  return std::move(times.front());
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
