#include "optimizer/passes/pass_context.h"

#include <algorithm>
#include <utility>

namespace vecc::opt {

const RowClasses& PassContext::row_classes(const Program& program) {
  if (!row_classes_) row_classes_.emplace(program, told_apart_);
  return *row_classes_;
}

const RowClasses* PassContext::row_classes_of_few(const Program& program, std::uint64_t most) {
  row_classes_ = RowClasses::of_few(program, most);
  return row_classes_ ? &*row_classes_ : nullptr;
}

void PassContext::count(std::string_view what, std::uint64_t amount) {
  const auto found =
      std::ranges::find(counters_, what, &std::pair<std::string, std::uint64_t>::first);
  if (found != counters_.end()) {
    found->second += amount;
  } else {
    counters_.emplace_back(std::string(what), amount);
  }
}

std::vector<std::pair<std::string, std::uint64_t>> PassContext::take_counters() {
  return std::exchange(counters_, {});
}

}  // namespace vecc::opt
