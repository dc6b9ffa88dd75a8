#include "vecc/step_inputs.h"

#include "vecc/error.h"

namespace vecc {
namespace {

constexpr std::uint64_t kNumbers = (1 << 24) - 1;  // 1 ... kNumbers

}  // namespace

bool is_step_input(std::string_view parameter) {
  return is_step_number(parameter) || parameter == kStepSamples;
}

bool is_step_number(std::string_view parameter) {
  return parameter == kStepNumber || parameter == kStepSeed || parameter == kStepBlock;
}

double step_input_value(std::string_view input, std::uint64_t seed, std::uint64_t run) {
  VECC_CHECK(run > 0 && seed < kStepSeeds, "a run of a training");
  const std::uint64_t block = (run - 1) / kNumbers % (1 << 16);
  if (input == kStepNumber) return static_cast<double>((run - 1) % kNumbers + 1);
  if (input == kStepSeed) return static_cast<double>(seed % (1 << 24));
  return static_cast<double>((seed >> 24) + (block << 8));
}

}  // namespace vecc
