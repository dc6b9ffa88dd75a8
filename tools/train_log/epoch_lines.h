// The text of csv and jsonl logs, and how much of an old one counts.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "tools/train_log/line_log.h"

namespace vecc::tools {

/// What stands before the first epoch; empty for jsonl.
[[nodiscard]] std::string header_of(LineFormat format);
/// The line of an epoch, with its end.
[[nodiscard]] std::string line_of(LineFormat format, const EpochReport& report);

/// How many bytes of an old log are its header and the epochs up to `last_epoch`; 0: not even the
/// header is whole. Every line is looked at; the last may be unfinished (what a crash leaves).
/// Error BadTable, its place the line: not what line_of() makes, or an epoch that does not come
/// after the one before it.
[[nodiscard]] Result<std::uint64_t> bytes_to_keep(std::istream& log, LineFormat format,
                                                  std::uint64_t last_epoch);

}  // namespace vecc::tools
