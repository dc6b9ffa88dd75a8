// vecc-opt: Program text in, verified, Program text out.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>

#include "tools/common/emit.h"
#include "tools/common/logging.h"
#include "tools/common/run_tool.h"
#include "tools/common/statistics.h"
#include "vecc/program_text.h"

namespace vecc::tools {
namespace {

struct Options {
  std::string input = "-";
  EmitOptions emit{EmitKind::Ir, {}, false, false};
  std::string passes;
  std::string log_level = "warn";
};

constexpr const char* kFooter = R"(
Examples:
  vecc graph.pb --emit=ir -o graph.vecc && vecc-opt graph.vecc --emit=stats
  vecc graph.pb --emit=ir | vecc-opt --emit=dot | dot -Tsvg > graph.svg

Text on stdin or written with --full holds every array itself; a file may have a side file,
PATH.arrays. Exit codes as those of vecc: 2 usage, 3 text that does not parse or verify.)";

Result<std::string> read_stdin() {
  std::string text;
  char block[1 << 16];
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, block, sizeof block);
    if (count == 0) return text;
    if (count > 0) {
      text.append(block, static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return Errors(ErrorCode::FileUnreadable, "<stdin>", std::strerror(errno));
    }
  }
}

Result<Program> read_program(const std::string& path) {
  if (path != "-") return load_program(path);
  VECC_TRY(const std::string text, read_stdin());
  return parse_program(text, "<stdin>");
}

Result<void> run(const Options& options) {
  VECC_TRY(const Program program, read_program(options.input));
  if (const Result<void> valid = verify(program); !valid) {
    return valid.error().in(options.input == "-" ? "<stdin>" : options.input);
  }
  nlohmann::ordered_json statistics = nlohmann::ordered_json::object();
  statistics["program"] = json_of(program);
  return emit_program(program, options.emit, statistics);
}

int opt_main(int argc, char** argv) {
  CLI::App app("Reads a tensor program, verifies it, and prints it.", "vecc-opt");
  Options options;
  app.footer(kFooter);
  app.set_version_flag("--version", "vecc-opt " VECC_VERSION, "Print the version and leave");
  app.add_option("program", options.input, "Program text; - is stdin")
      ->type_name("FILE")
      ->capture_default_str();
  add_emit_options(app, options.emit);
  auto* passes = app.add_option("--passes", options.passes, "Passes to run; there are none yet");
  app.add_flag("--json", options.emit.json, "--emit=stats: as JSON");
  add_log_option(app, options.log_level);
  if (const auto code = parse_arguments(app, argc, argv)) return *code;
  if (passes->count() > 0) {
    return report_usage("vecc-opt", "--passes: no pass of that name; known passes: (none yet)");
  }
  if (options.emit.full && options.emit.kind != EmitKind::Ir) {
    return report_usage("vecc-opt", "--full needs --emit=ir");
  }
  set_up_logging(options.log_level);
  const Result<void> result = run(options);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

}  // namespace
}  // namespace vecc::tools

int main(int argc, char** argv) {
  return vecc::tools::run_tool([&] { return vecc::tools::opt_main(argc, argv); });
}
