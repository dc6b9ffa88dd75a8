// A digest of all that a weight file says, for files that are more than weights.
#pragma once

#include <string>
#include <string_view>

#include "vecc/weights.h"

namespace vecc::weights {

/// 32 hexadecimal digits, of everything but the entry `own` of the metadata, which states them; the
/// order of tensors does not matter.
[[nodiscard]] std::string digest_of(const WeightFile& file, std::string_view own);

/// The entry of the metadata; null if there is none.
[[nodiscard]] const std::string* find_entry(const WeightFile& file, std::string_view key);

}  // namespace vecc::weights
