#include "vecc/train_loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "src/support/seconds_since.h"
#include "src/train/checkpoint.h"
#include "src/train/kept_state.h"
#include "src/train/training_state.h"
#include "vecc/escape.h"

namespace vecc::training {
namespace {

// The state from which a NaN is looked for is copied again after kEpochsToRepeat epochs that took
// as many times as long as a copy does.
constexpr double kCopiesToRepeat = 32;

// How long a series of epochs may delay the report of a loss, or an end that was asked for.
constexpr double kSeriesSeconds = 0.05;
constexpr std::uint64_t kLongestSeries = 1024;

using Clock = std::chrono::steady_clock;

class Loop {
 public:
  Loop(const LoopParts& parts, const LoopOptions& options)
      : parts_(parts),
        options_(options),
        folder_(options.checkpoint_folder, options.settings, options.metadata) {}

  Result<TrainSummary> run() {
    VECC_TRY_VOID(start());
    if (is_exhausted()) return end_early();  // it ended so before
    while (state_.finished_epochs < options_.epochs) {
      VECC_TRY(const bool whole, run_epoch());
      if (!whole) {
        VECC_TRY_VOID(write_checkpoint());
        return end(TrainEnd::Interrupted);
      }
      if (is_exhausted()) return end_early();
      if (parts_.should_stop && parts_.should_stop()) {
        VECC_TRY_VOID(write_checkpoint());
        return end(TrainEnd::Interrupted);
      }
    }
    VECC_TRY_VOID(write_checkpoint());
    if (options_.early_stop > 0 && best_.is_there()) VECC_TRY_VOID(parts_.trainer.restore(best_));
    return end(TrainEnd::Done);
  }

 private:
  [[nodiscard]] bool has_folder() const { return !options_.checkpoint_folder.empty(); }
  [[nodiscard]] bool keeps_best() const { return parts_.validation != nullptr; }

  Result<void> start() {
    VECC_TRY_VOID(good_.reserve(options_.kept));
    if (keeps_best()) VECC_TRY_VOID(best_.reserve(options_.kept));
    if (copies_again(options_)) VECC_TRY_VOID(next_.reserve(options_.kept));
    if (has_folder()) {
      VECC_TRY_VOID(folder_.open());
      if (options_.resume) VECC_TRY_VOID(resume());
    }
    summary_.first_epoch = state_.finished_epochs + 1;
    if (parts_.begin) VECC_TRY_VOID(parts_.begin(state_.finished_epochs));
    VECC_TRY_VOID(good_.save(parts_.trainer));
    if (has_folder()) return folder_.write_last(good_, state_);
    return {};
  }

  Result<void> resume() {
    VECC_TRY(auto last, folder_.read_last());
    if (!last) return {};
    if (last->state.finished_epochs > options_.epochs) {
      return Errors(ErrorCode::Usage, checkpoint_path(options_.checkpoint_folder),
                    "has " + std::to_string(last->state.finished_epochs) +
                        " epochs behind it, and " + std::to_string(options_.epochs) +
                        " are asked for: ask for as many at least (--epochs), or train anew "
                        "(without --resume, or in another folder)");
    }
    VECC_TRY_VOID(parts_.trainer.restore(*last->source));
    const TrainPosition at = parts_.trainer.position();
    const std::uint64_t done = at.epoch + (at.batch == parts_.trainer.batch_count() ? 1 : 0);
    if (done != last->state.finished_epochs) {
      return Errors(ErrorCode::WeightsDiffer, checkpoint_path(options_.checkpoint_folder),
                    "says that " + std::to_string(last->state.finished_epochs) +
                        " epochs are finished, at the end of " + std::to_string(done) +
                        ": this is no checkpoint of a training");
    }
    state_ = last->state;
    if (keeps_best() && state_.best_epoch > 0) {
      VECC_TRY(const auto best, folder_.read_best(state_));
      VECC_TRY_VOID(best_.copy(*best));
    }
    return {};
  }

  // Whether the epoch came to its end. Several at once where no report is due between them.
  Result<bool> run_epoch() {
    const auto start = Clock::now();
    if (parts_.trainer.batch_count() == 1) {
      const std::uint64_t count = series_length();
      VECC_TRY(const auto epochs, parts_.trainer.epochs(static_cast<std::uint32_t>(count)));
      const double seconds = seconds_since(start) / static_cast<double>(count);
      for (const TrainedEpoch& epoch : epochs) {
        VECC_TRY_VOID(end_epoch(epoch, seconds, &epoch == &epochs.back()));
      }
      return true;
    }
    // A resumed epoch goes on where it was left.
    const TrainPosition at = parts_.trainer.position();
    std::uint64_t batch = at.epoch == state_.finished_epochs ? at.batch : 0;
    while (batch < parts_.trainer.batch_count()) {
      if (batch > 0 && parts_.should_stop && parts_.should_stop()) return false;
      const std::uint64_t count =
          std::min(parts_.trainer.steps_at_once(), parts_.trainer.batch_count() - batch);
      VECC_TRY_VOID(parts_.trainer.steps(count));
      batch += count;
    }
    VECC_TRY(const double loss, parts_.trainer.epoch_loss());
    VECC_TRY_VOID(end_epoch({parts_.trainer.rate(), loss}, seconds_since(start), true));
    return true;
  }

  // Epochs until the weights are read.
  [[nodiscard]] std::uint64_t series_length() const {
    const std::uint64_t done = state_.finished_epochs;
    std::uint64_t count = std::min(options_.epochs - done, kLongestSeries);
    const auto end_at = [&](std::uint64_t every) {
      const std::uint64_t period = std::max<std::uint64_t>(every, 1);
      count = std::min(count, period - done % period);
    };
    if (parts_.training != nullptr || parts_.validation != nullptr) end_at(options_.log_every);
    if (has_folder()) end_at(options_.checkpoint_every);
    const double in_time = kSeriesSeconds / std::max(epoch_seconds_, 1e-9);
    return std::min(count, std::max<std::uint64_t>(1, static_cast<std::uint64_t>(in_time)));
  }

