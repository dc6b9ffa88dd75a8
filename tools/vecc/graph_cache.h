// What vecc finds of a graph in the program cache, and leaves there.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "execute.h"
#include "optimize_for.h"
#include "options.h"
#include "src/program_cache/program_cache.h"
#include "tools/common/stages.h"

namespace vecc::tools {

/// Whether the optimizer finds the weights that a step touches by neurons.
[[nodiscard]] bool touches_rows(const OptimizerOptions& optimizer);

/// The cache as far as one graph and its options are concerned. It is not used where they need
/// neurons, or watch the optimizer at work; nor of a graph that is no regular file.
class GraphCache {
 public:
  /// Finds out the key: a digest of the graph file, the options that decide the Program, the
  /// device's costs, this build of vecc.
  explicit GraphCache(const Options& options);

  /// Stage `cache`, where there is an entry. Its Program is one for the backend that the options
  /// choose.
  [[nodiscard]] std::optional<CachedForward> find(Stages& stages);
  /// Keeps what was made, if that took long: stage `keep`. `sizes`: before neurons were forgotten.
  /// `tables`: as the graph's file has them, or any where CacheSettings::has_weights is not set.
  void keep(const NeuronGraph& graph, const GraphSizes& sizes, std::span<const WeightTable> tables,
            const Program& program, const VectorizeReport& report, Stages& stages);
  /// For TrainOptions::steps; null if the cache is not used.
  [[nodiscard]] std::shared_ptr<CachedSteps> steps() const { return steps_; }
  [[nodiscard]] bool is_used() const { return !key_.empty(); }
  /// After the import: a graph file that was changed since its digest was made is not the key's.
  void check_file();

 private:
  const Options& options_;
  std::unique_ptr<ProgramCache> cache_;
  std::shared_ptr<CachedSteps> steps_;
  const Backend* backend_ = nullptr;
  std::string file_state_;                     // before the digest
  std::string key_;                            // empty: not used
  std::chrono::duration<double> key_time_{0};  // the graph file read, and the device asked
};

/// A graph on its way to a Program that may be there already.
struct StartedGraph {
  NeuronGraph graph;  ///< without neurons: of the cache, or where its Program is all that is needed
  GraphSizes sizes;
  std::optional<CachedForward> cached;
  std::vector<WeightTable> tables;  ///< as in the file, where options change them and it is kept
};
/// Stage `cache`, or else `import` and `group`. Errors: those of import_graph().
[[nodiscard]] Result<StartedGraph> start_graph(const Options& options, GraphCache& cache,
                                               Stages& stages);

/// A Program for the backend that the options choose.
struct FinishedProgram {
  BackendChoice backend;
  Optimized optimized;
  VectorizeReport report;
};
/// The cache's Program with the graph's weights; or else stages `vectorize`, `optimize`, `keep`,
/// and where the options need no neurons any more, the graph has none then.
/// Errors: those of vectorize_graph(), choose_backend() and optimize_for().
[[nodiscard]] Result<FinishedProgram> finish_program(StartedGraph& started, const Options& options,
                                                     GraphCache& cache, Stages& stages);

}  // namespace vecc::tools
