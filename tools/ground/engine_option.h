// --engine and --threads of the commands that ground.
#pragma once

#include <CLI/App.hpp>

#include "tools/ground/rule_query.h"

namespace vecc::tools::ground {

/// The values must outlive the parse.
void add_engine(CLI::App& command, SqlEngine& engine);
void add_threads(CLI::App& command, std::uint32_t& threads);

}  // namespace vecc::tools::ground
