#include "tests/agreement/difference.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace vecc::test {

double relative_difference(double found, double expected) {
  if (found == expected || (std::isnan(found) && std::isnan(expected))) return 0;
  if (!std::isfinite(found) || !std::isfinite(expected)) {
    return std::numeric_limits<double>::infinity();
  }
  return std::abs(found - expected) / std::max(1.0, std::abs(expected));
}

void DifferenceRecord::compare(std::span<const double> found, std::span<const double> expected,
                               const std::function<std::string()>& place) {
  const auto fail = [&](const std::string& what) {
    if (failures_++ == 0) first_ = place() + ": " + what;
  };
  if (found.size() != expected.size()) {
    largest_ = std::numeric_limits<double>::infinity();
    fail(std::to_string(found.size()) + " elements, expected " + std::to_string(expected.size()));
    return;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = relative_difference(found[i], expected[i]);
    largest_ = std::max(largest_, difference);
    if (difference <= tolerance_) continue;
    std::ostringstream text;
    text.precision(17);
    text << "element " << i << " is " << found[i] << ", expected " << expected[i];
    fail(text.str());
  }
}

std::string DifferenceRecord::failure() const {
  if (failures_ == 0) return {};
  std::ostringstream text;
  text << first_ << " (" << failures_ << " differences beyond " << tolerance_ << ")";
  return text.str();
}

}  // namespace vecc::test
