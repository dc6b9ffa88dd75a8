// What vecc-bench compile prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compile_bench.h"

namespace vecc::tools {

/// A table, one line a size.
[[nodiscard]] std::string table_of(const std::vector<CompileRow>& rows);
/// {"benchmark": "compile", "input", "rows": [{"times", "neurons", ..., "runs": [...]}]}
[[nodiscard]] nlohmann::ordered_json json_of(const CompileBenchOptions& options,
                                             const std::vector<CompileRow>& rows);

}  // namespace vecc::tools
