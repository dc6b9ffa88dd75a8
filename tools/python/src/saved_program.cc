#include "saved_program.h"

#include <utility>

#include "vecc/vectorize.h"

namespace vecc::python_package {

Result<std::unique_ptr<SavedProgram>> SavedProgram::make(Template model,
                                                         const TemplateCompileOptions& options) {
  VECC_TRY(auto program, model.compile(options));
  const DType dtype = options.dtype.value_or(model.dtype());
  return std::unique_ptr<SavedProgram>(
      new SavedProgram(std::move(model), std::move(program), dtype));
}

Result<std::vector<Executable::Output>> SavedProgram::run(const std::vector<const Graph*>& graphs) {
  std::vector<const NeuronGraph*> neurons;
  for (const Graph* graph : graphs) {
    if (graph->program) {
      return Errors(ErrorCode::Usage, "graph", "was made without neurons: compile() it");
    }
    neurons.push_back(graph->graph.get());
  }
  const std::lock_guard guard(mutex_);
  VECC_TRY_VOID(program_->bind(neurons, bound_));
  VECC_TRY_VOID(program_->run(bound_));
  return program_->outputs(bound_);
}

Result<tools::Predictions> SavedProgram::predict(const Graph& graph,
                                                 std::optional<tools::SplitChoice> split,
                                                 std::optional<Loss> loss) {
  VECC_TRY(auto samples,
           tools::choose_samples(*graph.graph, split.value_or(tools::SplitChoice::All)));
  VECC_TRY(const auto outputs, run({&graph}));
  const std::lock_guard guard(mutex_);
  if (!meaning_) {
    VECC_TRY(Vectorized vectorized, vectorize(*graph.graph));
    meaning_ = std::move(vectorized.program);
  }
  std::vector<Executable::Output> chosen;
  chosen.reserve(samples.size());
  for (const std::uint32_t sample : samples) chosen.push_back(outputs[sample]);
  return tools::make_predictions(*graph.graph, *meaning_, loss ? loss : parse_loss(model_.loss()),
                                 std::move(samples), chosen);
}

TemplateProgram::Counts SavedProgram::counts() {
  const std::lock_guard guard(mutex_);
  return program_->counts();
}

}  // namespace vecc::python_package
