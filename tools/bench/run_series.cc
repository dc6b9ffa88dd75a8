#include "run_series.h"

#include <span>

namespace vecc::tools {

Timing RunSeries::steady() const {
  return summarize_timing(std::span(seconds).subspan(warmup));
}

nlohmann::ordered_json json_of(const RunSeries& series) {
  nlohmann::ordered_json result{{"warmup", series.warmup}};
  result.update(json_of(series.steady()));
  result["seconds"] = series.seconds;
  return result;
}

}  // namespace vecc::tools
