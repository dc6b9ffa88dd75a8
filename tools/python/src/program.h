// A compiled graph as Python holds it: the optimized Program, its weights, and what runs it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "graph.h"
#include "program_cache.h"
#include "saved_program.h"
#include "tools/common/freed_memory.h"
#include "tools/vecc/choose_samples.h"
#include "tools/vecc/evaluate_samples.h"
#include "tools/vecc/execute.h"
#include "tools/vecc/optimize_for.h"
#include "tools/vecc/options.h"
#include "tools/vecc/predictions.h"
#include "tools/vecc/training.h"
#include "vecc/backend.h"
#include "vecc/program.h"
#include "vecc/train_loop.h"
#include "vecc/vectorize.h"

namespace vecc::python_package {

struct TrainedGraph {
  TrainSummary summary;
  BatchReport batches;
};

/// What a training tells while it runs; called without the interpreter's lock.
struct TrainCalls {
  std::function<Result<void>(const EpochReport&)> observe;
  std::function<bool()> should_stop;
};

/// Its functions are called without the interpreter's lock, from any thread: one at a time runs.
class CompiledGraph {
 public:
  /// `runs`: ExecutionOptions::expected_runs. `runs_later`: what runs is made when it is first
  /// asked for: a training has its own. Errors: those of vectorizing, optimizing and of the
  /// backend.
  [[nodiscard]] static Result<std::unique_ptr<CompiledGraph>> compile(const Graph& graph,
                                                                      tools::Options options,
                                                                      std::uint64_t runs,
                                                                      bool runs_later);

  /// Runs with the weights of now. Errors: the backend's.
  [[nodiscard]] Result<std::vector<Executable::Output>> run();
  /// The same with the outputs' elements in the caller's memory: Executable::copy_outputs().
  [[nodiscard]] Result<void> run_into(Executable::OutputElements to);
  /// Derivatives, by the rows of every parameter, of the number whose derivatives by the outputs
  /// are given (by sample, one after another); empty: of the sum of all outputs' elements. Errors:
  /// the backend's; Usage (another number of derivatives).
  [[nodiscard]] Result<std::vector<std::vector<double>>> gradients(std::vector<double> of_outputs);
  /// Seconds of each of `runs` runs, until the device is done; with `gradients` also of the
  /// derivatives of the sum of all outputs' elements. Nothing is copied to the host. Errors: the
  /// backend's.
  [[nodiscard]] Result<std::vector<double>> time_runs(std::uint32_t runs, bool gradients);

  /// Trains from the weights of now, on which it leaves what it learned, also where it was stopped.
  /// `options`: those of compile() with the training's. Errors: those of vecc --train; the weights
  /// are then as they were.
  [[nodiscard]] Result<TrainedGraph> train(tools::Options options, const TrainCalls& calls);

  /// Loss and metrics of samples with the weights of now. `split`: none for tools::tested_split();
  /// `loss`: none for that of choose_loss(). Errors: those of choose_samples() and
  /// evaluate_samples().
  /// `batch_size` samples at a time, if not 0, in the memory of as many: Usage where another
  /// backend than cpu runs.
  [[nodiscard]] Result<tools::SampleEvaluation> evaluate(std::optional<tools::SplitChoice> split,
                                                         std::optional<Loss> loss,
                                                         std::uint32_t batch_size = 0);
  /// What samples are predicted as; `split`: none for all. Errors: those of choose_samples(), the
  /// backend's.
  [[nodiscard]] Result<tools::Predictions> predict(std::optional<tools::SplitChoice> split,
                                                   std::optional<Loss> loss);

  /// What new graphs are bound to, with the weights of now. Errors: those of Template::of();
  /// BackendUnsupported (another backend than cpu, facts as inputs, a Program without neurons).
  [[nodiscard]] Result<std::shared_ptr<SavedProgram>> saved();

  /// Errors: those of set_tables(), load_graph_weights(), save_graph_weights().
  [[nodiscard]] Result<void> set_weights(const std::vector<NamedArray>& arrays);
  [[nodiscard]] Result<void> load_weights(const std::string& path, LoadMode mode);
  [[nodiscard]] Result<void> save_weights(const std::string& path);

  /// As --emit: `options` are those of compile() with the emission's. Errors: those of
  /// emit_program().
  [[nodiscard]] Result<void> emit(const tools::Options& options);
  [[nodiscard]] std::string picture();
  [[nodiscard]] std::string text();

