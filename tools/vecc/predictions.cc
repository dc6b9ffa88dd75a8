#include "predictions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "choose_loss.h"
#include "vecc/metrics.h"

namespace vecc::tools {
namespace {

enum class Meaning : std::uint8_t { Numbers, Probabilities, Logits };

bool is_probability(OutputFunction function) {
  return function == OutputFunction::Sigmoid || function == OutputFunction::Softmax ||
         function == OutputFunction::Sparsemax;
}

bool has_classes(Loss loss) {
  return loss == Loss::CrossEntropy || loss == Loss::SoftEntropy ||
         loss == Loss::BinaryCrossEntropy;
}

Meaning meaning_of(const NeuronGraph& graph, const Program& program, std::optional<Loss> loss) {
  const TargetKind kind = target_kind(graph);
  if (!loss && kind != TargetKind::None) loss = choose_loss(graph, program);
  if (loss && outputs_are_logits(program, *loss)) return Meaning::Logits;
  const bool classes = (loss && has_classes(*loss)) || kind == TargetKind::Classes ||
                       kind == TargetKind::Labels || (!loss && kind == TargetKind::None);
  return classes && is_probability(output_function(program)) ? Meaning::Probabilities
                                                             : Meaning::Numbers;
}

double sigmoid_of(double logit) {
  return logit >= 0 ? 1 / (1 + std::exp(-logit)) : std::exp(logit) / (1 + std::exp(logit));
}

std::vector<double> probabilities_of(std::vector<double> output, Meaning meaning, bool by_class) {
  const bool is_scalar = output.size() == 1;
  if (meaning == Meaning::Logits && !is_scalar && !by_class) return softmax_of(output);
  if (meaning == Meaning::Logits) std::ranges::transform(output, output.begin(), sigmoid_of);
  return is_scalar ? std::vector<double>{1 - output[0], output[0]} : output;
}

// Class 1 of two is above 0.5, as metrics count it.
std::optional<std::uint32_t> most_probable(std::span<const double> probabilities) {
  if (std::ranges::any_of(probabilities, [](double p) { return std::isnan(p); })) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(std::ranges::max_element(probabilities) -
                                    probabilities.begin());
}

}  // namespace

std::string class_name(const NeuronGraph& graph, std::uint32_t number) {
  const StringColumn* const names = graph.classes();
  return names != nullptr && number < names->size() ? std::string((*names)[number])
                                                    : std::to_string(number);
}

Predictions make_predictions(const NeuronGraph& graph, const Program& program,
                             std::optional<Loss> loss, std::vector<std::uint32_t> samples,
                             std::span<const Executable::Output> outputs) {
  const Meaning meaning = meaning_of(graph, program, loss);
  const bool by_class = loss.value_or(choose_loss(graph, program)) == Loss::BinaryCrossEntropy;
  Predictions result;
  result.samples = std::move(samples);
  std::size_t classes = 0;
  for (const Executable::Output& output : outputs) {
    if (meaning == Meaning::Numbers) {
      result.values.push_back(output.value);
      continue;
    }
    result.values.push_back(probabilities_of(output.value, meaning, by_class));
    result.predicted.push_back(most_probable(result.values.back()));
    classes = std::max(classes, result.values.back().size());
  }
  for (std::uint32_t k = 0; k < classes; ++k) result.classes.push_back(class_name(graph, k));
  return result;
}

}  // namespace vecc::tools
