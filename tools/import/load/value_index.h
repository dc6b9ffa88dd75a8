// A column of numbers as places among its distinct values.
#pragma once

#include <cstdint>
#include <vector>

namespace vecc::tools {

/// Makes `values` the distinct ones of the column and of what it held before, ascending; returns
/// where each entry of the column stands among them.
[[nodiscard]] std::vector<std::uint32_t> index_values(const std::vector<std::int64_t>& column,
                                                      std::vector<std::int64_t>& values);

}  // namespace vecc::tools