  // `is_now`: the weights are those after this epoch, not after a later one.
  Result<void> end_epoch(const TrainedEpoch& epoch, double seconds, bool is_now) {
    EpochReport report;
    report.rate = epoch.rate;
    report.loss = epoch.loss;
    report.seconds = seconds;
    epoch_seconds_ = seconds;
    summary_.step_seconds += seconds;
    if (!std::isfinite(report.loss)) VECC_TRY_VOID(explain_non_finite());
    report.epoch = ++state_.finished_epochs;
    VECC_TRY_VOID(evaluate(report));
    VECC_TRY_VOID(keep(report, is_now));
    if (parts_.report) VECC_TRY_VOID(parts_.report(report));
    return {};
  }

  [[nodiscard]] bool is_logged(std::uint64_t epoch) const {
    return epoch % std::max<std::uint64_t>(options_.log_every, 1) == 0 || epoch == options_.epochs;
  }

  Result<void> evaluate(EpochReport& report) {
    const auto run = [](Evaluator* evaluator,
                        std::optional<Evaluator::Evaluation>& result) -> Result<void> {
      if (evaluator == nullptr) return {};
      VECC_TRY(result, evaluator->evaluate());
      return {};
    };
    if (!is_logged(report.epoch)) return {};
    VECC_TRY_VOID(run(parts_.training, report.training));
    return run(parts_.validation, report.validation);
  }

  // The best weights, the state to look for a NaN from, the checkpoint.
  Result<void> keep(const EpochReport& report, bool is_now) {
    if (report.validation && report.validation->loss < state_.best_loss) {
      state_.best_loss = report.validation->loss;
      state_.best_epoch = report.epoch;
      VECC_TRY_VOID(best_.save(parts_.trainer));
      if (has_folder()) VECC_TRY_VOID(folder_.write_best(best_, state_));
    }
    const bool writes = has_folder() && report.epoch % options_.checkpoint_every == 0;
    if (!is_now || (!writes && !is_copy_due())) return {};
    const auto start = Clock::now();
    VECC_TRY_VOID(copy_finite());
    copied_ = {report.epoch, summary_.step_seconds, seconds_since(start)};
    std::swap(good_, next_);
    next_.clear();
    if (writes) return folder_.write_last(good_, state_);
    return {};
  }

  // To next_.
  Result<void> copy_finite() {
    VECC_TRY_VOID(next_.save(parts_.trainer));
    VECC_TRY(const bool finite, is_finite(next_));
    if (finite) return {};
    next_.clear();
    return explain_non_finite();
  }

  [[nodiscard]] bool is_copy_due() const {
    return state_.finished_epochs - copied_.epoch >= kEpochsToRepeat &&
           summary_.step_seconds - copied_.step_seconds >= kCopiesToRepeat * copied_.seconds;
  }

  Result<void> write_checkpoint() {
    if (!has_folder()) return {};
    VECC_TRY_VOID(copy_finite());
    VECC_TRY_VOID(folder_.write_last(next_, state_));
    next_.clear();
    return {};
  }

  // The error that names what made the first number that is not finite.
  Result<void> explain_non_finite() {
    VECC_TRY(const std::optional<NonFinite> found, parts_.trainer.find_non_finite(good_));
    std::string place = "training";
    std::string message = "the loss is not finite";
    if (found) {
      place += ", epoch " + std::to_string(found->position.epoch + 1) + ", batch " +
               std::to_string(found->position.batch + 1);
      message = found->op + ", row " + std::to_string(found->row) +
                " is the first number that is not finite; a smaller --lr or --clip-norm may help";
    }
    if (has_folder()) {
      message += "; the last checkpoint is kept in " +
                 escape_terminal(checkpoint_path(options_.checkpoint_folder), 4096);
    }
    return Errors(ErrorCode::NonFinite, place, message);
  }

  // Only an evaluation says that no epoch was better.
  [[nodiscard]] bool is_exhausted() const {
    return options_.early_stop > 0 && state_.best_epoch > 0 && is_logged(state_.finished_epochs) &&
           state_.finished_epochs - state_.best_epoch >= options_.early_stop;
  }

  Result<TrainSummary> end_early() {
    VECC_TRY_VOID(write_checkpoint());
    VECC_TRY_VOID(parts_.trainer.restore(best_));
    return end(TrainEnd::EarlyStop);
  }

  TrainSummary end(TrainEnd how) {
    summary_.end = how;
    summary_.epochs = state_.finished_epochs;
    summary_.best_epoch = state_.best_epoch;
    summary_.best_loss = state_.best_loss;
    return summary_;
  }

  const LoopParts& parts_;
  const LoopOptions& options_;
  CheckpointFolder folder_;
  LoopState state_;
  KeptState best_;
  KeptState good_;
  KeptState next_;  // in place of good_, once all of it is finite; between copies none is there
  struct {
    std::uint64_t epoch = 0;
    double step_seconds = 0;  // of the training until then
    double seconds = 0;       // that the copy took
  } copied_;                  // when good_ was
  double epoch_seconds_ = kSeriesSeconds;
  TrainSummary summary_;
};

}  // namespace

}  // namespace vecc::training

namespace vecc {

bool copies_again(const LoopOptions& options) {
  return !options.checkpoint_folder.empty() || options.epochs >= kEpochsToRepeat;
}

Result<TrainSummary> train(const LoopParts& parts, const LoopOptions& options) {
  return training::Loop(parts, options).run();
}

}  // namespace vecc
