// Memory of long lists. A list that is made with all its entries has each page touched first by the
// thread that makes it, one after another: of lists of millions that takes longer than the work on
// them that threads share.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace vecc {

/// Of memory that is to be written whole: all threads of the scope (ListThreads) touch it, if it is
/// long. Leaves it unset.
void touch_pages(void* data, std::size_t bytes);

/// `count` times `value`.
template <class T>
[[nodiscard]] std::vector<T> long_list(std::size_t count, T value = T()) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> list;
  list.reserve(count);
  touch_pages(list.data(), count * sizeof(T));
  list.resize(count, value);
  return list;
}

}  // namespace vecc
