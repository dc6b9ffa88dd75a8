// Scripts of the peers: tools/bench/pyg.
#pragma once

#include <string>

namespace vecc::tools {

/// The script's path in the source tree: VECC_SOURCE_DIR's, or as built.
[[nodiscard]] std::string pyg_script(const std::string& name);

}  // namespace vecc::tools
