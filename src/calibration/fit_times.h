// What each of the things that a run does takes, from the times of runs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vecc {

/// A run: how often it does each thing, and its time.
struct MeasuredTime {
  std::vector<double> counts;
  double time = 0;
};

/// The coefficients, none negative, with which the sums of coefficient * count have the least sum
/// of squared relative errors over `runs`; those without a time do not count. A coefficient that
/// the runs do not tell from others is 0. Each run has `coefficients` counts: few, as all subsets
/// are tried.
[[nodiscard]] std::vector<double> fit_times(std::size_t coefficients,
                                            std::span<const MeasuredTime> runs);

}  // namespace vecc
