// --log=csv:FILE and --log=jsonl:FILE: a line an epoch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tools/train_log/train_log.h"

namespace vecc::tools {

enum class LineFormat : std::uint8_t { Csv, Jsonl };

/// Columns: epoch, rate, loss, seconds, then train_* and validation_* of loss and metrics; those
/// that an epoch does not have are empty (csv) or absent (jsonl). As open_log(): a file that goes
/// on is cut behind the last of the finished epochs (and so behind whatever a crash left
/// unfinished).
[[nodiscard]] Result<std::unique_ptr<EpochLog>> open_line_log(
    const std::string& path, LineFormat format, std::optional<std::uint64_t> finished_epochs);

}  // namespace vecc::tools
