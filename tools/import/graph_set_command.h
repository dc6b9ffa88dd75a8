// What vecc-import tu and graph share: options of the architectures over sets of graphs, the
// import.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "tools/import/import_data.h"
#include "tools/import/models/models.h"

namespace vecc::tools {

struct GraphSetCommandOptions {
  std::string command;  ///< "vecc-import tu"
  ImportCommandOptions common;
  GraphSetOptions model;
  bool sum_pool = false;
  bool pools = false;  ///< --pool is given
  bool zero_unknown = false;
};

/// --model, --dim, --layers, --features, ... and what all imports have. When the command is chosen,
/// parsing loads the data, grounds it and sets `exit_code`.
void add_graph_set_command(CLI::App& command,
                           const std::shared_ptr<GraphSetCommandOptions>& options,
                           std::function<Result<GraphSet>()> load, ExitCode& exit_code);

}  // namespace vecc::tools
