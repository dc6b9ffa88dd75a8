#include <algorithm>
#include <utility>

#include "vecc/program.h"

namespace vecc {

Segments Segments::ragged(std::vector<std::uint32_t> offsets) {
  return shared_ragged(std::make_shared<const std::vector<std::uint32_t>>(std::move(offsets)));
}

Segments Segments::shared_ragged(std::shared_ptr<const std::vector<std::uint32_t>> offsets) {
  Segments segments;
  segments.offsets_ = std::move(offsets);
  return segments;
}

Segments Segments::fixed(std::uint32_t members, std::uint32_t dimension) {
  VECC_CHECK(members > 0, "fixed segments of no members");
  Segments segments;
  segments.members_ = members;
  segments.dimension_ = dimension;
  return segments;
}

std::uint32_t Segments::count(std::uint32_t rows) const {
  if (is_fixed()) return rows / members_;
  return offsets().empty() ? 0 : static_cast<std::uint32_t>(offsets().size() - 1);
}

bool Segments::operator==(const Segments& other) const {
  return members_ == other.members_ && dimension_ == other.dimension_ &&
         std::ranges::equal(offsets(), other.offsets());
}

}  // namespace vecc
