// Runs a peer's Python script, which prints one JSON object.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vecc/error.h"

namespace vecc::tools {

/// What `script` (of this tree) printed, which has `times`. Error: DeviceFailure, the script
/// failed or printed none.
[[nodiscard]] Result<nlohmann::json> run_peer_script(const std::string& python,
                                                     const std::string& script,
                                                     std::vector<std::string> arguments,
                                                     const std::string& times);

}  // namespace vecc::tools
