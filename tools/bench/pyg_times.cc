#include "pyg_times.h"

#include <fmt/format.h>

#include <cstdlib>

#include "src/support/child_process.h"

namespace vecc::tools {
namespace {

// Where tools/bench/pyg is: in the source tree by VECC_SOURCE_DIR, or as built.
std::string script_path() {
  const char* source = std::getenv("VECC_SOURCE_DIR");
  return std::string(source != nullptr ? source : VECC_BENCH_SOURCE_DIR) +
         "/tools/bench/pyg/time_tu.py";
}

}  // namespace

Result<nlohmann::json> time_pyg(const PygRun& run, const std::string& times) {
  std::vector<std::string> arguments{script_path(),
                                     "--data=" + run.data,
                                     "--model=" + run.model,
                                     fmt::format("--dim={}", run.dim),
                                     run.on_cpu ? "--device=cpu" : "--device=cuda",
                                     fmt::format("--warmup={}", run.time.warmup),
                                     fmt::format("--repeat={}", run.time.repeat)};
  if (run.time.execution.threads > 0) {
    arguments.push_back(fmt::format("--threads={}", run.time.execution.threads));
  }
  arguments.insert(arguments.end(), run.arguments.begin(), run.arguments.end());
  VECC_TRY(const std::string text, run_child({.file = run.python, .arguments = arguments}));
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains(times)) {
    return Errors(ErrorCode::DeviceFailure, script_path(), "printed no times");
  }
  return json;
}

}  // namespace vecc::tools
