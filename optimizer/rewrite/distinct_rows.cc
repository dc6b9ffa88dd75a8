#include "optimizer/rewrite/distinct_rows.h"

#include <bit>
#include <cstring>

namespace vecc::opt {

std::uint32_t DistinctRows::number_of(const double* row) {
  const auto [entry, is_new] = numbers_.try_emplace(row, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) rows_.push_back(row);
  return entry->second;
}

std::uint64_t hash_of_constants(const NumberRow& row, std::size_t size) {
  return row.visit(size, [](auto values) {
    std::uint64_t hash = 0x9E3779B97F4A7C15ull;
    for (const double value : values) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0xD6E8FEB86659FD93ull;
      hash ^= hash >> 32;
    }
    return hash * 0x9E3779B97F4A7C15ull;
  });
}

std::uint64_t hash_of_constants(const double* row, std::size_t size) {
  return hash_of_constants(NumberRow(row), size);
}

bool are_same_constants(const NumberRow& a, const NumberRow& b, std::size_t size) {
  if (a.are_floats() == b.are_floats()) {
    const std::size_t width = a.are_floats() ? sizeof(float) : sizeof(double);
    return std::memcmp(a.data(), b.data(), size * width) == 0;
  }
  std::size_t k = 0;
  while (k < size && std::bit_cast<std::uint64_t>(a[k]) == std::bit_cast<std::uint64_t>(b[k])) ++k;
  return k == size;
}

std::size_t DistinctRows::Hash::operator()(const double* row) const noexcept {
  return hash_of_constants(row, size);
}

bool DistinctRows::Equal::operator()(const double* a, const double* b) const noexcept {
  return std::memcmp(a, b, size * sizeof(double)) == 0;
}

}  // namespace vecc::opt
