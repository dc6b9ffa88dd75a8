// What stages take, for the debug log: --log-level=debug, or VECC_LOG_LEVEL=debug from Python.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace vecc {

/// One stage, from here to the end of the scope, of which the debug log says then: seconds by the
/// clock, of all cores (user, system), faults of pages, and the memory that the process holds.
/// Stages of other threads meanwhile count as well. Costs nothing where nothing is logged.
class TimedStage {
 public:
  explicit TimedStage(std::string_view name);
  TimedStage(const TimedStage&) = delete;
  TimedStage& operator=(const TimedStage&) = delete;
  ~TimedStage();

 private:
  struct Use {
    std::chrono::steady_clock::time_point clock;
    double user = 0;    ///< seconds
    double system = 0;  ///< seconds
    std::int64_t faults = 0;
  };
  [[nodiscard]] static Use now();

  bool is_logged_;
  std::string name_;
  Use begin_;
};

}  // namespace vecc
