#include "tools/ground/constant_table.h"

#include <charconv>

namespace vecc::tools::ground {
namespace {

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;  // nan, inf
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

Constant ConstantTable::add(std::string_view key, std::string_view text, std::uint32_t type) {
  if (const auto found = of_key_.find(key); found != of_key_.end()) return found->second;
  const auto next = static_cast<Constant>(keys_.size());
  keys_.emplace_back(key);
  numbers_.push_back(number_of(text));
  type_of_.push_back(type);
  of_key_.emplace(keys_.back(), next);
  return next;
}

}  // namespace vecc::tools::ground
