#include "pyg_script.h"

#include <cstdlib>

namespace vecc::tools {

std::string pyg_script(const std::string& name) {
  const char* source = std::getenv("VECC_SOURCE_DIR");
  return std::string(source != nullptr ? source : VECC_BENCH_SOURCE_DIR) + "/tools/bench/pyg/" +
         name;
}

}  // namespace vecc::tools
