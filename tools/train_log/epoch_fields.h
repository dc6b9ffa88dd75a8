// What a log says of an epoch.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/train_loop.h"

namespace vecc::tools {

struct EpochField {
  std::string_view side;  ///< "train", "validation"; empty: of the epoch itself
  std::string_view name;  ///< "loss", "accuracy"
  std::optional<double> value;
};

/// rate, loss and seconds of the epoch, then loss and metrics of either side: the same names in the
/// same order for every epoch.
[[nodiscard]] std::vector<EpochField> fields_of(const EpochReport& report);

}  // namespace vecc::tools
