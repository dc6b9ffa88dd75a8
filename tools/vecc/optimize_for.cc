#include "optimize_for.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "report.h"
#include "src/support/log.h"
#include "tools/common/cost_cache.h"
#include "tools/common/device_cost.h"

namespace vecc::tools {
namespace {

constexpr int kTuneRuns = 15;  // of each candidate; the median counts

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The median time of a few forward passes.
Result<double> measure(const Program& program, const Backend& backend,
                       const ExecutionOptions& execution) {
  VECC_TRY(const auto executable, backend.compile(program, execution));
  VECC_TRY_VOID(executable->run());  // warm-up
  std::vector<double> seconds;
  for (int i = 0; i < kTuneRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    VECC_TRY_VOID(executable->run());
    seconds.push_back(seconds_since(start));
  }
  std::ranges::nth_element(seconds, seconds.begin() + kTuneRuns / 2);
  return seconds[kTuneRuns / 2];
}

class DeviceOptimizer {
 public:
  DeviceOptimizer(const Backend& backend, const Options& options, DeviceCost cost)
      : backend_(backend), options_(options), cost_(std::move(cost)) {}

  Result<Program> run(Program program, OptimizeSettings settings, OptimizeReport& report) {
    OptimizeOptions& o = settings.options;
    o.cost = cost_.coefficients;
    const bool open = o.level >= 3 && !o.passes && o.gather_preset.empty() && !o.pad_mode;
    if (!open) return run_optimizer(std::move(program), settings, report);
    const Fingerprint key = fingerprint(program);
    if (const auto tuned = load_tuned(key, backend_.name(), cost_.device)) {
      log_info(fmt::format("-O3: {} and --pad={} were the fastest before", tuned->gather_preset,
                           text_of(tuned->pad_mode)));
      o.gather_preset = tuned->gather_preset;
      o.pad_mode = tuned->pad_mode;
      return run_optimizer(std::move(program), settings, report);
    }
    o.measure = [&](const Program& candidate) {
      return measure(candidate, backend_, execution_options(options_));
    };
    VECC_TRY(Program optimized, run_optimizer(std::move(program), settings, report));
    const auto saved =
        save_tuned(key, backend_.name(), cost_.device, {report.gather_preset, report.pad_mode});
    if (!saved) log_warning(fmt::format("-O3's choice is not kept: {}", saved.error().text()));
    return optimized;
  }

 private:
  const Backend& backend_;
  const Options& options_;
  DeviceCost cost_;
};

Result<Program> optimize_there(Program program, const BackendChoice& choice, const Options& options,
                               OptimizeReport& report) {
  if (choice.backend == nullptr || options.optimize.options.level < 2) {
    OptimizeSettings settings = options.optimize;
    if (options.emit.kind == EmitKind::Cuda ||
        !options.emit.target_name.empty()) {  // for a GPU that need not be here
      settings.options.cost = default_coefficients(Runner::KernelsOnGpu);
    }
    return run_optimizer(std::move(program), settings, report);
  }
  VECC_TRY(DeviceCost cost, find_device_cost(*choice.backend, execution_options(options)));
  return DeviceOptimizer(*choice.backend, options, std::move(cost))
      .run(std::move(program), options.optimize, report);
}

}  // namespace

Result<Optimized> optimize_for(Program program, const BackendChoice& choice, const Options& options,
                               Stages& stages) {
  Optimized result;
  const ProgramStatistics before = statistics(program);
  VECC_TRY(result.program, stages.run("optimize", [&](ProgressLine&) {
    return optimize_there(std::move(program), choice, options, result.report);
  }));
  describe_optimize(stages, before, result.program, result.report);
  return result;
}

}  // namespace vecc::tools
