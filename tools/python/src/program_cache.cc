#include "program_cache.h"

#include <utility>

#include "src/support/digest.h"

namespace vecc::python_package {
namespace {

tools::Options options_of(const GraphFile& file, const tools::Options& options) {
  tools::Options result = options;
  result.input = file.path;
  result.find_groups = file.find_groups;
  result.limits = file.limits;
  result.cache.has_weights = false;
  result.optimize.options.before_pass = nullptr;  // looks for an interrupt
  return result;
}

}  // namespace

GraphPrograms::GraphPrograms(tools::Options options)
    : options_(std::move(options)), cache_(options_) {}

std::unique_ptr<GraphPrograms> GraphPrograms::open(const GraphFile& file,
                                                   const tools::Options& options) {
  if (file_state(file.path) != file.state) return nullptr;
  std::unique_ptr<GraphPrograms> self(new GraphPrograms(options_of(file, options)));
  const bool is_same = file_state(file.path) == file.state;  // as what the key is of
  return is_same && self->cache_.is_used() ? std::move(self) : nullptr;
}

std::optional<CachedForward> GraphPrograms::find() {
  tools::Stages stages(/*show_progress=*/false);
  return cache_.find(stages);
}

void GraphPrograms::keep(const NeuronGraph& graph, const Program& program,
                         const VectorizeReport& report, tools::Stages& stages) {
  cache_.keep(graph, sizes_of(graph), graph.weight_tables, program, report, stages);
}

std::shared_ptr<CachedSteps> GraphPrograms::steps_of(const tools::TrainSettings& training) const {
  const bool reads_neurons =
      !training.fanout.members.empty() || tools::touches_rows(training.options.optimizer);
  return reads_neurons ? nullptr : cache_.steps();
}

}  // namespace vecc::python_package
