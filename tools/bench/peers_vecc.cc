#include "peers_vecc.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>

#include "backends/native/gradient_program.h"
#include "measure.h"
#include "peers_compare.h"
#include "timed_runs.h"
#include "tools/common/data_sink.h"
#include "tools/common/device_cost.h"
#include "tools/common/statistics.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::tools {
namespace {

using PeersClock = std::chrono::steady_clock;

// As peer_runs.py's measure(): `repeat` runs after `warmup`; fewer where they would take longer
// than the limit, but one and three. `timed` runs once and says how long it took.
template <class Timed>
Result<nlohmann::ordered_json> measure_runs(const PeersVeccRun& run, Timed&& timed) {
  TimedRuns series;
  const auto repeat = [&](std::uint32_t times, std::uint32_t least, double limit) -> Result<void> {
    const auto begin = PeersClock::now();
    for (std::uint32_t i = 0; i < times && (i < least || seconds_since(begin) <= limit); ++i) {
      VECC_TRY(series.seconds.emplace_back(), timed());
    }
    return {};
  };
  VECC_TRY_VOID(repeat(run.warmup, 1, run.limit / 4));
  series.warmup = static_cast<std::uint32_t>(series.seconds.size());
  VECC_TRY_VOID(repeat(run.repeat, 3, run.limit));
  return nlohmann::ordered_json{{"warmup", series.warmup}, {"seconds", series.seconds}};
}

// On the host's clock.
template <class Step>
Result<nlohmann::ordered_json> measure_steps(const PeersVeccRun& run, Step&& step) {
  return measure_runs(run, [&]() -> Result<double> {
    const auto start = PeersClock::now();
    VECC_TRY_VOID(step());
    return seconds_since(start);
  });
}

// What there is so far: the last line counts.
Result<void> show(const nlohmann::ordered_json& row) {
  return write_data("", dump_json(row, -1) + "\n");
}

// Everything of one backend on one graph.
struct VeccPeer {
  const PeersVeccRun& run;
  NeuronGraph graph;
  const Backend& backend;
  ExecutionOptions execution;
  OptimizeOptions optimize_options;
  std::optional<Program> program;
  std::vector<std::optional<ValueId>> gradients;  // by parameter, of compile_both()

