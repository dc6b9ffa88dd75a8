// Memory that is asked for before it is read or written: tables of millions of rows are in no
// cache.
//
// GCC takes a function that does nothing but prefetch for one without an effect and drops its
// calls, unless it has been inlined before that is found out. The empty assembly is an effect.
#pragma once

namespace vecc {

/// Of what is to be read soon.
inline void prefetch_memory(const void* place) {
  __builtin_prefetch(place);
  asm volatile("");
}

/// Of what is to be written soon.
inline void prefetch_to_write(const void* place) {
  __builtin_prefetch(place, 1);
  asm volatile("");
}

}  // namespace vecc
