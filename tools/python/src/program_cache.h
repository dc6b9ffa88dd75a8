// The program cache as compile() uses it.
#pragma once

#include <memory>
#include <optional>

#include "graph.h"
#include "tools/vecc/graph_cache.h"
#include "tools/vecc/options.h"

namespace vecc::python_package {

/// What the cache has of a graph that was read from a file, and of compile()'s options.
class GraphPrograms {
 public:
  /// Null where it is not used: options say so, the file is not what was read, or the cache's own
  /// reasons (tools::GraphCache).
  [[nodiscard]] static std::unique_ptr<GraphPrograms> open(const GraphFile& file,
                                                           const tools::Options& options);

  /// Parameters of its Program have no values. None where there is no entry.
  [[nodiscard]] std::optional<CachedForward> find();
  /// Keeps what was made in the stages, if that took long. Weights have no part in it.
  void keep(const NeuronGraph& graph, const Program& program, const VectorizeReport& report,
            tools::Stages& stages);
  /// For TrainOptions::steps; null for steps that read neurons.
  [[nodiscard]] std::shared_ptr<CachedSteps> steps_of(const tools::TrainSettings& training) const;

 private:
  explicit GraphPrograms(tools::Options options);

  tools::Options options_;  // which the cache refers to
  tools::GraphCache cache_;
};

}  // namespace vecc::python_package
