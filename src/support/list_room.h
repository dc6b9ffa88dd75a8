// Room of long lists that grow.
#pragma once

#include <cstddef>
#include <vector>

namespace vecc {

/// For `more` entries, with room for a quarter more (doubling would leave up to half of a long list
/// unused, and reserving exactly would copy it each time).
template <class T>
void make_room(std::vector<T>& list, std::size_t more) {
  const std::size_t needed = list.size() + more;
  if (needed > list.capacity()) list.reserve(needed + list.size() / 4);
}

/// Gives back unused room where it is worth a copy.
template <class T>
void trim_list(std::vector<T>& list) {
  if (list.capacity() - list.size() > list.size() / 32) list.shrink_to_fit();
}

}  // namespace vecc
