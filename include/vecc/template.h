// Templates: what graphs of one kind share, compiled once; any graph of it is then bound and run
// without a compiler and without a plan (docs/bind.md).
//
//   const Template model = *Template::of(train_graph, options);     // or Template::read("m.vecc")
//   auto program = *model.compile({});
//   BoundGraph bound;
//   if (auto done = program->bind(molecule, bound); !done) ...
//   program->run(bound);
//   for (const Executable::Output& output : program->outputs(bound)) ...
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vecc/backend.h"
#include "vecc/error.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"
#include "vecc/weights.h"

namespace vecc {

namespace binding {
struct TemplateData;
struct RowLaunches;
}  // namespace binding

struct TemplateOptions {
  DType dtype = DType::F32;
  /// The loss that the weights were trained by, as --loss has it: what outputs mean; empty:
  /// unknown.
  std::string loss;
};

struct TemplateCompileOptions {
  /// Cuda: by the cuda backend, on that GPU; else by the cpu backend.
  Device device{Device::Kind::Cpu, 0};
  std::uint32_t threads = 0;  ///< of the CPU; 0: as many as there are cores
  /// The numbers' type; none: the template's.
  std::optional<DType> dtype;
  /// Kernels are interpreted, on the CPU: several times slower, but nothing is compiled, ever.
  bool interprets = false;
};

class TemplateProgram;

/// Groups with their functions and shapes, weights, vocabularies; no neurons. Immutable; copies
/// share it.
class Template {
 public:
  /// Of a graph whose weights have values. Errors: those of vectorize(); MissingValues.
  [[nodiscard]] static Result<Template> of(const NeuronGraph& graph,
                                           const TemplateOptions& options = {});
  /// A saved program. Errors, with `path` as place: those of read_weights(); BadWeightFile,
  /// UnknownSchema (another version), WrongChecksum (another digest than it states).
  [[nodiscard]] static Result<Template> read(const std::string& path,
                                             const WeightLimits& limits = {});
  /// The same from memory; `name` stands for the path.
  [[nodiscard]] static Result<Template> read_bytes(std::string_view bytes, std::string_view name);
  /// Whether a file begins as saved programs do; false also where it cannot be read.
  [[nodiscard]] static bool looks_like_one(const std::string& path);
  /// As a weight file that appears whole or not at all. Errors: those of write_weights().
  [[nodiscard]] Result<void> write(const std::string& path) const;

  [[nodiscard]] DType dtype() const;
  [[nodiscard]] const std::string& loss() const;
  /// Its weight tables with values, and its vocabularies; no neurons.
  [[nodiscard]] const NeuronGraph& weights() const;

  /// The same with other values for all of its weight tables. Error: WeightsDiffer (a table that is
  /// not there, or has another number of values).
  [[nodiscard]] Result<Template> with_weights(std::span<const WeightTable> tables) const;

  /// Whether a graph is of the template: its groups, functions, shapes, weight tables and
  /// vocabularies. Gives its learnable weights the template's values, for backends that compile a
  /// graph as any other. Errors: those of TemplateProgram::bind().
  [[nodiscard]] Result<void> give_weights(NeuronGraph& graph) const;

  /// Kernels are compiled, or found in the code cache. Errors: CompilerFailed; of a GPU
  /// CompilerAbsent, too (on the CPU they are interpreted where there is no compiler),
  /// DeviceAbsent, DeviceFailure, OutOfMemory, BackendUnsupported (rows that threads have no memory
  /// for).
  [[nodiscard]] Result<std::unique_ptr<TemplateProgram>> compile(
      const TemplateCompileOptions& options = {}) const;

 private:
  explicit Template(std::shared_ptr<const binding::TemplateData> data) : data_(std::move(data)) {}
  std::shared_ptr<const binding::TemplateData> data_;
};

/// Graphs that were bound, with the memory of their values. Bind another to it: it keeps its
/// memory.
class BoundGraph {
 public:
  BoundGraph();
  BoundGraph(BoundGraph&&) noexcept;
  BoundGraph& operator=(BoundGraph&&) noexcept;
  ~BoundGraph();

  /// Samples of all its graphs.
  [[nodiscard]] std::uint64_t sample_count() const;
  /// Kernel runs of one run().
  [[nodiscard]] std::uint64_t launch_count() const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  friend class TemplateProgram;
  std::unique_ptr<binding::RowLaunches> launches_;
};

/// A template's code. One thread at a time may use it; several programs share code.
class TemplateProgram {
 public:
  virtual ~TemplateProgram() = default;

  /// Makes `to` these graphs, which run at once: time linear in their neurons and edges. No
  /// compiler runs and nothing is planned. But of a neuron whose number of inputs no neuron of the
  /// template had, where the kernel depends on it, the kernel is interpreted on the CPU; a GPU's is
  /// compiled when the first such neuron is met, and kept. Errors: of a GPU those of compile();
  /// InconsistentGroup (a group, or a function or shape of it, that the template does not have),
  /// WeightsDiffer (weight tables, vocabularies), those of vectorize() of a neuron, LimitRows,
  /// OutOfMemory; `to` is then not to be run.
  [[nodiscard]] virtual Result<void> bind(std::span<const NeuronGraph* const> graphs,
                                          BoundGraph& to) = 0;
  [[nodiscard]] Result<void> bind(const NeuronGraph& graph, BoundGraph& to);
  /// Computes the outputs of what was bound by this program.
  /// Errors: a device's (DeviceFailure, OutOfMemory).
  [[nodiscard]] virtual Result<void> run(BoundGraph& bound) = 0;
  /// Of the last run, by sample, graph after graph.
  [[nodiscard]] virtual std::vector<Executable::Output> outputs(const BoundGraph& bound) const = 0;
  /// A sample's output, row-major, appended to `values`; its shape.
  virtual Shape read_output(const BoundGraph& bound, std::uint64_t sample,
                            std::vector<double>& values) const = 0;

  struct Counts {
    std::uint32_t kernels = 0;      ///< of the template, and those that bind() met first
    std::uint32_t compiled = 0;     ///< for this program; a GPU's: those that bind() met, too
    std::uint32_t interpreted = 0;  ///< those that bind() met, and all without a compiler
  };
  [[nodiscard]] virtual Counts counts() const = 0;

 protected:
  [[nodiscard]] static binding::RowLaunches& launches_of(BoundGraph& bound) {
    return *bound.launches_;
  }
  [[nodiscard]] static const binding::RowLaunches& launches_of(const BoundGraph& bound) {
    return *bound.launches_;
  }
};

}  // namespace vecc
