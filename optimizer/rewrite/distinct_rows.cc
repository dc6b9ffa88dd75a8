#include "optimizer/rewrite/distinct_rows.h"

#include <bit>
#include <cstring>

namespace vecc::opt {

std::uint32_t DistinctRows::number_of(const double* row) {
  const auto [entry, is_new] = numbers_.try_emplace(row, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) rows_.push_back(row);
  return entry->second;
}

std::uint64_t hash_of_constants(const double* row, std::size_t size) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ull;
  for (std::size_t k = 0; k < size; ++k) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(row[k])) * 0xD6E8FEB86659FD93ull;
    hash ^= hash >> 32;
  }
  return hash * 0x9E3779B97F4A7C15ull;
}

std::size_t DistinctRows::Hash::operator()(const double* row) const noexcept {
  return hash_of_constants(row, size);
}

bool DistinctRows::Equal::operator()(const double* a, const double* b) const noexcept {
  return std::memcmp(a, b, size * sizeof(double)) == 0;
}

}  // namespace vecc::opt
