// Whether what is asked of places of tables fits the backend.
#pragma once

#include <string>

#include "options.h"

namespace vecc::tools {

/// What does not fit together of --gpu-memory, --place and --place-folder; empty if all is well.
[[nodiscard]] std::string check_place_options(const Options& o);

}  // namespace vecc::tools
