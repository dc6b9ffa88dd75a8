#include "src/support/long_list.h"

#include <algorithm>

#include "src/support/list_threads.h"

namespace vecc {
namespace {

constexpr std::size_t kPage = std::size_t{1} << 12;
constexpr std::size_t kPiece = std::size_t{1} << 21;

}  // namespace

void touch_pages(void* data, std::size_t bytes) {
  if (bytes < kPiece) return;
  volatile char* const begin = static_cast<char*>(data);
  ListThreads::for_pieces((bytes - 1) / kPiece + 1, [&](std::size_t piece) {
    const std::size_t end = std::min(bytes, (piece + 1) * kPiece);
    for (std::size_t at = piece * kPiece; at < end; at += kPage) begin[at] = 0;
  });
}

}  // namespace vecc
