#include "tools/common/emit.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <map>

#include "src/plan/launch_layout.h"
#include "src/program/value_indices.h"
#include "tools/common/data_sink.h"
#include "tools/common/interrupt.h"
#include "tools/common/statistics.h"
#include "vecc/escape.h"
#include "vecc/plan.h"
#include "vecc/program_text.h"

namespace vecc::tools {
namespace {

Result<void> emit_ir(const Program& program, const EmitOptions& options) {
  if (!options.path.empty() && !options.full && !is_special_file(options.path)) {
    const DeferInterrupt defer;  // two files that belong together
    return save_program(program, options.path);
  }
  PrintOptions print_options;
  if (options.full || !options.path.empty() || ::isatty(STDOUT_FILENO) == 0) {
    print_options.long_arrays = LongArrays::Full;
    print_options.parameter_values = true;
    print_options.checksum = !options.path.empty() && !is_special_file(options.path);
  }
  return write_data(options.path, print(program, print_options));
}

}  // namespace

void add_emit_options(CLI::App& app, EmitOptions& options) {
  static const std::map<std::string, EmitKind> kKinds{
      {"ir", EmitKind::Ir},       {"plan", EmitKind::Plan}, {"dot", EmitKind::Dot},
      {"stats", EmitKind::Stats}, {"html", EmitKind::Html}, {"python", EmitKind::Python},
      {"cpp", EmitKind::Cpp},     {"cuda", EmitKind::Cuda}};
  app.add_option_function<std::string>(
         "--emit", [&options](const std::string& text) { options.kind = kKinds.at(text); },
         "Print the program instead of running it: ir (text), plan (the kernels that the native "
         "backends run, and their buffers; with --backend=cuda as a GPU runs them), dot "
         "(Graphviz), stats, html (a page: pictures before "
         "and after, rows pass by pass, every op), python (a PyTorch module with its weights, in a "
         "new folder), cpp or cuda (a C++ or a CUDA program of the forward pass with its weights, "
         "in "
         "a new folder)")
      ->check(CLI::IsMember(kKinds).description(""))
      ->type_name("ir|plan|dot|stats|html|python|cpp|cuda");
  app.add_option_function<std::string>(
         "-o,--output",
         [&options](const std::string& path) {
           const bool is_stdout = path == "-" || path == "/dev/stdout";
           options.path = is_stdout ? "" : path;
         },
         "Write to PATH, whole or not at all, instead of stdout (ir: long arrays go to "
         "PATH.arrays; python, cpp, cuda: PATH is a new or empty folder)")
      ->type_name("PATH");
  app.add_option("--target", options.target_name,
                 "--emit=plan, --emit=cuda: the GPU that is planned for, here or not: one that is "
                 "known by name, or a file that describes it (docs/targets.md)")
      ->type_name("h200|h100|a100|l4|FILE");
  app.add_flag("--full", options.full,
               "--emit=ir: every array in the text itself (default: shortened on a terminal, in "
               "the side file with -o)");
}

void add_emit_output(CommandPaths& paths, const EmitOptions& options) {
  if (!options.target_name.empty() && find_target(options.target_name) == nullptr) {
    paths.add_input("--target=" + options.target_name, options.target_name);
  }
  if (options.path.empty()) return;
  const std::string name = "-o " + options.path;
  const auto is = [&](EmitKind kind) { return options.kind == kind; };
  if (is(EmitKind::Python) || is(EmitKind::Cpp) || is(EmitKind::Cuda)) {
    return paths.add_own_folder(name, options.path);
  }
  paths.add_output(name, options.path);
  if (is(EmitKind::Ir) && !options.full && !is_special_file(options.path)) {
    paths.add_output(name, options.path + ".arrays");
  }
}

Result<void> emit_program(const Program& program, const EmitOptions& options,
                          const nlohmann::ordered_json& statistics, const EmittedCode& code) {
  switch (options.kind.value_or(EmitKind::Ir)) {
    case EmitKind::Ir: return emit_ir(program, options);
    case EmitKind::Plan: {
      PlanOptions plan_options;
      plan_options.target = options.target ? *options.target : host_processor();
      Errors gaps;
      if (!plan_options.target.has_vectors()) refuse_value_indices(program, "--emit=plan", gaps);
      if (!gaps.empty()) return gaps;
      plan_options.precision = options.precision;
      const Plan plan = make_plan(program, plan_options);
      return write_data(options.path, text_of(plan, program) + "\n" + text_of_layout(plan));
    }
    case EmitKind::Dot: return write_data(options.path, print_dot(program));
    case EmitKind::Stats:
      return write_data(options.path,
                        options.json ? dump_json(statistics) + "\n" : table_of(statistics));
    case EmitKind::Python: {
      const DeferInterrupt whole_folder;
      return emit_python(program, options.path, code.python);
    }
    case EmitKind::Cpp: {
      const DeferInterrupt whole_folder;
      return emit_cpp(program, options.path, code.native);
    }
    case EmitKind::Cuda: {
      const DeferInterrupt whole_folder;
      NativeOptions native = code.native;
      if (options.target) native.target = *options.target;
      return emit_cuda(program, options.path, native);
    }
    case EmitKind::Html: break;
  }
  fail_check("a kind that is printed from the program alone", __FILE__, __LINE__, "html");
}

Result<void> read_emit_target(EmitOptions& options) {
  if (options.target_name.empty()) return {};
  VECC_TRY(options.target, read_target(options.target_name));
  if (options.precision == MatmulPrecision::Exact) return {};
  return check_tensor_cores(*options.target, escape_terminal(options.target->name),
                            "--matmul-precision=" + std::string(text_of(options.precision)));
}

std::string check_emit_options(const EmitOptions& options) {
  if (options.full && options.kind != EmitKind::Ir) return "--full needs --emit=ir";
  if (!options.target_name.empty() && options.kind != EmitKind::Plan &&
      options.kind != EmitKind::Cuda) {
    return "--target needs --emit=plan or --emit=cuda: what runs here is planned for its device";
  }
  if (options.path.empty()) {
    if (options.kind == EmitKind::Python) return "--emit=python needs -o: a folder";
    if (options.kind == EmitKind::Cpp) return "--emit=cpp needs -o: a folder";
    if (options.kind == EmitKind::Cuda) return "--emit=cuda needs -o: a folder";
  }
  return {};
}

}  // namespace vecc::tools
