// Backends: what runs a Program. The explicit table is backends(); an absent one says which CMake
// option turns it on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vecc/batch.h"
#include "vecc/error.h"
#include "vecc/matmul_precision.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"
#include "vecc/table_place.h"
#include "vecc/target.h"

namespace vecc {

struct Device {
  enum class Kind : std::uint8_t { Auto, Cpu, Cuda };
  Kind kind = Kind::Auto;
  std::uint32_t index = 0;
};
/// Parses auto, cpu, cuda, cuda:1. Error: Usage.
[[nodiscard]] Result<Device> parse_device(std::string_view text);

/// How the torch backend adds up rows that a gather reads, segment by segment.
enum class TorchReduce : std::uint8_t {
  Auto,     ///< whichever of the others costs least
  Segment,  ///< write the gathered rows, then reduce segments of them
  Scatter,  ///< write the gathered rows, then add each to its segment's row
  SpMM,     ///< gather and add as one sparse matrix product: no gathered row is written
};
/// auto, segment, scatter, spmm.
[[nodiscard]] std::string_view text_of(TorchReduce reduce);
[[nodiscard]] std::optional<TorchReduce> parse_torch_reduce(std::string_view text);

/// What outlives the runs of executables: the rows of parameters and states. Made by a backend.
class Storage {
 public:
  virtual ~Storage() = default;
};

struct Plan;
struct PlacedTable;
/// What compile() has planned, before it takes memory for it.
struct PlannedProgram {
  const Program& program;
  const Plan& plan;
  const BatchOptions* batch = nullptr;   ///< null: it runs as a whole
  const PlaceOptions* places = nullptr;  ///< where tables were asked to be
  /// Where they will be; check_plan() may move them. Null: they cannot be moved.
  std::vector<PlacedTable>* tables = nullptr;
  /// Of a batch: BatchOptions', which check_plan() may change.
  std::uint64_t* kept_bytes = nullptr;
  /// Of compact batches on the host: what a usual one takes at most, values with the room that is
  /// made for them. Null: batches are not compact.
  const BatchBytes* compact = nullptr;
  /// Of a GPU: where tables are, on the device or the host; values and index arrays are on it.
  /// Null: it runs on the host.
  const std::vector<PlacedTable>* on_device = nullptr;
  std::string_view device = "cpu";  ///< its name
};

struct ExecutionOptions {
  Device device;
  std::uint32_t threads = 0;  ///< 0: as the machine has
  /// Keep every value until the next run, so that read() works for all of them; a backend may
  /// otherwise free what no later op reads.
  bool keep_values = false;
  /// Keep what the backward pass needs, so that differentiate() works. A Program with an `update`
  /// is then refused: its parameters change at the end of the run.
  bool gradients = false;
  TorchReduce torch_reduce = TorchReduce::Auto;  ///< other backends do not look at it
  /// Of wide products. Others than cuda, in f32, on a GPU of compute capability 8.0 or newer,
  /// refuse what is not Exact.
  MatmulPrecision precision = MatmulPrecision::Exact;
  /// How often it will run, if that is known; 0: often. The cpu backend compiles many kernels only
  /// where that takes less than to interpret them so often; the cuda backend makes a graph of many
  /// launches only where that takes less than to start them one by one.
  std::uint64_t expected_runs = 0;
  /// Of the cuda backend (device, host) and the cpu backend (host, file); others do not look at it.
  PlaceOptions places = {};
  bool torch_records = true;  ///< on CUDA the torch backend runs a recorded CUDA graph if it can
  /// Values to keep until the next run, beside the outputs.
  std::vector<ValueId> kept = {};
  /// Another executable's storage(): parameters and states of a name that is in it are those, of
  /// the same rows and shape, with the values that they have by now; others are added to it.
  /// Nothing is copied: a step of one executable (one a minibatch) is seen by all.
  std::shared_ptr<Storage> storage = nullptr;
  /// Parameters that are this executable's own all the same (targets, sample weights).
  std::vector<ParameterIndex> own_parameters = {};
  /// The Program is a step, or a forward pass, that runs batch by batch: bind_batch(),
  /// start_batch(). Only where Backend::binds_batches(); own_parameters has its weights, whose
  /// values are 0.
  std::shared_ptr<const BatchOptions> batch = nullptr;
  /// Of the cpu and cuda backends: asked once the Plan is there; its errors are compile()'s.
  std::function<Result<void>(const PlannedProgram&)> check_plan = nullptr;
};

/// Values for a parameter: rows * size.
struct ParameterValues {
  ParameterIndex parameter = 0;
  std::vector<double> values;
};

/// Runs one after another, of which the host sees nothing but one number each.
struct RunSeries {
  /// A parameter of one number: what it is set to before each run.
  struct Input {
    ParameterIndex parameter = 0;
    std::vector<double> values;  ///< by run
  };
  std::uint32_t runs = 1;
  std::vector<Input> inputs;
  std::string total;  ///< a state of one number: 0 before each run, its value after it is kept
};

/// A compiled Program on a device. Everything that does not change between runs (indices, facts,
/// offsets) was uploaded once.
class Executable {
 public:
  virtual ~Executable();
  /// Runs the forward pass; returns when the device is done. After one with an error (of numbers
  /// that it computed: RowNumber, DifferentRows) parameters and states are those from before, and
  /// there are no values until another run: outputs() and read() are errors, Usage.
  [[nodiscard]] virtual Result<void> run() = 0;
  /// A run() that may return before the device is done: what reads or changes a value waits, and
  /// has the errors.
  [[nodiscard]] virtual Result<void> start();
  /// With ExecutionOptions::batch: makes `to` this batch, or a new one if it is null (or not this
  /// executable's); what it has of memory is used again. May be called while another batch runs,
  /// and on several threads. Error: Usage (compiled without; rows that are not there, or do not
  /// rise).
  [[nodiscard]] virtual Result<void> bind_batch(const Batch& batch,
                                                std::unique_ptr<BoundBatch>& to);
  /// start() of a batch that bind_batch() of this executable made.
  [[nodiscard]] virtual Result<void> start_batch(const BoundBatch& batch);
  /// The same after set_parameter() of each of `values`; own parameters of one number may go to the
  /// device with the batch.
  [[nodiscard]] virtual Result<void> start_batch_with(std::span<const ParameterValues> values,
                                                      const BoundBatch& batch);
  /// A batch, and what is set before it.
  struct BatchStart {
    const BoundBatch* batch = nullptr;
    std::vector<ParameterValues> values;
  };
  /// start_batch_with() of each, one after another.
  [[nodiscard]] virtual Result<void> start_batches(std::span<const BatchStart> batches);
  /// So many take the host about as long as one: with BatchOptions::batches_again.
  [[nodiscard]] virtual std::uint32_t batches_at_once() const { return 1; }
  /// Whether a batch that is bound from now on may leave its members to be drawn here
  /// (Batch::draw).
  [[nodiscard]] virtual bool draws_members() const { return false; }
  /// Of those that were started.
  [[nodiscard]] virtual BatchCounts batch_counts() const { return {}; }
  /// The total of each run of a series; returns when the device is done with all. Errors: those of
  /// set_parameter(), set_state() and run(), before the first run where they can be known then.
  [[nodiscard]] virtual Result<std::vector<double>> run_series(const RunSeries& series);
  /// A run() and its seconds: on a GPU between two events around it, where the host's part counts
  /// only as far as the GPU waits for it; else on the host's clock.
  [[nodiscard]] virtual Result<double> timed_run();
  /// A run() with each op timed, the device idle before and after each: seconds by value; 0 for
  /// what does nothing by itself (a fact, a view, a gather that its reader goes through). Errors:
  /// those of run().
  [[nodiscard]] virtual Result<std::vector<double>> profile() = 0;
  /// The outputs of the last run by sample: value and shape, in double.
  struct Output {
    Shape shape;
    std::vector<double> value;
  };
  /// With BatchOptions::computes_outputs: of the last batch's samples, in their order there.
  [[nodiscard]] virtual Result<std::vector<Output>> outputs() = 0;
  /// Where copy_outputs() puts the elements: memory of the caller's.
  using OutputElements = std::variant<std::span<float>, std::span<double>>;
  /// The elements of outputs(), sample after sample in their order, each row-major: `to` is as long
  /// as all of them. Errors: those of outputs().
  [[nodiscard]] virtual Result<void> copy_outputs(OutputElements to);
  /// One value of the last run (rows * size, row-major), in double; for tests and --check.
  [[nodiscard]] virtual Result<std::vector<double>> read(ValueId value) = 0;
  /// Replaces a parameter's rows (rows * size). Error: Usage (another number of values).
  [[nodiscard]] virtual Result<void> set_parameter(ParameterIndex parameter,
                                                   std::span<const double> values) = 0;
  /// A parameter's rows as they are now, after all updates.
  [[nodiscard]] virtual Result<std::vector<double>> parameter(ParameterIndex parameter) = 0;
  /// The same of a state, by its name. Error: Usage (no such state, another number of values).
  [[nodiscard]] virtual Result<void> set_state(std::string_view name,
                                               std::span<const double> values) = 0;
  [[nodiscard]] virtual Result<std::vector<double>> state(std::string_view name) = 0;
  /// For ExecutionOptions::storage of other executables, which must be used in turn, not at once.
  [[nodiscard]] virtual std::shared_ptr<Storage> storage() const = 0;
  /// Reverse mode, from one number (a loss, a sum of outputs) back to every parameter, at the
  /// values of the last run(). `output_gradients`: the number's derivatives by the output of every
  /// sample, in sample order, each row-major, one after another. May be called again, with others;
  /// the results of the call before are then gone. Errors: Usage (another number of output
  /// gradients; compiled without `gradients`; not run since compile() or since a parameter or state
  /// was changed, by an executable of the same storage too), OutOfMemory.
  [[nodiscard]] virtual Result<void> differentiate(std::span<const double> output_gradients) = 0;
  /// differentiate() of the sum of all elements of all outputs. Errors: those of differentiate().
  [[nodiscard]] virtual Result<void> differentiate_sum();
  /// The number's derivatives by a parameter's rows (rows * size, row-major), in double, of the
  /// last differentiate(): zeros if no output reads the parameter. Error: Usage (no
  /// differentiate() since the last run()).
  [[nodiscard]] virtual Result<std::vector<double>> gradient(ParameterIndex parameter) = 0;
  /// Bytes on the device that stay between runs; what it found in a shared storage is not counted.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  /// "cpu", "cuda:0 NVIDIA H200".
  [[nodiscard]] virtual std::string device_name() const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Whether it can run here at all; errors BackendAbsent (which CMake option), DeviceAbsent.
  [[nodiscard]] virtual Result<void> available(const Device& device) const = 0;
  /// Everything in the Program that it cannot do; empty if it can do all.
  [[nodiscard]] virtual std::vector<std::string> unsupported(const Program& /*program*/) const {
    return {};
  }
  /// Whether it compiles Programs that run batch by batch (ExecutionOptions::batch).
  [[nodiscard]] virtual bool binds_batches() const { return false; }
  /// Whether it then plans by BatchOptions::typical.
  [[nodiscard]] virtual bool plans_by_typical_batch() const { return false; }
  /// The GPU whose Target its kernels are made for; none: it makes none for a GPU. Errors: those of
  /// available().
  [[nodiscard]] virtual Result<std::optional<Target>> find_gpu(const Device& /*device*/) const {
    return std::optional<Target>();
  }
  /// Errors: BackendUnsupported (also of an `update` or `vjp` with ExecutionOptions::gradients, or
  /// of a step that cannot run batch by batch with ExecutionOptions::batch), MissingValues,
  /// ShapeMismatch and Usage (a storage that does not fit), OutOfMemory, DeviceFailure.
  [[nodiscard]] virtual Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const = 0;
};

/// Every backend that runs Programs: cpu (fused kernels; needs a C++ compiler), cuda (the same on a
/// GPU; needs NVRTC), torch, interpreter (plain loops in double; no dependency; slow).
[[nodiscard]] std::span<const Backend* const> backends();
/// The order in which `auto` tries them: on a CPU that one without cuda; cuda, then torch, come
/// first if a CUDA device is asked for, or is there and the CPU is not asked for.
[[nodiscard]] std::vector<const Backend*> preferred_backends(const Device& device);
[[nodiscard]] const Backend* find_backend(std::string_view name);

/// set_parameter() of each.
[[nodiscard]] Result<void> set_parameters(Executable& executable,
                                          std::span<const ParameterValues> all);

/// The reference: a NeuronGraph evaluated neuron by neuron in double. Slow and obvious; the oracle.
struct ReferenceValues {
  std::vector<Shape> shapes;         ///< by neuron
  std::vector<std::uint64_t> begin;  ///< by neuron, into values; neuron_count + 1
  std::vector<double> values;

