// Memory of long lists. A list that is made with all its entries is written once, page after page,
// by the thread that makes it: of lists of millions that takes longer than the work on them that
// threads share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/support/list_threads.h"

namespace vecc {

/// Of memory that is to be written whole: all threads of the scope (ListThreads) touch it, if it is
/// long. Leaves it unset.
void touch_pages(void* data, std::size_t bytes);

namespace detail {

/// A vector whose end is moved, where the standard library's is one that allows it.
template <class T>
class UnsetVector : private std::vector<T> {
 public:
  [[nodiscard]] static std::vector<T> make(std::size_t count) {
    UnsetVector list;
    list.reserve(count);
    touch_pages(list.data(), count * sizeof(T));
#if defined(__GLIBCXX__) && !defined(_GLIBCXX_DEBUG) && !defined(_GLIBCXX_SANITIZE_VECTOR)
    list._M_impl._M_finish = list._M_impl._M_start + count;
#else
    list.resize(count);
#endif
    return std::move(static_cast<std::vector<T>&>(list));
  }
};

}  // namespace detail

/// `count` entries with any values: each is to be written before it is read.
template <class T>
[[nodiscard]] std::vector<T> unset_list(std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  return detail::UnsetVector<T>::make(count);
}

/// `count` times `value`, written by all threads of the scope.
template <class T>
[[nodiscard]] std::vector<T> long_list(std::size_t count, T value = T()) {
  std::vector<T> list = unset_list<T>(count);
  ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
    std::fill(list.data() + begin, list.data() + end, value);
  });
  return list;
}

}  // namespace vecc
