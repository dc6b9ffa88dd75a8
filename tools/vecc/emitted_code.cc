#include "emitted_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "choose_loss.h"
#include "outputs.h"
#include "src/support/log.h"
#include "vecc/loss.h"

namespace vecc::tools {
namespace {

/// None where nothing can be learned from the samples.
std::optional<PythonLoss> loss_of(const NeuronGraph& graph, const Program& program,
                                  const Options& options) {
  LossOptions loss = options.training.options.loss;
  loss.loss = options.training.loss.value_or(choose_loss(graph, program));
  loss.reduction = Reduction::Sum;  // the module divides
  auto samples = loss_samples(graph, program, {{}, Split::Train}, loss);
  if (!samples) {
    log_warning(fmt::format("the module has no loss: {}", samples.error().text()));
    return std::nullopt;
  }
  const auto counts = [](double weight) { return weight != 0; };
  if (std::ranges::none_of(samples->weights, counts)) return std::nullopt;
  return PythonLoss{loss.loss, std::move(*samples), loss.margin, output_function(program)};
}

std::vector<EmittedSample> samples_of(const NeuronGraph& graph) {
  std::vector<EmittedSample> samples;
  for (std::size_t i = 0; i < graph.samples.size(); ++i) {
    samples.push_back({text_of_sample_id(graph, i), text_of_target(graph, i)});
  }
  return samples;
}

}  // namespace

Result<EmittedCode> describe_graph(const NeuronGraph& graph, const Program& program,
                                   const Options& options) {
  EmittedCode code;
  if (options.emit.kind == EmitKind::Python) {
    VECC_TRY(code.python.weights, weights_of(graph));
    code.python.samples = samples_of(graph);
    code.python.loss = loss_of(graph, program, options);
  }
  if (options.emit.kind == EmitKind::Cpp || options.emit.kind == EmitKind::Cuda) {
    VECC_TRY(code.native.weights, weights_of(graph));
    code.native.facts = take_facts(*code.native.weights, options.facts);
    code.native.samples = samples_of(graph);
    code.native.precision = options.precision.value_or(MatmulPrecision::Exact);
    for (const WeightTable& table : graph.weight_tables) {
      if (!table.learnable) code.native.fixed.push_back(table.name);
    }
  }
  return code;
}

}  // namespace vecc::tools
