#include "commands.h"
#include "tools/common/command_paths.h"

namespace vecc::tools {

Result<void> check_bench_paths(const std::vector<std::string>& inputs, const std::string& json_path,
                               const std::string& svg_path) {
  CommandPaths paths;
  for (const std::string& input : inputs) paths.add_input(input, input);
  paths.add_output("--json=" + json_path, json_path);
  paths.add_output("--svg=" + svg_path, svg_path);
  paths.add_stdout();
  const std::string problem = paths.find_conflict();
  if (problem.empty()) return {};
  return Errors(ErrorCode::Usage, "vecc-bench", problem);
}

Result<LateFile> LateFile::open(const std::string& path) {
  LateFile file;
  if (!path.empty()) {
    VECC_TRY(file.sink_, DataSink::open(path));
  }
  return file;
}

Result<void> LateFile::write(std::string_view text) {
  if (!sink_) return {};
  sink_->write(text);
  return sink_->finish();
}

}  // namespace vecc::tools
