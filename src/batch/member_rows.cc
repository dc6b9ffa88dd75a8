#include "src/batch/member_rows.h"

#include <utility>

namespace vecc {

MemberRows::MemberRows(std::span<const std::uint32_t> offsets) : words_(offsets.back() / 64 + 1) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row + 1 < offsets.size(); ++row) {
    if (offsets[row] == offsets[row + 1]) continue;
    words_[offsets[row] / 64].begins |= std::uint64_t{1} << offsets[row] % 64;
    rows.push_back(row);
  }
  for (std::size_t w = 1; w < words_.size(); ++w) {
    words_[w].rows_before =
        words_[w - 1].rows_before + static_cast<std::uint32_t>(std::popcount(words_[w - 1].begins));
  }
  if (rows.size() + 1 != offsets.size()) rows_ = std::move(rows);
}

}  // namespace vecc
