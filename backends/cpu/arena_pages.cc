#include "backends/cpu/arena_pages.h"

#include "src/batch/stored_rows.h"

namespace vecc::cpu {

ArenaPages::ArenaPages(const BatchPlan& batch, const BoundPlan& bound, std::uint64_t kept)
    : batch_(batch),
      bound_(bound),
      arena_(bound.arena()),
      kept_(kept),
      counts_(!batch.is_compact && arena_.bytes() > kept) {
  if (!counts_) return;
  arena_.use_small_pages();
  is_written_.resize(arena_.bytes() / kPage + 1);
}

void ArenaPages::make_room(const BatchRows& rows) {
  if (!counts_) return;
  const std::uint64_t number = byte_size(bound_.plan().dtype);
  const auto count = [&] {
    for_each_value(batch_, rows, [&](BufferIndex b, std::uint64_t first, std::uint64_t size) {
      const std::uint64_t begin = (bound_.first(b) + first) * number;
      for (std::uint64_t p = begin / kPage; p <= (begin + size * number - 1) / kPage; ++p) {
        if (is_written_[p]) continue;
        is_written_[p] = true;
        ++page_count_;
      }
    });
  };
  count();
  if (page_count_ * kPage <= kept_) return;
  arena_.give_back();
  is_written_.assign(is_written_.size(), false);
  page_count_ = 0;
  count();
}

}  // namespace vecc::cpu
