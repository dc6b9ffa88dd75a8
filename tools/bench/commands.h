// The commands of vecc-bench, one file each. Every add_ function adds its command to the app; when
// the command was given, `body` is what runs it.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "time_program.h"
#include "tools/common/data_sink.h"
#include "vecc/error.h"

namespace vecc::tools {

using CommandBody = std::function<Result<void>()>;

void add_compile(CLI::App& app, CommandBody& body);
void add_rows(CLI::App& app, CommandBody& body);
void add_presets(CLI::App& app, CommandBody& body);
void add_train(CLI::App& app, CommandBody& body);
void add_peers(CLI::App& app, CommandBody& body);
void add_calibrate(CLI::App& app, CommandBody& body);

/// Sets of small graphs and what grounds them: DIR ..., --models, --dim.
void add_set_options(CLI::App& command, std::vector<std::string>& data,
                     std::vector<std::string>& models, std::uint32_t& dim);
/// --python.
void add_peer_option(CLI::App& command, std::string& python);
/// --backend, --device, --threads, --warmup, --repeat.
void add_timing_options(CLI::App& command, TimeOptions& time);

/// Error: Usage (an output names an input, the other output, or the file that stdout goes to).
[[nodiscard]] Result<void> check_bench_paths(const std::vector<std::string>& inputs,
                                             const std::string& json_path,
                                             const std::string& svg_path = "");

/// A file that JSON (or SVG) goes to, opened before minutes of measuring end in a bad path.
class LateFile {
 public:
  /// `path` empty: nothing is written. Error: CannotWrite.
  [[nodiscard]] static Result<LateFile> open(const std::string& path);
  /// Error: CannotWrite.
  [[nodiscard]] Result<void> write(std::string_view text);

 private:
  std::optional<DataSink> sink_;
};

}  // namespace vecc::tools
