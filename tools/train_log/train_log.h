// --log: every epoch of a training in a file or folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/common/command_paths.h"
#include "vecc/train_loop.h"

namespace vecc::tools {

/// One log.
class EpochLog {
 public:
  EpochLog() = default;
  EpochLog(const EpochLog&) = delete;
  EpochLog& operator=(const EpochLog&) = delete;
  virtual ~EpochLog() = default;
  /// The epoch is in the file when this returns, whole or not at all. Error: CannotWrite.
  [[nodiscard]] virtual Result<void> write(const EpochReport& report) = 0;
};

/// What is wrong with the text of a --log; empty if nothing.
[[nodiscard]] std::string check_log_text(const std::string& text);
/// The file or folder that it is written to; `name` is the option.
void add_log_paths(CommandPaths& paths, const std::string& name, const std::string& text);

/// The file of one fold, beside those of the others: `a/b.csv` gives `a/b.fold2.csv`.
[[nodiscard]] std::string path_of_fold(const std::string& path, std::uint32_t fold);
/// The log of one fold, beside those of the others: `csv:a/b.csv` gives `csv:a/b.fold2.csv`,
/// `tensorboard:a` gives `tensorboard:a/fold2`.
[[nodiscard]] std::string log_of_fold(const std::string& text, std::uint32_t fold);

/// Opens a log of a text that check_log_text() accepts. `finished_epochs`, of a training that goes
/// on from a checkpoint: what the log has of later epochs goes, the others stay; none: a new log.
/// Errors: CannotWrite; BadTable for a file that is no such log, which stays as it is.
[[nodiscard]] Result<std::unique_ptr<EpochLog>> open_log(
    const std::string& text, std::optional<std::uint64_t> finished_epochs);

/// All logs of a training, none to any number.
class TrainLogs {
 public:
  [[nodiscard]] Result<void> open(const std::vector<std::string>& texts,
                                  std::optional<std::uint64_t> finished_epochs);
  [[nodiscard]] Result<void> write(const EpochReport& report);

 private:
  std::vector<std::unique_ptr<EpochLog>> logs_;
};

}  // namespace vecc::tools
