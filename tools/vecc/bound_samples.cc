#include "bound_samples.h"

#include <utility>

#include "graph_stages.h"
#include "optimize_for.h"
#include "run_repeatedly.h"
#include "src/support/quantity_text.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::size_t kLongestPath = 4096;

bool binds(const Options& options) {
  return options.backend == "cpu" ||
         (options.backend == "auto" && options.device.kind != Device::Kind::Cuda);
}

Result<Execution> run_compiled(const Template& model, NeuronGraph& graph, const Options& options,
                               Stages& stages) {
  VECC_TRY_VOID(model.give_weights(graph));
  VECC_TRY(Vectorized vectorized, vectorize_graph(graph, options, stages));
  VECC_TRY(const BackendChoice backend, choose_backend(vectorized.program, options));
  VECC_TRY(const Optimized optimized,
           optimize_for(std::move(vectorized.program), backend, options, stages));
  return execute_program(graph, optimized.program, backend, options, stages);
}

Result<Execution> run_by_template(const Template& model, const NeuronGraph& graph,
                                  const Options& options, Stages& stages) {
  TemplateCompileOptions how;
  how.threads = options.threads;
  how.dtype = options.dtype;
  VECC_TRY(const auto program,
           stages.run("compile", [&](ProgressLine&) { return model.compile(how); }));
  const auto counts = program->counts();
  stages.describe(text_of_count(counts.kernels, "kernel") + ", " + std::to_string(counts.compiled) +
                      " compiled",
                  {{"kernels", counts.kernels}, {"compiled", counts.compiled}});
  BoundGraph bound;
  VECC_TRY_VOID(stages.run("bind", [&](ProgressLine&) { return program->bind(graph, bound); }));
  const std::uint32_t interpreted = program->counts().interpreted;
  std::string words = std::to_string(bound.launch_count()) + " launches";
  if (interpreted > 0) words += ", " + text_of_count(interpreted, "kernel") + " interpreted";
  stages.describe(std::move(words),
                  {{"launches", bound.launch_count()}, {"interpreted", interpreted}});
  Execution execution;
  execution.backend = "cpu";
  execution.reason = "a saved program";
  execution.device = "cpu";
  execution.dtype = options.dtype;
  const auto bind_and_run = [&]() -> Result<void> {
    if (options.repeat > 1) VECC_TRY_VOID(program->bind(graph, bound));
    program->run(bound);
    return {};
  };
  VECC_TRY(execution.run_seconds, stages.run("run", [&](ProgressLine& line) {
    return run_repeatedly(options.repeat, line, bind_and_run);
  }));
  execution.outputs = program->outputs(bound);
  stages.describe(text_of_count(execution.outputs.size(), "output"),
                  {{"outputs", execution.outputs.size()}, {"runs", options.repeat}});
  return execution;
}

}  // namespace

Result<BoundSamples> run_bound(Options options, const std::string& path, std::optional<DType> dtype,
                               Stages& stages) {
  VECC_TRY(const Template model, stages.run("load", [&](ProgressLine&) {
    return Template::read(options.input, {options.limits.max_input_bytes});
  }));
  stages.describe(text_of_count(model.weights().weight_tables.size(), "weight table") + " of " +
                      escape_terminal(options.input, kLongestPath),
                  {{"tables", model.weights().weight_tables.size()}});
  options.dtype = dtype.value_or(model.dtype());
  options.input = path;
  BoundSamples result;
  VECC_TRY(result.graph, import_graph(options, stages));
  auto execution = binds(options) ? run_by_template(model, result.graph, options, stages)
                                  : run_compiled(model, result.graph, options, stages);
  if (!execution) return execution.error().in(escape_terminal(path, kLongestPath));
  result.execution = std::move(*execution);
  result.loss = model.loss();
  return result;
}

}  // namespace vecc::tools
