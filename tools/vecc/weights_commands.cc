#include "weights_commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "commands.h"
#include "tools/common/command_paths.h"
#include "tools/common/interrupt.h"
#include "tools/common/number_options.h"
#include "tools/common/run_tool.h"

namespace vecc::tools {
namespace {

constexpr const char* kWeightsFooter = R"(
Reads safetensors, .npz and .npy; writes safetensors (docs/weights.md).

Examples:
  vecc weights show w.safetensors
  vecc weights diff before.safetensors after.safetensors
  vecc weights convert w.npz w.safetensors

Exit codes: 0 ok; diff: 0 the same names, shapes and numbers, 1 not; else those of vecc.)";

constexpr int kDifferent = 1;  // as diff(1)

struct WeightsOptions {
  std::string first;
  std::string second;
  bool json = false;
  WeightLimits limits;
};

void add_command(CLI::App& app, WeightsOptions& o, const char* name, const char* text,
                 const char* second) {
  CLI::App* const command = app.add_subcommand(name, text);
  command->add_option("first", o.first, "A weight file")->required()->type_name("FILE");
  if (second != nullptr) {
    command->add_option("second", o.second, second)->required()->type_name("FILE");
  }
  add_size(*command, "--max-input-bytes", o.limits.max_bytes, {1, std::uint64_t{1} << 62},
           "Bytes of a file, unpacked: 64M, 4G");
}

Result<int> show(const WeightsOptions& o) {
  VECC_TRY(const WeightFile file, read_weights(o.first, o.limits));
  VECC_TRY_VOID(show_weights(file, o.json));
  return 0;
}

Result<int> diff(const WeightsOptions& o) {
  VECC_TRY(const WeightFile a, read_weights(o.first, o.limits));
  VECC_TRY(const WeightFile b, read_weights(o.second, o.limits));
  VECC_TRY(const bool equal, diff_weights(a, b, o.json));
  return equal ? 0 : kDifferent;
}

Result<int> convert(const WeightsOptions& o) {
  VECC_TRY(const WeightFile file, read_weights(o.first, o.limits));
  const DeferInterrupt whole_file;
  VECC_TRY_VOID(write_weights(file, o.second));
  return 0;
}

struct WeightsCommandLine {
  CLI::App app{"Shows, compares and converts files of weights.", "vecc weights"};
  WeightsOptions options;

  WeightsCommandLine() {
    app.footer(kWeightsFooter);
    app.require_subcommand(1);
    add_command(app, options, "show", "Each tensor's shape and statistics", nullptr);
    add_command(app, options, "diff", "The largest absolute and relative difference of each tensor",
                "The file to compare with");
    for (const char* name : {"show", "diff"}) {
      app.get_subcommand(name)->add_flag("--json", options.json, "As one JSON object");
    }
    add_command(app, options, "convert", "Writes the first file as safetensors",
                "Where to write it");
  }
  WeightsCommandLine(const WeightsCommandLine&) = delete;  // its options are referred to
  WeightsCommandLine& operator=(const WeightsCommandLine&) = delete;
};

}  // namespace

Result<void> print_table(const std::vector<std::vector<std::string>>& lines, bool keeps_header) {
  const bool aligned = ::isatty(STDOUT_FILENO) == 1;
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t c = 0; c + 1 < line.size(); ++c)
      widths[c] = std::max(widths[c], line[c].size());
  }
  VECC_TRY(DataSink sink, DataSink::open(""));
  for (std::size_t i = aligned || keeps_header ? 0 : 1; i < lines.size(); ++i) {
    for (std::size_t c = 0; c < lines[i].size(); ++c) {
      if (c > 0) sink.write(aligned ? "  " : "\t");
      sink.write(fmt::format("{:<{}}", lines[i][c], aligned ? widths[c] : 0));
    }
    sink.write("\n");
  }
  return sink.finish();
}

std::string find_wrong_weights_name(const std::string& path) {
  const bool is_numpy = path.ends_with(".npz") || path.ends_with(".npy");
  return is_numpy ? "writes safetensors only, not .npz or .npy" : "";
}

int weights_main(int argc, char** argv) {
  WeightsCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  const WeightsOptions& o = line.options;
  const auto is = [&](const char* name) { return line.app.got_subcommand(name); };
  if (is("convert")) {
    const std::string fault = find_wrong_weights_name(o.second);
    if (!fault.empty()) return report_usage("vecc weights", "convert " + fault);
  }
  CommandPaths paths;
  paths.add_input(o.first, o.first);
  if (is("diff")) paths.add_input(o.second, o.second);
  if (is("convert")) {
    paths.add_output(o.second, o.second);
  } else {
    paths.add_stdout();
  }
  if (const std::string problem = paths.find_conflict(); !problem.empty()) {
    return report_usage("vecc weights", problem);
  }
  const Result<int> result = is("show") ? show(o) : is("diff") ? diff(o) : convert(o);
  return result ? *result : report_errors(result.error());
}

std::shared_ptr<CLI::App> weights_command_line() {
  return app_of(std::make_shared<WeightsCommandLine>());
}

}  // namespace vecc::tools