  /// A neuron's value, shapes[neuron].size() elements, row-major.
  [[nodiscard]] std::span<const double> value(NeuronId neuron) const {
    return std::span(values).subspan(begin[neuron], begin[neuron + 1] - begin[neuron]);
  }
};
/// Errors: ShapeMismatch, FunctionDomain, ParameterRange, FanIn, LimitShape, MissingValues, Cycle
/// with the neuron's place, up to 20 of them; OutOfMemory.
[[nodiscard]] Result<ReferenceValues> evaluate_reference(const NeuronGraph& graph);

/// Gradients of one number (a loss, a sum of outputs) by every neuron's value and every learnable
/// weight.
struct ReferenceGradients {
  std::vector<std::uint64_t> begin;  ///< by neuron, into neurons; as ReferenceValues::begin
  std::vector<double> neurons;
  std::vector<std::uint64_t> weight_begin;  ///< by weight id, into weights; weight_count + 1
  std::vector<double> weights;

  /// By a neuron's value: of its shape, row-major.
  [[nodiscard]] std::span<const double> neuron(NeuronId neuron) const {
    return std::span(neurons).subspan(begin[neuron], begin[neuron + 1] - begin[neuron]);
  }
  /// By a weight: of its table's shape, row-major; empty for a fixed weight.
  [[nodiscard]] std::span<const double> weight(WeightId weight) const {
    return std::span(weights).subspan(weight_begin[weight],
                                      weight_begin[weight + 1] - weight_begin[weight]);
  }
};
/// `values` is evaluate_reference(graph). `output_gradients`: the number's derivatives by the
/// output of every sample, in the order of samples, each row-major, one after another; two samples
/// may read one neuron. Sums run in one order: the same call gives the same bits. A neuron whose
/// gradient is zero passes nothing on. Errors: Usage (another number of output gradients),
/// OutOfMemory.
[[nodiscard]] Result<ReferenceGradients> differentiate_reference(
    const NeuronGraph& graph, const ReferenceValues& values,
    std::span<const double> output_gradients);

}  // namespace vecc
