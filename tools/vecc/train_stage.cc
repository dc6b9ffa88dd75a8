#include "train_stage.h"

#include <optional>
#include <string>

#include "start_values.h"
#include "tools/common/freed_memory.h"
#include "train_samples.h"

namespace vecc::tools {

Result<TrainingCurves> train_graph(NeuronGraph& graph, Program& program,
                                   const BackendChoice& choice, const Options& options,
                                   const OpenValidation& open_validation, Stages& stages) {
  const TrainSettings& settings = options.training;
  const TrainOptions train_options = complete_options(graph, program, options);
  SampleSplit split = marked_split(graph);
  if (settings.validate_fraction) {
    VECC_TRY(split, fraction_split(graph, *settings.validate_fraction, train_options.seed));
  }
  std::optional<ValidationGraph> validation;
  if (!settings.validate_file.empty()) {
    VECC_TRY(validation, open_validation(settings.validate_file));
  }
  (void)take_values(graph);  // the Program has them
  Training training(graph, program, choice, options, train_options);
  training.expect_to_forget();
  VECC_TRY_VOID(stages.run("prepare", [&](ProgressLine&) {
    const Result<void> done = training.prepare(split, validation ? &*validation : nullptr);
    forget_values(graph, program);  // the training's storage has them
    training.forget_sampled_values();
    if (validation) forget_values(validation->graph, validation->program);
    return_freed_memory();
    return done;
  }));
  const bool is_found = train_options.steps != nullptr && train_options.steps->found() > 0;
  std::string words = "steps and evaluation on " + std::string(choice.backend->name());
  if (is_found) words += "; the step of the program cache";
  nlohmann::ordered_json numbers{{"step_found", is_found}};
  training.memory().describe(words, numbers);
  stages.describe(std::move(words), std::move(numbers));
  VECC_TRY_VOID(
      stages.run("train", [&](ProgressLine& line) { return training.run(line, settings.logs); }));
  training.describe(stages);
  VECC_TRY_VOID(training.trainer().copy_weights_to(graph));
  return training.take_curves();
}

}  // namespace vecc::tools
