#include "tools/common/freed_memory.h"

#include <cstdlib>  // defines __GLIBC__, if it is
#include <limits>
#include <new>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace vecc::tools {
#ifdef __GLIBC__
namespace {

// Where the address space is limited, the last of it is less than a heap grows by.
void grow_by_little() {
  thread_local bool has_retried = false;
  if (has_retried) throw std::bad_alloc();
  has_retried = true;
  mallopt(M_TOP_PAD, 0);
}

}  // namespace
#endif

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMost = std::numeric_limits<int>::max();
  constexpr int kGrowth = 64 << 20;
  mallopt(M_MMAP_THRESHOLD, kMost);
  mallopt(M_TRIM_THRESHOLD, kMost);
  mallopt(M_TOP_PAD, kGrowth);
  std::set_new_handler(grow_by_little);
#endif
}

void return_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

namespace {

void set_limits([[maybe_unused]] int on_heap, [[maybe_unused]] int kept) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, on_heap);
  mallopt(M_TRIM_THRESHOLD, kept);
#endif
}

}  // namespace

FreedMemoryScope::FreedMemoryScope(bool keeps) : keeps_(keeps) {
  if (keeps_) set_limits(std::numeric_limits<int>::max(), std::numeric_limits<int>::max());
}

FreedMemoryScope::~FreedMemoryScope() {
  if (!keeps_) return;
  constexpr int kMostOnHeap = 32 << 20;  // what glibc's own threshold grows to
  set_limits(kMostOnHeap, 2 * kMostOnHeap);
  return_freed_memory();
}

}  // namespace vecc::tools
