#include "tools/train_log/epoch_fields.h"

namespace vecc::tools {
namespace {

void add_evaluation(std::vector<EpochField>& fields, std::string_view side,
                    const std::optional<Evaluator::Evaluation>& evaluation) {
  fields.push_back({side, "loss", evaluation ? std::optional(evaluation->loss) : std::nullopt});
  for (const auto& [name, value] : fields_of(evaluation ? evaluation->metrics : Metrics())) {
    fields.push_back({side, name, value});
  }
}

}  // namespace

std::vector<EpochField> fields_of(const EpochReport& report) {
  std::vector<EpochField> fields{
      {"", "rate", report.rate}, {"", "loss", report.loss}, {"", "seconds", report.seconds}};
  add_evaluation(fields, "train", report.training);
  add_evaluation(fields, "validation", report.validation);
  return fields;
}

}  // namespace vecc::tools
