#include "pyg_times.h"

#include <fmt/format.h>

#include "ground_graph.h"
#include "src/support/child_process.h"

namespace vecc::tools {

Result<nlohmann::json> time_pyg(const SetBenchOptions& options, const std::string& data,
                                const std::string& model, bool on_cpu, const std::string& times,
                                const std::vector<std::string>& more) {
  const std::string script = source_file("tools/bench/pyg/time_tu.py");
  std::vector<std::string> arguments{script,
                                     "--data=" + data,
                                     "--model=" + model,
                                     fmt::format("--dim={}", options.dim),
                                     on_cpu ? "--device=cpu" : "--device=cuda",
                                     fmt::format("--warmup={}", options.time.warmup),
                                     fmt::format("--repeat={}", options.time.repeat)};
  if (options.time.execution.threads > 0) {
    arguments.push_back(fmt::format("--threads={}", options.time.execution.threads));
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  VECC_TRY(const std::string text, run_child({.file = options.python, .arguments = arguments}));
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains(times)) {
    return Errors(ErrorCode::DeviceFailure, script, "printed no times");
  }
  return json;
}

}  // namespace vecc::tools
