// What the subcommands that ground a data set have in common as a value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/import/ground/compression_options.h"
#include "vecc/graph_io.h"

namespace vecc::tools {

struct ImportCommandOptions {
  std::string input;  ///< a file or a folder; empty: nothing is read
  std::string output;
  std::string model;
  std::vector<std::pair<std::string, std::string>> others;  ///< read beside it: option, file
  std::string like;             ///< a graph by whose vocabularies the data is numbered; empty: none
  std::string init = "glorot";  ///< an initializer's name, or none
  std::int64_t seed = 0;
  bool quiet = false;
  CompressionOptions compression;
  std::uint32_t parts = 1;  ///< files that are written, by the names of part_paths()
  ImportLimits limits;
};

}  // namespace vecc::tools
