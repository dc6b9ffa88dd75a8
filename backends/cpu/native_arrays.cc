#include "backends/cpu/native_arrays.h"

#include <algorithm>

namespace vecc::cpu {

NativeArrays::NativeArrays(const Plan& plan)
    : arrays_(plan.arrays), fits_(plan), read_(arrays_.size()) {
  for (ArrayIndex a = 0; a < arrays_.size(); ++a) {
    if (!plan.is_filled(a)) continue;
    const auto own = std::make_shared<std::vector<std::uint32_t>>(*arrays_[a]);
    filled_.emplace(a, own.get());
    arrays_[a] = own;
  }
}

const void* NativeArrays::entries(ArrayIndex array, bool narrow) {
  if (!narrow) return words(array);
  const std::vector<std::uint32_t>& wide = *arrays_[array];
  const auto [found, is_new] = narrow_.try_emplace(array);
  if (is_new) {
    found->second.resize(wide.size());
    std::ranges::transform(wide, found->second.begin(),
                           [](std::uint32_t entry) { return static_cast<std::uint16_t>(entry); });
  }
  return found->second.data();
}

const std::uint32_t* NativeArrays::words(ArrayIndex array) {
  read_[array] = true;
  return arrays_[array]->data();
}

std::uint32_t* NativeArrays::filled(ArrayIndex array) {
  const auto found = filled_.find(array);
  if (found == filled_.end()) return nullptr;
  read_[array] = true;
  return found->second->data();
}

void NativeArrays::drop_unread() {
  for (ArrayIndex a = 0; a < arrays_.size(); ++a) {
    if (!read_[a]) arrays_[a] = nullptr;
  }
}

std::uint64_t NativeArrays::bytes() const {
  std::uint64_t bytes = 0;
  for (const Array& array : arrays_) {
    if (array != nullptr) bytes += array->size() * sizeof(std::uint32_t);
  }
  for (const auto& [array, entries] : narrow_) bytes += entries.size() * sizeof(std::uint16_t);
  return bytes;
}

}  // namespace vecc::cpu