  // What does not change, or is read under lock().
  [[nodiscard]] std::unique_lock<std::recursive_mutex> lock() { return std::unique_lock(mutex_); }
  [[nodiscard]] const std::vector<WeightTable>& tables() const { return own_.weight_tables; }
  [[nodiscard]] const NeuronGraph& graph() const { return *graph_; }
  [[nodiscard]] const Program& program() const { return optimized_.program; }
  /// Of every sample's output, if they have one shape (and there are samples).
  [[nodiscard]] std::optional<Shape> output_shape() const { return output_shape_; }
  /// What a training runs: program(), and updates of statistics.
  [[nodiscard]] const Program& trained_program() const {
    return updating_ ? *updating_ : program();
  }
  /// Whether the Program is the cache's.
  [[nodiscard]] bool is_cached() const { return is_cached_; }
  [[nodiscard]] std::string_view backend() const { return choice_.backend->name(); }
  /// Errors: the backend's.
  [[nodiscard]] Result<std::string> device();

 private:
  CompiledGraph(const Graph& graph, tools::Options options, std::uint64_t runs);
  [[nodiscard]] Result<void> prepare(bool runs_later);
  /// If there is none yet.
  [[nodiscard]] Result<void> make_executable();
  /// Sets the optimized Program: the cache's, or one that is made and kept.
  [[nodiscard]] Result<void> make_program();
  [[nodiscard]] Result<void> take_cached(CachedForward found);
  [[nodiscard]] ExecutionOptions execution_options() const;
  void split_updates();
  /// What a page says of passes, which the cache has not.
  [[nodiscard]] Result<void> make_report();
  /// The graph that --validate=FILE names, as a Program of the same options.
  [[nodiscard]] Result<tools::ValidationGraph> open_validation(const tools::Options& options) const;
  /// Whether the backend runs so many samples at a time: Usage.
  [[nodiscard]] Result<void> check_batches(std::uint32_t batch_size) const;
  /// Gives the executable, if there is one, the values of own_'s tables: of those named, or of all.
  [[nodiscard]] Result<void> push_weights(const std::set<std::string_view>* only = nullptr);

  /// Runs with the weights of now, then the derivatives as gradients() has them.
  [[nodiscard]] Result<void> run_with_gradients(const std::vector<double>& of_outputs);
  /// Gives the Program those that it does not have yet: training and emission read them.
  void renew_program();

  std::string path_;
  std::shared_ptr<const NeuronGraph> graph_;
  std::shared_ptr<const Program> given_;  ///< the Program of a graph without neurons, or null
  bool reads_lists_;                      ///< Graph::reads_lists
  std::shared_ptr<const GraphFile> file_;
  std::shared_ptr<std::mutex> graph_mutex_;
  tools::Options options_;
  std::uint64_t runs_;
  /// Weights, which are this program's own: what training, weight files and emission read and
  /// change of a graph. Samples, which no training changes, when something was emitted.
  NeuronGraph own_;
  bool is_cached_ = false;
  std::optional<Vectorized> vectorized_;  ///< none of a cached one, before make_report()
  VectorizeReport report_;
  tools::Optimized optimized_;       ///< without updates
  std::optional<Program> updating_;  ///< the same with its updates, where it has such: for training
  std::optional<Shape> output_shape_;
  std::set<ParameterIndex> stale_;  ///< of the Program's values
  tools::BackendChoice choice_;
  std::unique_ptr<GraphPrograms> cache_;    ///< null: not used
  std::unique_ptr<Executable> executable_;  ///< null: nothing ran yet
  /// From a compilation of what runs later to the training or the first run behind it, which take
  /// the same memory again.
  std::unique_ptr<tools::FreedMemoryScope> kept_memory_;
  std::atomic<bool> is_made_ = false;           ///< it is, and stays
  std::unique_ptr<Executable> with_gradients_;  ///< of the same storage; made when first asked for
  std::optional<Template> template_;            ///< of the graph, with the weights of then
  std::shared_ptr<SavedProgram> saved_;         ///< null: weights changed
  std::recursive_mutex mutex_;  ///< recursive: a training's observer may run its program
};

/// Compiles with the options of the command line; the others as CompiledGraph::compile() has them.
[[nodiscard]] std::unique_ptr<CompiledGraph> compile_graph(const Graph& graph, Words words,
                                                           std::uint64_t runs, bool runs_later);

/// What the words of an option name, or vecc.Error.
[[nodiscard]] std::optional<tools::SplitChoice> split_of(const std::optional<std::string>& text);
[[nodiscard]] std::optional<Loss> loss_of(const std::optional<std::string>& text);
/// sample_ids; classes (names) and predicted (a number a sample, -1: none) where there are classes;
/// values: of each sample.
[[nodiscard]] nb::dict predictions_dict(const tools::Predictions& found, const NeuronGraph& graph);

void bind_program(nb::module_& module);

}  // namespace vecc::python_package
