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

// The device of a backend that binds new graphs; none: the graph is compiled as any other, for
// backends that bind none and for what is said of tables, which a bound graph has not.
std::optional<Device> binding_device(const Options& options) {
  const PlaceOptions& places = options.places;
  if (!places.wishes.empty() || places.device_bytes > 0 || options.host_memory > 0) return {};
  const bool is_auto = options.backend == "auto";
  if (options.backend == "cpu" || (is_auto && options.device.kind != Device::Kind::Cuda)) {
    return Device{Device::Kind::Cpu, 0};
  }
  if (options.precision.value_or(MatmulPrecision::Exact) != MatmulPrecision::Exact) return {};
  const Device gpu{Device::Kind::Cuda, options.device.index};
  const bool is_cuda =
      options.backend == "cuda" || (is_auto && preferred_backends(gpu).front()->name() == "cuda");
  if (!is_cuda || options.device.kind == Device::Kind::Cpu) return std::nullopt;
  return gpu;
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
                                  const Device& device, const Options& options, Stages& stages) {
  TemplateCompileOptions how;
  how.device = device;
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
  const std::uint32_t compiled = program->counts().compiled - counts.compiled;
  std::string words = std::to_string(bound.launch_count()) + " launches";
  if (interpreted > 0) words += ", " + text_of_count(interpreted, "kernel") + " interpreted";
  if (compiled > 0) words += ", " + text_of_count(compiled, "kernel") + " compiled";
  stages.describe(
      std::move(words),
      {{"launches", bound.launch_count()}, {"interpreted", interpreted}, {"compiled", compiled}});
  Execution execution;
  const bool is_cpu = device.kind == Device::Kind::Cpu;
  execution.backend = is_cpu ? "cpu" : "cuda";
  execution.reason = "a saved program";
  execution.device = is_cpu ? "cpu" : "cuda:" + std::to_string(device.index);
  execution.dtype = options.dtype;
  const auto bind_and_run = [&]() -> Result<void> {
    if (options.repeat > 1) VECC_TRY_VOID(program->bind(graph, bound));
    return program->run(bound);
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
  const std::optional<Device> device = binding_device(options);
  auto execution = device ? run_by_template(model, result.graph, *device, options, stages)
                          : run_compiled(model, result.graph, options, stages);
  if (!execution) return execution.error().in(escape_terminal(path, kLongestPath));
  result.execution = std::move(*execution);
  result.loss = model.loss();
  return result;
}

}  // namespace vecc::tools
