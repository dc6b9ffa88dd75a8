#include "tools/common/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace vecc::tools {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the table of distances of a's and b's beginnings: two before, before, at hand.
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, std::exchange(row, std::move(before_last)));
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> names) {
  // Longer words are not misspelt command names, and the table is quadratic.
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return std::nullopt;
  std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
  std::optional<std::string> result;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance >= least) continue;
    least = distance;
    result = name;
  }
  return result;
}

}  // namespace vecc::tools
