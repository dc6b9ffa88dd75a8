#include "train_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "src/support/enum_names.h"
#include "tools/common/number_options.h"
#include "tools/train_log/train_log.h"

namespace vecc::tools {
namespace {

constexpr const char* kGroup = kTrainingGroup;
constexpr WholeRange kEpochs{1, 1'000'000'000};

template <class Value, class Parse>
CLI::Option* add_name(CLI::App& app, const char* name, const std::string& names, Value& value,
                      Parse&& parse, const char* text) {
  return app
      .add_option_function<std::string>(
          name,
          [&value, parse, name, names](const std::string& word) {
            const auto parsed = parse(word);
            if (!parsed) throw CLI::ValidationError(name, word + " is none of " + names);
            value = *parsed;
          },
          text)
      ->type_name(names)
      ->group(kGroup);
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end && std::isfinite(static_cast<double>(number));
}

// constant, step:PERIOD[:FACTOR], geometric:PERIOD[:FACTOR], arithmetic:PERIOD,
// cosine:PERIOD[:LAST]
bool parse_schedule_text(std::string_view text, RateSchedule& schedule) {
  const std::size_t colon = text.find(':');
  const auto kind = parse_schedule(text.substr(0, colon));
  if (!kind) return false;
  schedule.kind = *kind;
  if (*kind == RateSchedule::Kind::Constant) return colon == std::string_view::npos;
  if (colon == std::string_view::npos) return false;
  text.remove_prefix(colon + 1);
  const std::size_t second = text.find(':');
  if (!parse_number(text.substr(0, second), schedule.period) || schedule.period == 0) return false;
  if (second == std::string_view::npos) return true;
  if (*kind == RateSchedule::Kind::Arithmetic) return false;
  double& last = *kind == RateSchedule::Kind::Cosine ? schedule.last : schedule.factor;
  return parse_number(text.substr(second + 1), last);
}

// all, online, or a number; `reduces`: --reduction is given
bool parse_batch_text(std::string_view text, bool reduces, TrainOptions& options) {
  if (text == "all") {
    options.batch_size = 0;
    return true;
  }
  if (text == "online") {
    options.batch_size = 1;
    options.shuffle = false;
    if (!reduces) options.loss.reduction = Reduction::Sum;
    return true;
  }
  return parse_number(text, options.batch_size) && options.batch_size > 0;
}

void add_loss_options(CLI::App& app, TrainSettings& s) {
  add_loss_option(
      app, s.loss,
      "The error of a sample (docs/training.md). Default: of classes crossentropy (one sigmoid), "
      "softentropy (a softmax or raw vector), binary_crossentropy (a vector of sigmoids); "
      "margin_ranking for samples with roles; else squared_diff");
  add_name(
      app, "--reduction", names_text<Reduction>("|"), s.options.loss.reduction,
      [](const std::string& t) { return parse_reduction(t); },
      "How the errors of a batch become one number; default mean. element-: as NeuraLogic and "
      "PyTorch do with vectors");
  add_real(app, "--margin", s.options.loss.margin, RealRange::AtLeastZero, "Of margin_ranking")
      ->group(kGroup);
}

std::string names_of_optimizers() {
  std::string names;
  for (const OptimizerInfo& each : optimizers()) {
    names += (names.empty() ? "" : "|") + std::string(each.text);
  }
  return names;
}

std::string option_of(const HyperparameterInfo& hyperparameter) {
  std::string option = "--" + std::string(hyperparameter.name);
  std::ranges::replace(option, '_', '-');
  return option;
}

// `Of rmsprop (0.99)`: those that have it, with their defaults where there is no one default.
std::string text_of(const HyperparameterInfo& hyperparameter) {
  std::string text = std::string(hyperparameter.does) + ". Default ";
  std::vector<std::pair<double, std::string>> owners;
  for (const OptimizerInfo& each : optimizers()) {
    const auto& value = each.defaults.*hyperparameter.value;
    if (!value) continue;
    auto same = std::ranges::find(owners, *value, [](const auto& owner) { return owner.first; });
    if (same == owners.end()) {
      owners.emplace_back(*value, each.text);
    } else {
      same->second += ", " + std::string(each.text);
    }
  }
  for (std::size_t i = 0; i < owners.size(); ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : "; ", owners[i].first, owners[i].second);
  }
  return text;
}

RealRange range_of(HyperparameterRange range) {
  return range == HyperparameterRange::BelowOne ? RealRange::BelowOne : RealRange::AtLeastZero;
}

void add_hyperparameter(CLI::App& app, const HyperparameterInfo& each, OptimizerOptions& options) {
  std::optional<double>& value = options.*each.value;
  if (each.range == HyperparameterRange::Flag) {
    app.add_flag_callback(
           option_of(each), [&value] { value = 1; },
           fmt::format("{}. Of {}", each.does, owners_of(each)))
        ->group(kGroup);
  } else {
    add_real(app, option_of(each), value, range_of(each.range), text_of(each))->group(kGroup);
  }
}

// A hyperparameter that the optimizer has not; empty: none.
std::string find_foreign_hyperparameter(const OptimizerOptions& options) {
  const OptimizerInfo& optimizer = info(options.optimizer);
  for (const HyperparameterInfo& each : hyperparameters()) {
    if (!(options.*each.value) || optimizer.defaults.*each.value) continue;
    const std::string owners = owners_of(each);
    return fmt::format("{} is of {}, and {} has none: leave it out, or add --optimizer={}",
                       option_of(each), owners, optimizer.text,
                       owners.substr(0, owners.find_first_of(", ")));
  }
  return {};
}

void add_batch_options(CLI::App& app, TrainSettings& s) {
  app.add_option_function<std::string>(
         "--batch-size",
         [&s, &app](const std::string& text) {
           const bool reduces = app.get_option("--reduction")->count() > 0;
           if (!parse_batch_text(text, reduces, s.options)) {
             throw CLI::ValidationError("--batch-size",
                                        text + " is neither all, online, nor a number of samples");
           }
         },
         "Samples a step; default all. online: one by one in their order, errors not averaged, as "
         "NeuraLogic does")
      ->type_name("all|online|N")
      ->group(kGroup);
  add_name(
      app, "--batch", names_text<BatchWay>("|"), s.options.batch_way, parse_batch_way,
      "How a step of a batch is made: of the rows that its samples reach, or of all with a mask")
      ->group(kGroup);
  add_name(app, "--batch-values", names_text<BatchValues>("|"), s.options.batch_values,
           parse_batch_values,
           "Where a bound batch has its values: in the places of all samples, or in memory of its "
           "own size")
      ->group(kGroup);
  app.add_flag("!--no-shuffle", s.options.shuffle, "Batches in the order of the samples")
      ->group(kGroup);
  app.add_option_function<std::string>(
         "--fanout",
         [&s](const std::string& text) {
           const auto fanout = parse_fanout(text);
           if (!fanout) {
             throw CLI::ValidationError("--fanout", fanout.error().list().front().message);
           }
           s.fanout.members = fanout->members;
         },
         "Neighbour sampling: of each aggregation by sum or mean, a step reads at most N members, "
         "drawn by --seed; the first number is that of the level next to the outputs, the last "
         "also "
         "that of all deeper ones. Evaluation reads all")
      ->type_name("N|all,...")
      ->group(kGroup);
  app.add_flag("--fanout-scale", s.fanout.scales_sums,
               "Sums of k drawn of n members are times n / k: unbiased, as means always are")
      ->group(kGroup);
}

void add_validation_options(CLI::App& app, TrainSettings& s) {
  app.add_option_function<std::string>(
         "--validate",
         [&s](const std::string& text) {
           double fraction = 0;
           if (!parse_number(text, fraction)) {
             s.validate_file = text;
           } else if (fraction > 0 && fraction < 1) {
             s.validate_fraction = fraction;
           } else {
             throw CLI::ValidationError("--validate", text + " is no fraction between 0 and 1");
           }
         },
         "Samples to validate with: a part of these (drawn by --seed; samples of one group stay "
         "together), or another graph's. Default: those that the graph marks so")
      ->type_name("FRACTION|FILE")
      ->group(kGroup);
  add_unset_whole(
      app, "--folds", s.folds, {2, 1'000'000},
      "Cross-validation: train K times, each on all folds but one. An output is that of the "
      "training that did not see the sample")
      ->type_name("K")
      ->group(kGroup);
  add_whole(app, "--seed", s.options.seed, {}, "Of the shuffle, and of --validate and --folds")
      ->group(kGroup);
}

std::string check_logs(const std::vector<std::string>& logs) {
  for (const std::string& log : logs) {
    if (std::string problem = check_log_text(log); !problem.empty()) return problem;
  }
  return {};
}

// False of an option that the command has not.
bool is_given(const CLI::App& app, const std::string& option) {
  const CLI::Option* const found = app.get_option_no_throw(option);
  return found != nullptr && found->count() > 0;
}

// A Python module trains by itself, with the loss that it is written with.
bool goes_into_module(const std::string& option) {
  return option == "--loss" || option == "--margin";
}

// An option that says how to train where nothing is trained.
std::string find_idle_option(const CLI::App& app, bool emits_module) {
  const auto given = app.get_options([emits_module](const CLI::Option* option) {
    return option->get_group() == kTrainingGroup && option->count() > 0 &&
           !(emits_module && goes_into_module(option->get_name()));
  });
  if (given.empty()) return {};
  return given.front()->get_name() +
         " says how to train, and nothing is trained: add --train, or "
         "leave it out";
}

}  // namespace

CLI::Option* add_loss_option(CLI::App& app, std::optional<Loss>& loss, const char* text) {
  return add_name(
      app, "--loss", names_text<Loss>("|"), loss,
      [](const std::string& t) { return parse_loss(t); }, text);
}

constexpr const char* kSchedules =
    "constant|step:N[:FACTOR]|cosine:N[:LAST]|geometric:N[:FACTOR]|arithmetic:N";

void add_step_options(CLI::App& app, TrainSettings& s) {
  OptimizerOptions& o = s.options.optimizer;
  add_name(
      app, "--optimizer", names_of_optimizers(), o.optimizer,
      [](const std::string& t) { return parse_optimizer(t); },
      "Default adam. lazy-adam: NeuraLogic's, of the weights that a step touches");
  add_real(app, "--lr", s.options.schedule.base, RealRange::AboveZero, "Learning rate")
      ->group(kGroup);
  app.add_option_function<std::string>(
         "--schedule",
         [&s](const std::string& text) {
           if (!parse_schedule_text(text, s.options.schedule)) {
             throw CLI::ValidationError("--schedule", text + " is none of " + kSchedules);
           }
         },
         "How the rate changes with the epoch: times FACTOR (0.1) every N epochs; half a cosine "
         "to LAST (0) within N; NeuraLogic's, which count from 1: times FACTOR every N; less by "
         "1/N of it every epoch")
      ->type_name(kSchedules)
      ->group(kGroup);
  for (const HyperparameterInfo& each : hyperparameters()) add_hyperparameter(app, each, o);
  add_real(app, "--clip-norm", o.clip_norm, RealRange::AboveZero,
           "Limits the norm of all gradients together")
      ->group(kGroup);
  add_real(app, "--clip-value", o.clip_value, RealRange::AboveZero,
           "Limits every entry of every gradient, after --clip-norm")
      ->group(kGroup);
}

void add_epoch_options(CLI::App& app, TrainSettings& s) {
  add_whole(app, "--epochs", s.loop.epochs, kEpochs, "Passes over the samples")->group(kGroup);
  add_unset_whole(
      app, "--early-stop", s.loop.early_stop, kEpochs,
      "End after N epochs without a lower validation loss, with the best weights; seen every "
      "--log-every epochs")
      ->group(kGroup);
  app.add_option("--log", s.logs,
                 "Write every epoch there; may be given several times. With --resume a file is "
                 "continued behind the checkpoint's epoch. With --folds a log each")
      ->type_name("csv:FILE|jsonl:FILE|tensorboard:DIR")
      ->allow_extra_args(false)
      ->group(kGroup);
  add_whole(app, "--log-every", s.loop.log_every, kEpochs, "Epochs between two evaluations")
      ->group(kGroup);
}

void add_checkpoint_options(CLI::App& app, TrainSettings& s) {
  app.add_option("--checkpoint", s.loop.checkpoint_folder,
                 "Keep the state of the training there, to go on from")
      ->type_name("DIR")
      ->group(kGroup);
  add_whole(app, "--checkpoint-every", s.loop.checkpoint_every, kEpochs,
            "Epochs between two checkpoints")
      ->group(kGroup);
  app.add_flag("--resume", s.loop.resume,
               "Go on from the checkpoint, if there is one: bit for bit as if never stopped")
      ->group(kGroup);
}

void add_train_options(CLI::App& app, TrainSettings& settings) {
  app.add_flag("--train", settings.train,
               "Learn the weights, then run with them (docs/training.md)")
      ->group(kGroup);
  add_validation_options(app, settings);
  add_checkpoint_options(app, settings);
  add_learning_options(app, settings);
}

void add_learning_options(CLI::App& app, TrainSettings& settings) {
  settings.options.schedule.base = 0.01;
  add_epoch_options(app, settings);
  add_loss_options(app, settings);
  add_step_options(app, settings);
  add_batch_options(app, settings);
}

void add_train_paths(CommandPaths& paths, const TrainSettings& s) {
  paths.add_input("--validate=" + s.validate_file, s.validate_file);
  if (const std::string& folder = s.loop.checkpoint_folder; !folder.empty()) {
    const std::string name = "--checkpoint=" + folder;
    paths.add_shared_folder(name, folder);
    for (const std::string& file : checkpoint_paths(folder)) paths.add_output(name, file);
  }
  for (const std::string& log : s.logs) {
    if (s.folds == 0) add_log_paths(paths, "--log=" + log, log);
    for (std::uint32_t k = 1; k <= s.folds; ++k) {
      add_log_paths(paths, "--log=" + log, log_of_fold(log, k));
    }
  }
}

std::string check_learning_settings(const CLI::App& app, const TrainSettings& s) {
  if (s.fanout.scales_sums && s.fanout.members.empty()) return "--fanout-scale needs --fanout";
  for (const char* option : {"--resume", "--checkpoint-every"}) {
    if (is_given(app, option) && s.loop.checkpoint_folder.empty()) {
      return std::string(option) + " needs --checkpoint=DIR";
    }
  }
  if (is_given(app, "--margin") && s.loss && *s.loss != Loss::MarginRanking) {
    return "--margin needs --loss=margin_ranking";
  }
  if (std::string foreign = find_foreign_hyperparameter(s.options.optimizer); !foreign.empty()) {
    return foreign;
  }
  if (s.options.batch_way != BatchWay::Choose && s.options.batch_size == 0) {
    return "--batch says how a step of some samples is made: add --batch-size=N, or leave it out";
  }
  if (s.options.batch_values != BatchValues::Choose && s.options.batch_size == 0) {
    return "--batch-values says where a step of some samples has its values: add --batch-size=N, "
           "or leave it out";
  }
  return check_logs(s.logs);
}

std::string check_train_settings(const CLI::App& app, const TrainSettings& s, bool emits_module) {
  if (!s.train) {
    std::string idle = find_idle_option(app, emits_module);
    return idle.empty() ? check_learning_settings(app, s) : idle;
  }
  const bool validates = s.validate_fraction || !s.validate_file.empty();
  if (s.folds > 0 && (validates || !s.loop.checkpoint_folder.empty())) {
    return "--folds validates by itself and has no checkpoints: leave out --validate and "
           "--checkpoint";
  }
  return check_learning_settings(app, s);
}

}  // namespace vecc::tools
