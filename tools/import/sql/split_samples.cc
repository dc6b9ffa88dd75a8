#include "tools/import/sql/split_samples.h"

#include <algorithm>
#include <cmath>

#include "tools/import/load/splitmix.h"

namespace vecc::tools::sql {

void split_by_hash(const SampleOptions& options, std::vector<RowSample>& samples) {
  for (RowSample& sample : samples) {
    std::uint64_t hash = 0xCBF29CE484222325ull ^ mix_bits(static_cast<std::uint64_t>(options.seed));
    for (const char c : sample.id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    const std::uint64_t percent = mix_bits(hash) % 100;
    if (percent < options.test) {
      sample.split = Split::Test;
    } else if (percent < options.test + options.valid) {
      sample.split = Split::Validation;
    }
  }
}

void split_by_time(const SampleOptions& options, std::vector<RowSample>& samples) {
  std::vector<double> times;
  for (const RowSample& sample : samples) times.push_back(*sample.time);
  std::ranges::sort(times);
  const auto at = [&](std::uint32_t percent) {
    const std::size_t i = times.size() * percent / 100;
    return i < times.size() ? times[i] : INFINITY;
  };
  const double test = at(100 - options.test);
  const double valid = at(100 - options.test - options.valid);
  for (RowSample& sample : samples) {
    if (*sample.time >= test) {
      sample.split = Split::Test;
    } else if (*sample.time >= valid) {
      sample.split = Split::Validation;
    }
  }
}

}  // namespace vecc::tools::sql
