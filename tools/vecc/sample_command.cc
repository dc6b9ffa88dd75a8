#include "sample_command.h"

#include <utility>

#include "graph_cache.h"
#include "graph_stages.h"
#include "src/weights/table_rows.h"
#include "weight_stages.h"

namespace vecc::tools {

Result<SampleRun> prepare_samples(const Options& options, std::optional<SplitChoice> split,
                                  SplitChoice (*otherwise)(const NeuronGraph&), Stages& stages) {
  GraphCache cache(options);
  VECC_TRY(StartedGraph started, start_graph(options, cache, stages));
  NeuronGraph& graph = started.graph;
  VECC_TRY_VOID(load_graph_weights(graph, options, stages));
  const Result<void> checked = weights::check_values(graph);
  if (!checked) return add_way_out(checked.error(), "--load-weights=FILE gives them");
  const SplitChoice chosen = split.value_or(otherwise(graph));
  VECC_TRY(auto samples, choose_samples(graph, chosen));
  VECC_TRY(FinishedProgram finished, finish_program(started, options, cache, stages));
  return SampleRun{std::move(graph), std::move(finished.optimized.program), finished.backend,
                   chosen, std::move(samples)};
}

}  // namespace vecc::tools
