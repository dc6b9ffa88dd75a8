// --log: a line an epoch.
#pragma once

#include <memory>
#include <string>

#include "vecc/train_loop.h"

namespace vecc::tools {

/// What is wrong with the text of --log; empty if nothing.
[[nodiscard]] std::string check_log_text(const std::string& text);

/// Columns: epoch, rate, loss, seconds, then train_* and validation_* of loss and metrics; those
/// that an epoch does not have are empty (csv) or absent (jsonl). Lines are written as they come,
/// so that a log of a running training can be read; a resumed one is continued.
class TrainLog {
 public:
  /// `text` as check_log_text() accepts it; empty: no log. Error: CannotWrite.
  [[nodiscard]] static Result<TrainLog> open(const std::string& text, bool continues);
  TrainLog(TrainLog&&) noexcept;
  TrainLog& operator=(TrainLog&&) noexcept;
  ~TrainLog();

  [[nodiscard]] Result<void> write(const EpochReport& report);

 private:
  struct State;
  explicit TrainLog(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace vecc::tools
