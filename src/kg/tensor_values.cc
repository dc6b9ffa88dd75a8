#include "src/kg/tensor_values.h"

#include <algorithm>
#include <cmath>

#include "vecc/escape.h"

namespace vecc::kg {

std::string describe(const WeightTensor& tensor) {
  return "tensor \"" + escape_terminal(tensor.name) + "\"";
}

Result<std::vector<double>> finite_values_of(const WeightTensor& tensor, std::size_t width) {
  std::vector<double> values = values_of(tensor);
  const auto bad = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
  if (bad == values.end()) return values;
  return Errors(ErrorCode::NotFinite, describe(tensor),
                "row " + std::to_string(static_cast<std::size_t>(bad - values.begin()) / width) +
                    " has a number that is not finite");
}

}  // namespace vecc::kg
