#include "module_options.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "outputs.h"
#include "train_samples.h"
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
    spdlog::warn("the module has no loss: {}", samples.error().text());
    return std::nullopt;
  }
  const auto counts = [](double weight) { return weight != 0; };
  if (std::ranges::none_of(samples->weights, counts)) return std::nullopt;
  return PythonLoss{loss.loss, std::move(*samples), loss.margin};
}

}  // namespace

Result<PythonOptions> module_options(const NeuronGraph& graph, const Program& program,
                                     const Options& options) {
  PythonOptions module;
  VECC_TRY(module.weights, weights_of(graph));
  for (std::size_t i = 0; i < graph.samples.size(); ++i) {
    module.samples.push_back({text_of_sample_id(graph, i), text_of_target(graph, i)});
  }
  module.loss = loss_of(graph, program, options);
  return module;
}

}  // namespace vecc::tools
