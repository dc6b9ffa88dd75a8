// What a forward Program reads and every step of a training sets: what `draw` and functions that
// differ in training take. Parameters of these names, which no step learns (bound facts); what runs
// a Program outside a training has them as they are.
//
// kStepSamples has a scalar for each sample. A Program with it has statistics of the samples of a
// step (batch norm): sums of rows, each times its sample's number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vecc {

inline constexpr std::string_view kStepNumber = "step.number";  ///< 0 where nothing is trained
inline constexpr std::string_view kStepSeed = "step.seed";
inline constexpr std::string_view kStepBlock = "step.block";
/// 1 of the samples of a step, 0 of others; 1 of all where nothing is trained.
inline constexpr std::string_view kStepSamples = "step.samples";

/// One of these.
[[nodiscard]] bool is_step_input(std::string_view parameter);
/// One of the first three: a number.
[[nodiscard]] bool is_step_number(std::string_view parameter);

/// Seeds below this are told apart.
inline constexpr std::uint64_t kStepSeeds = 1ull << 32;

/// What a step input is at run `run` of a training (the first is 1) with this seed. The three
/// numbers together are those of no other run or seed, up to 2^40 runs; each is a whole number
/// below 2^24, which float has exactly, and the first is not 0.
[[nodiscard]] double step_input_value(std::string_view input, std::uint64_t seed,
                                      std::uint64_t run);

}  // namespace vecc
