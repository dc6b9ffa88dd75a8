#include "tools/common/idle_seed.h"

#include <CLI/App.hpp>

namespace vecc::tools {

std::string find_idle_seed(const CLI::App& command, const std::string& option,
                           const std::string& init) {
  const bool draws = init != "none" && init != "constant";
  if (draws || command.get_option(option)->count() == 0) return {};
  return option + " says nothing with --init=" + init + ", which draws no number: leave it out";
}

}  // namespace vecc::tools
