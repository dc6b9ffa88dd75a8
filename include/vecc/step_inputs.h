// Numbers that a forward Program reads and that every step of a training sets: what `draw` and
// functions that differ in training take. Parameters of these names, of one number each, which no
// step learns (bound facts); what runs a Program outside a training has them as they are: 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vecc {

inline constexpr std::string_view kStepNumber = "step.number";  ///< 0 where nothing is trained
inline constexpr std::string_view kStepSeed = "step.seed";
inline constexpr std::string_view kStepBlock = "step.block";

[[nodiscard]] bool is_step_input(std::string_view parameter);

/// Seeds below this are told apart.
inline constexpr std::uint64_t kStepSeeds = 1ull << 32;

/// What a step input is at run `run` of a training (the first is 1) with this seed. The three
/// numbers together are those of no other run or seed, up to 2^40 runs; each is a whole number
/// below 2^24, which float has exactly, and the first is not 0.
[[nodiscard]] double step_input_value(std::string_view input, std::uint64_t seed,
                                      std::uint64_t run);

}  // namespace vecc
