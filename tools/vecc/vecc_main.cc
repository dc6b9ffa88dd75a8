// vecc graph.pb: import, vectorize, optimize, compile, run, print. The other commands: commands.h.
#include "vecc_main.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "backends/cuda/device.h"
#include "choose_loss.h"
#include "commands.h"
#include "emitted_code.h"
#include "execute.h"
#include "graph_cache.h"
#include "graph_stages.h"
#include "optimize_for.h"
#include "options.h"
#include "outputs.h"
#include "report.h"
#include "start_values.h"
#include "tools/common/data_sink.h"
#include "tools/common/interrupt.h"
#include "tools/common/logging.h"
#include "tools/common/run_tool.h"
#include "tools/html/html_page.h"
#include "tools/train_log/train_log.h"
#include "train_folds.h"
#include "train_stage.h"
#include "vecc/escape.h"
#include "vecc/initialize.h"
#include "vecc/vectorize.h"
#include "weight_stages.h"

namespace vecc::tools {
namespace {

constexpr const char* kInitGlorot = "--init=glorot gives it some";

Result<void> print_outputs(const Options& options, const NeuronGraph& graph,
                           const Execution& execution, const nlohmann::ordered_json& rest) {
  // With --emit, -o is the program's.
  const std::string path = options.emit.kind ? "" : options.emit.path;
  VECC_TRY(DataSink sink, DataSink::open(path));
  if (options.json) {
    write_outputs_json(sink, graph, execution, rest);
  } else {
    write_outputs(sink, graph, execution, path.empty() && ::isatty(STDOUT_FILENO) == 1);
  }
  return sink.finish();
}

/// A graph on its way through the stages; what was not needed is empty.
struct Compiled {
  Program vectorized;  // only where a page shows it
  std::optional<VectorizeReport> report;
  BackendChoice backend;
  std::optional<Optimized> optimized;
  TrainingCurves training;
};

/// A program in C++ or CUDA is what the cpu or the cuda backend runs, so that is what it is
/// optimized for; where that has no compiler or no GPU to measure with, with default costs.
BackendChoice emitted_backend(const Options& options) {
  if (!options.emit.target_name.empty()) return {nullptr, {}};  // no device here is asked for
  const bool is_cuda = options.emit.kind == EmitKind::Cuda;
  const Backend* backend = find_backend(is_cuda ? "cuda" : "cpu");
  const Device device = is_cuda ? options.device : Device{};
  return {backend != nullptr && backend->available(device) ? backend : nullptr, {}};
}

/// What is emitted, and what is optimized for another device than the one that runs it.
Result<Compiled> compile_emitted(const NeuronGraph& graph, const Options& options, Stages& stages) {
  Compiled compiled;
  VECC_TRY(Vectorized vectorized, vectorize_graph(graph, options, stages));
  compiled.report = vectorized.report;
  const bool runs = options.backend != "reference" && (options.run || options.training.train);
  if (runs) {
    VECC_TRY(compiled.backend, choose_backend(vectorized.program, options));
  }
  const bool is_native = options.emit.kind == EmitKind::Cpp || options.emit.kind == EmitKind::Cuda;
  const BackendChoice target = is_native ? emitted_backend(options) : compiled.backend;
  // Only a page shows both: of a deep graph each takes hundreds of bytes a neuron.
  if (options.emit.kind == EmitKind::Html) compiled.vectorized = vectorized.program;
  VECC_TRY(compiled.optimized,
           optimize_for(std::move(vectorized.program), target, options, stages));
  return compiled;
}

Result<Compiled> compile_graph(StartedGraph& started, const Options& options, GraphCache& cache,
                               Stages& stages) {
  if (options.emit.kind) return compile_emitted(started.graph, options, stages);
  if (options.backend == "reference") return Compiled();
  VECC_TRY(FinishedProgram finished, finish_program(started, options, cache, stages));
  Compiled compiled;
  compiled.report = finished.report;
  compiled.backend = finished.backend;
  compiled.optimized = std::move(finished.optimized);
  return compiled;
}

/// A page shows what a run measured: it is written after that.
bool emits_after_run(const Options& options) {
  return options.emit.kind == EmitKind::Html && options.run;
}

Result<void> emit(const NeuronGraph& graph, const Compiled& compiled, const Options& options,
                  const nlohmann::ordered_json& sizes, std::vector<double> op_seconds = {}) {
  const Optimized& optimized = *compiled.optimized;
  if (options.emit.kind != EmitKind::Html) {
    VECC_TRY(const EmittedCode code, describe_graph(graph, optimized.program, options));
    return emit_program(optimized.program, options.emit, sizes, code);
  }
  const HtmlInput page{
      options.input,         compiled.vectorized,
      optimized.program,     optimized.report,
      std::move(op_seconds), compiled.training.charts().empty() ? nullptr : &compiled.training};
  return write_data(options.emit.path, html_page(page));
}

/// --validate=FILE: imported, given weights where it has none, and optimized in the same way.
Result<ValidationGraph> open_validation(const std::string& path, const Options& options) {
  Stages stages(/*show_progress=*/false);
  Options other = options;
  other.input = path;
  other.init = options.init.value_or(Initializer::Glorot);
  GraphCache cache(other);
  VECC_TRY(StartedGraph started, start_graph(other, cache, stages));
  initialize_graph(started.graph, other, stages);
  VECC_TRY(Compiled compiled, compile_graph(started, other, cache, stages));
  return ValidationGraph{std::move(started.graph), std::move(compiled.optimized->program)};
}

/// A training may take days: what cannot be written after it is known before. Leaves no file.
Result<void> check_outputs(const Options& options) {
  VECC_TRY_VOID(check_writable({options.gradients, options.emit.path}));
  VECC_TRY_VOID(check_file_writable(options.save_program));
  const std::uint32_t folds = options.save_weights.empty() ? 0 : options.training.folds;
  if (folds == 0) return check_file_writable(options.save_weights);
  for (std::uint32_t k = 1; k <= folds; ++k) {
    VECC_TRY_VOID(check_file_writable(path_of_fold(options.save_weights, k)));
  }
  return {};
}

/// --train: the Program gets the learned weights, and the graph those that are emitted.
Result<void> train_compiled(NeuronGraph& graph, Compiled& compiled, const Options& options,
                            Stages& stages) {
  if (!options.training.train || options.training.folds > 0) return {};
  VECC_TRY_VOID(check_outputs(options));
  const auto open = [&](const std::string& path) { return open_validation(path, options); };
  const DeferInterrupt finish_step;
  VECC_TRY(compiled.training, train_graph(graph, compiled.optimized->program, compiled.backend,
                                          options, open, stages));
  VECC_TRY_VOID(save_graph_weights(graph, options.facts, options.save_weights, stages));
  Program& program = compiled.optimized->program;
  const Loss loss = options.training.loss.value_or(choose_loss(graph, program));
  VECC_TRY_VOID(save_graph_program(graph, options, std::string(text_of(loss)), stages));
  if (options.emit.kind) {
    give_weights(graph, program);  // files have the graph's
  } else {
    move_values(graph, program);
  }
  return {};
}

Result<Execution> execute(const NeuronGraph& graph, const Compiled& compiled,
                          const Options& options, Stages& stages) {
  if (options.backend == "reference") return execute_reference(graph, options, stages);
  const Program& program = compiled.optimized->program;
  if (options.training.folds == 0) {
    return execute_program(graph, program, compiled.backend, options, stages);
  }
  VECC_TRY_VOID(check_outputs(options));
  return cross_validate(graph, program, compiled.backend, options, stages);
}

Result<void> run_graph(StartedGraph& started, const Options& options, GraphCache& cache,
                       Stages& stages) {
  VECC_TRY(Compiled compiled, compile_graph(started, options, cache, stages));
  NeuronGraph& graph = started.graph;
  VECC_TRY_VOID(train_compiled(graph, compiled, options, stages));
  const Program* program = compiled.optimized ? &compiled.optimized->program : nullptr;
  const auto sizes =
      describe_sizes(graph, started.sizes, compiled.report ? &*compiled.report : nullptr, program);
  if (options.emit.kind && !emits_after_run(options)) {
    VECC_TRY_VOID(emit(graph, compiled, options, sizes));
    if (!options.run) {
      print_report(options, stages, nullptr);
      return {};
    }
  }
  VECC_TRY(const Execution execution, execute(graph, compiled, options, stages));
  if (emits_after_run(options)) {
    VECC_TRY_VOID(emit(graph, compiled, options, sizes, execution.op_seconds));
  }
  VECC_TRY_VOID(
      print_outputs(options, graph, execution, describe_execution(execution, stages, sizes)));
  print_report(options, stages, &execution);
  return {};
}

/// What --emit=plan and --emit=cuda plan for: the target that is named; of a plan with
/// --backend=cuda else its GPU, or the default one where there is none.
Result<void> choose_emit_target(Options& options) {
  VECC_TRY_VOID(read_emit_target(options.emit));
  if (options.emit.target || options.emit.kind != EmitKind::Plan || options.backend != "cuda") {
    return {};
  }
  const auto info = cuda::describe_device(options.device.index);
  options.emit.target = info ? target_of(info->facts) : default_gpu();
  return check_capability(options.emit.target->capability, "--emit=plan",
                          escape_terminal(options.emit.target->name));
}

Result<void> run(Options options) {
  VECC_TRY_VOID(choose_emit_target(options));
  Stages stages(!options.quiet);
  GraphCache cache(options);
  VECC_TRY(StartedGraph started, start_graph(options, cache, stages));
  options.training.options.steps = cache.steps();
  NeuronGraph& graph = started.graph;
  VECC_TRY_VOID(check_saved_names(graph, options));
  VECC_TRY_VOID(load_graph_weights(graph, options, stages));
  initialize_graph(graph, options, stages);
  if (!options.training.train) {
    Result<void> saved = save_graph_weights(graph, {}, options.save_weights, stages);
    const auto& loss = options.training.loss;
    if (saved) {
      saved = save_graph_program(graph, options, loss ? std::string(text_of(*loss)) : "", stages);
    }
    if (!saved) return add_way_out(saved.error(), kInitGlorot);
  }
  VECC_TRY_VOID(bind_graph_facts(graph, options, stages));
  const Result<void> result = run_graph(started, options, cache, stages);
  if (!result) return add_way_out(result.error(), kInitGlorot);
  return {};
}

int run_words(int argc, char** argv) {
  if (const auto code = run_command(vecc_commands(), graph_command_line, argc, argv)) return *code;
  if (const auto meant = argc > 1 ? meant_command(argv[1]) : std::nullopt) {
    return report_usage("vecc", fmt::format("there is no command and no file \"{}\"; did you mean "
                                            "vecc {}?",
                                            escape_terminal(argv[1]), *meant));
  }
  Options options;
  if (const auto code = parse_options(argc, argv, options)) return *code;
  set_up_logging(options.quiet ? "off" : options.log_level);
  const Result<void> result = run(std::move(options));
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

}  // namespace

int vecc_main(int argc, char** argv) {
  return run_tool([&] { return run_words(argc, argv); });
}

}  // namespace vecc::tools
