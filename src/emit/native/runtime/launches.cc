#include "src/emit/native/runtime/launches.h"

#include <algorithm>

namespace vecc::emitted {
namespace {

template <class T>
void write_as(std::span<const double> values, std::byte* memory) {
  auto* to = reinterpret_cast<T*>(memory);
  for (const double value : values) *to++ = static_cast<T>(value);
}

}  // namespace

std::vector<LaunchTables> launches_of(const DataFile& data) {
  const auto accesses = data.rows<AccessRow>("accesses");
  const auto words = data.rows<std::uint64_t>("words");
  std::vector<LaunchTables> launches;
  std::size_t access = 0;
  std::size_t word = 0;
  for (const LaunchRow& row : data.rows<LaunchRow>("launches")) {
    launches.push_back(
        {row, accesses.subspan(access, row.access_count), words.subspan(word, row.word_count)});
    access += row.access_count;
    word += row.word_count;
  }
  return launches;
}

std::uint64_t arena_elements(std::span<const BufferRow> buffers) {
  std::uint64_t elements = 0;
  for (const BufferRow& row : buffers) {
    if (row.kind == BufferKind::Arena) elements = std::max(elements, row.first + row.elements);
  }
  return elements;
}

void write_values(std::span<const double> values, bool is_double, std::byte* memory) {
  (is_double ? write_as<double> : write_as<float>)(values, memory);
}

}  // namespace vecc::emitted
