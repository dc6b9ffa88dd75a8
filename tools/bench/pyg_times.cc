#include "pyg_times.h"

#include <fmt/format.h>

#include "peer_script.h"

namespace vecc::tools {

Result<nlohmann::json> time_pyg(const SetBenchOptions& options, const std::string& data,
                                const std::string& model, bool on_cpu, const std::string& times,
                                const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"--data=" + data,
                                     "--model=" + model,
                                     fmt::format("--dim={}", options.dim),
                                     on_cpu ? "--device=cpu" : "--device=cuda",
                                     fmt::format("--warmup={}", options.time.warmup),
                                     fmt::format("--repeat={}", options.time.repeat)};
  if (options.time.execution.threads > 0) {
    arguments.push_back(fmt::format("--threads={}", options.time.execution.threads));
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_peer_script(options.python, "tools/bench/pyg/time_tu.py", arguments, times);
}

}  // namespace vecc::tools
