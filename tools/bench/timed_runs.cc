#include "timed_runs.h"

#include <span>

namespace vecc::tools {

Timing TimedRuns::steady() const {
  return summarize_timing(std::span(seconds).subspan(warmup));
}

nlohmann::ordered_json json_of(const TimedRuns& series) {
  nlohmann::ordered_json result{{"warmup", series.warmup}};
  result.update(json_of(series.steady()));
  result["seconds"] = series.seconds;
  return result;
}

}  // namespace vecc::tools
