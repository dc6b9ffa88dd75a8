// --train and what belongs to it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/common/command_paths.h"
#include "vecc/train_loop.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vecc::tools {

struct TrainSettings {
  bool train = false;
  std::optional<Loss> loss;  ///< none: by the samples and outputs (choose_loss)
  TrainOptions options;
  Fanout fanout;  ///< without numbers: steps read all members
  LoopOptions loop;
  std::optional<double> validate_fraction;
  std::string validate_file;
  std::uint32_t folds = 0;        ///< 0: no cross-validation
  std::vector<std::string> logs;  ///< csv:FILE, jsonl:FILE, tensorboard:DIR
  /// Called after every epoch, beside the logs; may be empty.
  std::function<Result<void>(const EpochReport&)> observe;
  /// Asked after every step whether training ends there; empty: a signal ends it.
  std::function<bool()> should_stop;
};

/// The group of options that say how to train, by which --help and the checks know them.
inline constexpr const char* kTrainingGroup = "Training";

/// Adds --loss; `text` says what for. `loss` must outlive the parse.
CLI::Option* add_loss_option(CLI::App& app, std::optional<Loss>& loss, const char* text);
/// Adds the options; `settings` must outlive the parse.
void add_train_options(CLI::App& app, TrainSettings& settings);
/// Those of them that say how weights are learned: epochs, logs, loss, steps, batches.
void add_learning_options(CLI::App& app, TrainSettings& settings);
/// Some of those: epochs and logs; the optimizer and its rate; checkpoints.
void add_epoch_options(CLI::App& app, TrainSettings& settings);
void add_step_options(CLI::App& app, TrainSettings& settings);
void add_checkpoint_options(CLI::App& app, TrainSettings& settings);
/// The files that a training reads and writes.
void add_train_paths(CommandPaths& paths, const TrainSettings& settings);
/// After the parse: what does not fit together; empty if all is well.
[[nodiscard]] std::string check_learning_settings(const CLI::App& app,
                                                  const TrainSettings& settings);
/// The same of all of them. Without --train such options are refused, but for those that a Python
/// module to be emitted trains by.
[[nodiscard]] std::string check_train_settings(const CLI::App& app, const TrainSettings& settings,
                                               bool emits_module);

}  // namespace vecc::tools
