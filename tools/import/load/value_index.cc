#include "tools/import/load/value_index.h"

#include <algorithm>

namespace vecc::tools {

std::vector<std::uint32_t> index_values(const std::vector<std::int64_t>& column,
                                        std::vector<std::int64_t>& values) {
  values.insert(values.end(), column.begin(), column.end());
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<std::uint32_t> index(column.size());
  std::ranges::transform(column, index.begin(), [&](std::int64_t value) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(values, value) - values.begin());
  });
  return index;
}

}  // namespace vecc::tools
