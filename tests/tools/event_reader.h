// A reader of TensorBoard's event files that shares nothing with their writer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vecc::test {

struct LoggedEvent {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string file_version;
  bool starts_session = false;
  std::map<std::string, float> scalars;
};

/// The events of a file's bytes; throws std::runtime_error for a frame whose length or CRC is
/// wrong, and for a field that TensorBoard would not know.
[[nodiscard]] std::vector<LoggedEvent> read_events(const std::string& bytes);

/// CRC-32C, bit by bit.
[[nodiscard]] std::uint32_t crc32c(const std::string& bytes);

}  // namespace vecc::test
