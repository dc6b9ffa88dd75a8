// --engine of the commands that ground.
#pragma once

#include <CLI/App.hpp>

#include "tools/ground/rule_query.h"

namespace vecc::tools::ground {

/// `engine` must outlive the parse.
void add_engine(CLI::App& command, SqlEngine& engine);

}  // namespace vecc::tools::ground
