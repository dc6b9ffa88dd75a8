// --seed beside an --init that draws nothing.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace vecc::tools {

/// What to say of `option`, which seeds the initial values `init` alone, if it is given and no
/// number is drawn; empty: all is well.
[[nodiscard]] std::string find_idle_seed(const CLI::App& command, const std::string& option,
                                         const std::string& init);

}  // namespace vecc::tools