  Result<std::unique_ptr<Executable>> compile_forward() {
    return backend.compile(*program, execution);
  }
  // Forward, and backward of the sum of all outputs, in one run, as a training has them.
  Result<std::unique_ptr<Executable>> compile_both() {
    VECC_TRY(const native::GradientProgram both, native::make_gradient_program(*program));
    gradients = both.gradients;
    ExecutionOptions options = execution;
    for (const auto& gradient : both.gradients) {
      if (gradient) options.kept.push_back(*gradient);
    }
    VECC_TRY(auto executable, backend.compile(both.program, options));
    for (const ParameterIndex seed : both.seeds) {
      const Parameter& parameter = both.program.parameters()[seed];
      const std::vector<double> ones(parameter.rows * parameter.shape.size(), 1.0);
      VECC_TRY_VOID(executable->set_parameter(seed, ones));
    }
    return executable;
  }
  Result<std::unique_ptr<Executable>> set_up() {
    VECC_TRY(Vectorized vectorized, vectorize(graph));
    VECC_TRY(program, optimize(std::move(vectorized.program), optimize_options));
    VECC_TRY(auto executable, run.forward_only ? compile_forward() : compile_both());
    VECC_TRY_VOID(executable->run());
    return executable;
  }
  // On both clocks; a CPU has only one.
  Result<void> time_runs(Executable& executable, const std::string& name,
                         nlohmann::ordered_json& row) const {
    VECC_TRY(row[name], measure_steps(run, [&] { return executable.run(); }));
    if (run.device.kind == Device::Kind::Cpu) return show(row);
    VECC_TRY(row[name + "_device"], measure_runs(run, [&] { return executable.timed_run(); }));
    return show(row);
  }
  // Of the executable that set_up() made; fills the row.
  Result<void> compare(Executable& executable, nlohmann::ordered_json& row) const {
    if (!run.outputs.empty()) {
      VECC_TRY(const auto outputs, executable.outputs());
      VECC_TRY(row["difference"], output_difference(outputs, run.outputs));
      row["tolerance"] = kOutputTolerance * rounding_of(run.precision);
    }
    if (run.gradients.empty() || run.forward_only) return {};
    TableGradients found;
    for (ParameterIndex p = 0; p < gradients.size(); ++p) {
      if (!gradients[p]) continue;
      VECC_TRY(found[program->parameters()[p].name], executable.read(*gradients[p]));
    }
    VECC_TRY(row["gradient_difference"], gradient_difference(found, run.gradients));
    row["gradient_tolerance"] = kGradientTolerance * rounding_of(run.precision);
    return {};
  }
  // Of the process, or what the backend holds on the GPU; 0: it does not know.
  Result<std::uint64_t> peak_bytes(const Executable& executable) const {
    if (run.device.kind == Device::Kind::Cpu) return status_bytes("VmHWM");
    return run.backend == "torch" ? 0 : executable.bytes();
  }
};

// A graph without targets (a knowledge graph's) learns zeros.
void add_zero_targets(NeuronGraph& graph, const std::vector<Executable::Output>& outputs) {
  const auto has_target = [](const Sample& sample) { return sample.has_target; };
  if (std::ranges::any_of(graph.samples, has_target)) return;
  for (std::size_t i = 0; i < graph.samples.size(); ++i) {
    Sample& sample = graph.samples[i];
    sample.has_target = true;
    sample.target_shape = outputs[i].shape;
    sample.target_begin = graph.target_values.size();
    graph.target_values.resize(graph.target_values.size() + outputs[i].value.size());
  }
}

Result<void> time_training(VeccPeer& peer, nlohmann::ordered_json& row) {
  TrainOptions options;
  options.loss.loss = parse_loss(peer.run.loss).value_or(Loss::SquaredDiff);
  options.schedule.base = peer.run.rate;
  options.optimize = peer.optimize_options;
  std::vector<std::uint32_t> samples(peer.graph.samples.size());
  std::iota(samples.begin(), samples.end(), 0u);
  const auto time_epochs = [&](const char* name, std::uint32_t batch,
                               bool shuffle) -> Result<void> {
    options.batch_size = batch;
    options.shuffle = shuffle;
    VECC_TRY(const auto trainer, make_trainer(peer.graph, *peer.program, peer.backend,
                                              peer.execution, options, samples));
    std::vector<double> losses;
    VECC_TRY(row[name], measure_steps(peer.run, [&]() -> Result<void> {
               for (std::uint64_t b = 0; b < trainer->batch_count(); ++b) {
                 VECC_TRY_VOID(trainer->step());
               }
               VECC_TRY(losses.emplace_back(), trainer->epoch_loss());
               return {};
             }));
    if (batch == 0) row["first_loss"] = losses.front();
    return show(row);
  };
  VECC_TRY_VOID(time_epochs("epoch", 0, false));
  if (!peer.run.mini_batches) return {};
  VECC_TRY_VOID(time_epochs("batch_32", 32, true));
  return time_epochs("batch_1", 1, false);
}

Result<void> time_passes(VeccPeer& peer, std::unique_ptr<Executable> executable,
                         nlohmann::ordered_json& row) {
  VECC_TRY(const auto outputs, executable->outputs());
  if (!peer.run.forward_only) VECC_TRY_VOID(peer.time_runs(*executable, "both", row));
  VECC_TRY(row["peak_bytes"], peer.peak_bytes(*executable));
  if (!peer.run.forward_only) {
    executable.reset();  // its memory
    VECC_TRY(executable, peer.compile_forward());
  }
  VECC_TRY_VOID(peer.time_runs(*executable, "forward", row));
  add_zero_targets(peer.graph, outputs);
  return {};
}

bool differs(const nlohmann::ordered_json& row) {
  return row.value("difference", 0.0) > row.value("tolerance", INFINITY) ||
         row.value("gradient_difference", 0.0) > row.value("gradient_tolerance", INFINITY);
}

}  // namespace

Result<nlohmann::ordered_json> time_vecc(const PeersVeccRun& run) {
  ExecutionOptions execution;
  execution.device = run.device;
  execution.threads = run.threads;
  execution.torch_records = !run.eager;
  execution.precision = run.precision;
  const Backend* backend = find_backend(run.backend);
  if (backend == nullptr) return Errors(ErrorCode::Usage, "--backend", "no " + run.backend);
  if (const auto there = backend->available(execution.device); !there) {
    return nlohmann::ordered_json{{"absent", there.error().text()}, {"remedy", ""}};
  }
  VECC_TRY(NeuronGraph graph, read_graph(run.graph));
  VECC_TRY(const DeviceCost cost, find_device_cost(*backend, execution));
  VeccPeer peer{run, std::move(graph), *backend, execution, {}, {}, {}};
  peer.optimize_options.cost = cost.coefficients;
  peer.optimize_options.level = run.level;
  nlohmann::ordered_json row{{"version", "vecc " VECC_VERSION},
                             {"device", cost.device},
                             {"neurons", peer.graph.neuron_count()},
                             {"samples", peer.graph.samples.size()}};
  VECC_TRY(row["loaded_bytes"], status_bytes("VmRSS"));
  const auto start = PeersClock::now();
  VECC_TRY(auto executable, peer.set_up());
  row["set_up"] = seconds_since(start);
  if (run.set_up_only) return row;
  VECC_TRY_VOID(peer.compare(*executable, row));
  if (differs(row)) return row;
  VECC_TRY_VOID(time_passes(peer, std::move(executable), row));
  if (!run.forward_only) VECC_TRY_VOID(time_training(peer, row));
  return row;
}

}  // namespace vecc::tools
