#include "src/support/long_list.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "src/support/list_threads.h"

namespace vecc {
namespace {

constexpr std::size_t kPage = std::size_t{1} << 12;
constexpr std::size_t kLargePage = std::size_t{1} << 21;

}  // namespace

void ask_for_large_pages(void* data, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  // Those that lie inside: none holds memory that is not written.
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(data) % kLargePage;
  if (bytes < before + kLargePage) return;
  const std::size_t inside = (bytes - before) / kLargePage * kLargePage;
  ::madvise(static_cast<char*>(data) + before, inside, MADV_HUGEPAGE);  // as good without
#endif
}

void touch_pages(void* data, std::size_t bytes) {
  if (bytes < kLargePage) return;
  ask_for_large_pages(data, bytes);
  volatile char* const begin = static_cast<char*>(data);
  ListThreads::for_pieces((bytes - 1) / kLargePage + 1, [&](std::size_t piece) {
    const std::size_t end = std::min(bytes, (piece + 1) * kLargePage);
    for (std::size_t at = piece * kLargePage; at < end; at += kPage) begin[at] = 0;
  });
}

}  // namespace vecc
