#include "src/emit/native/index_table.h"

#include <algorithm>

#include "src/emit/native/runtime/tables.h"
#include "src/kernel/kernel_lists.h"

namespace vecc::emit {
namespace {

// Every array begins at a multiple of a cache line.
constexpr std::size_t kIndexAlignment = 64;

template <class Entry>
std::uint64_t append(std::string& bytes, std::span<const Entry> entries) {
  bytes.resize((bytes.size() + kIndexAlignment - 1) / kIndexAlignment * kIndexAlignment);
  const std::uint64_t place = bytes.size() / sizeof(Entry);
  bytes.append(reinterpret_cast<const char*>(entries.data()), entries.size_bytes());
  return place;
}

}  // namespace

bool IndexTable::is_narrow(const Launch& launch) const {
  return has_lists(plan_.kernels[launch.kernel]) && fits_.has_all_of(launch);
}

std::uint64_t IndexTable::place_of(ArrayIndex array, bool narrow) {
  if (array == kNone) return emitted::kNoPlace;
  const auto found = places_.find({array, narrow});
  if (found != places_.end()) return found->second;
  const std::vector<std::uint32_t>& wide = *plan_.arrays[array];
  std::uint64_t place = 0;
  if (narrow) {
    std::vector<std::uint16_t> entries(wide.size());
    std::ranges::transform(wide, entries.begin(),
                           [](std::uint32_t entry) { return static_cast<std::uint16_t>(entry); });
    place = append(narrow_, std::span<const std::uint16_t>(entries));
  } else {
    place = add(wide);
  }
  places_.emplace(std::pair(array, narrow), place);
  return place;
}

std::uint64_t IndexTable::add(std::span<const std::uint32_t> entries) {
  return append(wide_, entries);
}

void IndexTable::move_to(std::vector<WeightTensor>& tensors) {
  const auto move = [&](const char* name, ElementType type, std::string& bytes) {
    const std::uint64_t count = bytes.size() / size_of(type);
    tensors.push_back({name, type, {count}, std::move(bytes)});
  };
  move("indices_16", ElementType::U16, narrow_);
  move("indices_32", ElementType::U32, wide_);
}

}  // namespace vecc::emit
