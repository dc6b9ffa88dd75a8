#include "optimizer/describe_options.h"

#include <fmt/format.h>

namespace vecc::opt {

std::string describe_options(const OptimizeOptions& options) {
  const CostCoefficients& cost = options.cost;
  std::string text =
      fmt::format("level {} seed {} preset \"{}\" pad \"{}\" cost {:a} {:a} {:a} {:a} {:a} of {}",
                  options.level, options.seed, options.gather_preset,
                  options.pad_mode ? text_of(*options.pad_mode) : "", cost.run, cost.launch,
                  cost.byte, cost.batch_byte, cost.multiply_add, static_cast<int>(cost.runner));
  if (options.passes) text += fmt::format(" passes {}", fmt::join(*options.passes, ","));
  return text + fmt::format(" disabled {}", fmt::join(options.disabled, ","));
}

}  // namespace vecc::opt
