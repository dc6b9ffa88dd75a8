// vecc-opt: Program text in, passes, Program text out.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "tools/common/command_paths.h"
#include "tools/common/data_sink.h"
#include "tools/common/emit.h"
#include "tools/common/logging.h"
#include "tools/common/optimize_options.h"
#include "tools/common/run_tool.h"
#include "tools/common/statistics.h"
#include "tools/html/html_page.h"
#include "vecc/differentiate.h"
#include "vecc/program_text.h"

namespace vecc::tools {
namespace {

struct Options {
  std::string input = "-";
  EmitOptions emit{EmitKind::Ir, {}, false, false, {}, {}};
  OptimizeSettings optimize;
  bool differentiates = false;
  bool optimizes = false;  ///< -O or --passes is there
  std::string log_level = "warn";
};

constexpr const char* kFooter = R"(
Examples:
  vecc graph.pb --emit=ir -o graph.vecc && vecc-opt graph.vecc --emit=stats
  vecc graph.pb --emit=ir | vecc-opt --emit=dot | dot -Tsvg > graph.svg
  vecc graph.pb -O0 --emit=ir | vecc-opt --passes=iso-compress,dedup-rows --pass-statistics
  vecc graph.pb --emit=ir | vecc-opt --differentiate
  vecc-opt graph.vecc -O2 --check --emit=stats

Without -O, --passes and --differentiate nothing is changed.

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

// Appends the backward pass of the sum of all elements of all outputs; the gradient of parameter p
// is stored in the state gradient/p.
Result<void> append_backward(Program& program) {
  std::vector<Seed> seeds;
  const auto forward = static_cast<ValueId>(program.ops().size());
  for (ValueId id = 0; id < forward; ++id) {
    const Op& op = program.op(id);
    if (op.kind() != OpKind::Output) continue;
    seeds.push_back({id, program.fact(std::vector<double>(op.size(), 1.0), op.rows, op.shape)});
  }
  std::vector<ParameterIndex> wanted(program.parameters().size());
  std::iota(wanted.begin(), wanted.end(), 0u);
  VECC_TRY(const auto gradients, append_gradients(program, seeds, wanted));
  for (const ParameterIndex p : wanted) {
    if (!gradients[p]) continue;
    const Parameter& parameter = program.parameters()[p];
    VECC_TRY(
        const ValueId state,
        program.add(StateOp{"gradient/" + parameter.name, parameter.rows, parameter.shape}, {}));
    VECC_TRY_VOID(program.add(UpdateOp{}, {state, *gradients[p]}));
  }
  return verify(program);
}

Result<void> run(Options& options) {
  VECC_TRY_VOID(read_emit_target(options.emit));
  if (options.emit.kind == EmitKind::Cuda || !options.emit.target_name.empty()) {
    options.optimize.options.cost = default_coefficients(Runner::KernelsOnGpu);
  }
  VECC_TRY(Program program, read_program(options.input));
  const std::string input = options.input == "-" ? "<stdin>" : options.input;
  if (const Result<void> valid = verify(program); !valid) return valid.error().in(input);
  if (options.differentiates) {
    if (const Result<void> done = append_backward(program); !done) return done.error().in(input);
  }
  const Program before = program;
  OptimizeReport report;
  if (options.optimizes) {
    VECC_TRY(program, run_optimizer(std::move(program), options.optimize, report));
  }
  if (options.emit.kind == EmitKind::Html) {
    return write_data(options.emit.path, html_page({options.input, before, program, report, {}}));
  }
  nlohmann::ordered_json statistics = nlohmann::ordered_json::object();
  statistics["program"] = json_of(program);
  if (options.optimizes) statistics["optimizer"] = json_of(report);
  return emit_program(program, options.emit, statistics);
}

int opt_main(int argc, char** argv) {
  CLI::App app("Reads a tensor program, verifies it, runs passes, and prints it.", "vecc-opt");
  Options options;
  app.footer(kFooter);
  app.add_option("program", options.input, "Program text; - is stdin")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_flag("--differentiate", options.differentiates,
               "Append the backward pass of the sum of all elements of all outputs, before any "
               "pass: the gradient of parameter \"w\" is stored in the state \"gradient/w\"");
  add_emit_options(app, options.emit);
  add_optimize_options(app, options.optimize, 0);
  app.add_flag("--json", options.emit.json, "--emit=stats: as JSON");
  add_log_option(app, options.log_level);
  if (const auto code = parse_arguments(app, argc, argv)) return *code;
  options.optimizes = app.count("-O") > 0 || app.count("--passes") > 0;
  if (const auto problem = check_optimize_settings(options.optimize); !problem.empty()) {
    return report_usage("vecc-opt", problem);
  }
  if (const auto problem = check_emit_options(options.emit); !problem.empty()) {
    return report_usage("vecc-opt", problem);
  }
  CommandPaths paths;
  if (options.input != "-") {
    paths.add_input("the program " + options.input, options.input);
    paths.add_input("the program " + options.input, options.input + ".arrays");
  }
  add_emit_output(paths, options.emit);
  if (options.emit.path.empty()) paths.add_stdout();
  if (const auto problem = paths.find_conflict(); !problem.empty()) {
    return report_usage("vecc-opt", problem);
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
