#include "sample_command.h"

#include <utility>

#include "graph_stages.h"
#include "optimize_for.h"
#include "src/weights/table_rows.h"
#include "weight_stages.h"

namespace vecc::tools {

Result<SampleRun> prepare_samples(const Options& options, std::optional<SplitChoice> split,
                                  SplitChoice (*otherwise)(const NeuronGraph&), Stages& stages) {
  VECC_TRY(NeuronGraph graph, import_graph(options, stages));
  VECC_TRY_VOID(load_graph_weights(graph, options, stages));
  const Result<void> checked = weights::check_values(graph);
  if (!checked) return add_way_out(checked.error(), "--load-weights=FILE gives them");
  const SplitChoice chosen = split.value_or(otherwise(graph));
  VECC_TRY(auto samples, choose_samples(graph, chosen));
  VECC_TRY(Vectorized vectorized, vectorize_graph(graph, options, stages));
  VECC_TRY(const BackendChoice backend, choose_backend(vectorized.program, options));
  VECC_TRY(Optimized optimized,
           optimize_for(std::move(vectorized.program), backend, options, stages));
  return SampleRun{std::move(graph), std::move(optimized.program), backend, chosen,
                   std::move(samples)};
}

}  // namespace vecc::tools
