#include "pyg_times.h"

#include <fmt/format.h>

#include "ground_graph.h"
#include "src/support/child_process.h"

namespace vecc::tools {

Result<nlohmann::json> time_pyg(const PygRun& run, const std::string& times) {
  const std::string script = source_file("tools/bench/pyg/time_tu.py");
  std::vector<std::string> arguments{script,
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
    return Errors(ErrorCode::DeviceFailure, script, "printed no times");
  }
  return json;
}

}  // namespace vecc::tools
