// --engine, and what --threads are, of the commands that ground.
#pragma once

#include <CLI/App.hpp>

#include "tools/ground/rule_query.h"

namespace vecc::tools::ground {

/// The value must outlive the parse.
void add_engine(CLI::App& command, SqlEngine& engine);

/// For add_compression_options().
inline constexpr const char* kThreads = "That ground by SQLite, and compress by zstd";

}  // namespace vecc::tools::ground
