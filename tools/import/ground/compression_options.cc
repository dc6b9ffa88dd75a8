#include "tools/import/ground/compression_options.h"

#include <limits>

#include "tools/common/number_options.h"

namespace vecc::tools {

Compression compression_of(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::Gzip;
  if (path.ends_with(".zst")) return Compression::Zstd;
  return Compression::None;
}

void add_compression_options(CLI::App& command, CompressionOptions& options,
                             const std::string& threads) {
  // Which levels there are is known with the output's name.
  add_unset_whole(command, "--compression-level", options.level,
                  {1, std::numeric_limits<std::uint32_t>::max()},
                  "From 1, fast, to 9 of .gz and 22 of .zst, small (default: 6, 9)");
  add_whole(command, "--threads", options.threads, {0, 4096},
            threads + "; 0: one a processor. The graph is the same");
}

Result<Encoding> encoding_of(std::string_view tool, std::string_view path,
                             const CompressionOptions& options) {
  Encoding encoding(compression_of(path));
  encoding.level = options.level;
  encoding.threads = options.threads;
  const std::string problem = find_level_problem(encoding);
  if (problem.empty()) return encoding;
  return Errors(ErrorCode::Usage, std::string(tool),
                "--compression-level=" + std::to_string(options.level) + ": " + problem);
}

}  // namespace vecc::tools
