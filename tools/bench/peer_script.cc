#include "peer_script.h"

#include "ground_graph.h"
#include "src/support/child_process.h"

namespace vecc::tools {

Result<nlohmann::json> run_peer_script(const std::string& python, const std::string& script,
                                       std::vector<std::string> arguments,
                                       const std::string& times) {
  const std::string path = source_file(script);
  arguments.insert(arguments.begin(), path);
  VECC_TRY(const std::string text, run_child({.file = python, .arguments = arguments}));
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains(times)) {
    return Errors(ErrorCode::DeviceFailure, path, "printed no times");
  }
  return json;
}

}  // namespace vecc::tools
