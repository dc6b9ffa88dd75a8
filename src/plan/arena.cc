#include "src/plan/arena.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "src/plan/analysis/in_place.h"
#include "src/program/inverse_index.h"

namespace vecc {
namespace {

constexpr std::uint64_t kAlignment = 16;  // 64 bytes of f32: a cache line

// Free blocks by place and by size.
class FreeBlocks {
 public:
  // The smallest block that is large enough; new room at the end if there is none.
  std::uint64_t take(std::uint64_t size) {
    const auto best = by_size_.lower_bound({size, 0});
    if (best == by_size_.end()) return grow(size);
    const auto [length, offset] = *best;
    remove(offset, length);
    if (length > size) add(offset + size, length - size);
    return offset;
  }
  void give(std::uint64_t offset, std::uint64_t size) {
    auto next = by_place_.lower_bound(offset);
    if (next != by_place_.end() && next->first == offset + size) {
      const std::uint64_t length = next->second;
      remove(offset + size, length);
      size += length;
    }
    next = by_place_.lower_bound(offset);
    if (next != by_place_.begin()) {
      const auto [before, length] = *std::prev(next);
      if (before + length == offset) {
        remove(before, length);
        offset = before;
        size += length;
      }
    }
    add(offset, size);
  }
  [[nodiscard]] std::uint64_t end() const { return end_; }

 private:
  std::uint64_t grow(std::uint64_t size) {
    std::uint64_t offset = end_;
    if (!by_place_.empty()) {  // a free block at the end is the beginning of the new one
      const auto [last, length] = *by_place_.rbegin();
      if (last + length == end_) {
        offset = last;
        remove(last, length);
      }
    }
    end_ = offset + size;
    return offset;
  }
  void add(std::uint64_t offset, std::uint64_t size) {
    by_place_.emplace(offset, size);
    by_size_.emplace(size, offset);
  }
  void remove(std::uint64_t offset, std::uint64_t size) {
    by_place_.erase(offset);
    by_size_.erase({size, offset});
  }

  std::map<std::uint64_t, std::uint64_t> by_place_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;
  std::uint64_t end_ = 0;
};

std::uint64_t padded(const PlanBuffer& buffer) {
  return (buffer.elements + kAlignment - 1) / kAlignment * kAlignment;
}

// Buffers that begin at one launch, the largest first, and those that take a place after it is one.
class ArenaPlacement {
 public:
  ArenaPlacement(std::span<PlanBuffer> buffers, std::span<const BufferIndex> takes)
      : buffers_(buffers), takes_(takes), placed_(buffers.size(), false), lent_(buffers.size()) {}

  void begin(std::vector<std::size_t> now) {
    std::ranges::stable_sort(now, std::ranges::greater(),
                             [&](std::size_t b) { return buffers_[b].elements; });
    for (const std::size_t b : now) place(b);
  }
  void end(const std::vector<std::size_t>& now) {
    for (const std::size_t b : now) {
      if (!lent_[b]) free_.give(buffers_[b].offset, padded(buffers_[b]));
    }
  }
  [[nodiscard]] std::uint64_t size() const { return free_.end(); }

 private:
  void place(std::size_t b) {
    if (placed_[b]) return;
    placed_[b] = true;
    if (takes_.empty() || takes_[b] == kNone) {
      buffers_[b].offset = free_.take(padded(buffers_[b]));
      return;
    }
    place(takes_[b]);  // it may begin here, too
    buffers_[b].offset = buffers_[takes_[b]].offset;
    lent_[takes_[b]] = true;
  }

  std::span<PlanBuffer> buffers_;
  std::span<const BufferIndex> takes_;
  std::vector<bool> placed_;  // by buffer
  std::vector<bool> lent_;    // by buffer: another one ends its life
  FreeBlocks free_;
};

// Each buffer where no other one ever is, if all of them are not more than a GPU's cache holds.
bool place_apart(const PlanOptions& options, Plan& plan) {
  const std::uint64_t most = std::bit_ceil(options.target.cache_bytes / sizeof(float));
  if (elements_apart(plan.buffers) > most) return false;
  std::vector<PlanBuffer> apart = plan.buffers;
  const auto launches = static_cast<std::uint32_t>(plan.launches.size());
  for (PlanBuffer& buffer : apart) {
    buffer.first = 0;
    buffer.last = launches;
  }
  plan.arena_elements = place_in_arena(apart, launches);
  plan.buffers = std::move(apart);
  return true;
}

// Small buffers (sums of all rows, and their pieces) are where no other one ever is, if a
// processor's arena is larger than a core's cache and grows by little: what is stored where another
// one was waits for all rows that read that, and with it rows that could follow others through the
// cache (tile_order.h).
void set_small_apart(std::span<const BufferIndex> takes, Plan& plan) {
  constexpr std::uint64_t kSmall = 64;  // of an arena
  constexpr std::uint64_t kGrowth = 16;
  constexpr std::uint64_t kLeast = 1 << 20;
  if (plan.arena_elements < kLeast) return;
  const auto launches = static_cast<std::uint32_t>(plan.launches.size());
  std::vector<PlanBuffer> lives = plan.buffers;
  std::vector<BufferIndex> large(takes.begin(), takes.end());
  for (std::size_t b = 0; b < lives.size(); ++b) {
    if (lives[b].elements > plan.arena_elements / kSmall) continue;
    lives[b].first = 0;
    lives[b].last = launches;
    if (!large.empty()) large[b] = kNone;
  }
  const std::uint64_t elements = place_in_arena(lives, launches, large);
  if (elements > plan.arena_elements + plan.arena_elements / kGrowth) return;
  plan.arena_elements = elements;
  for (std::size_t b = 0; b < lives.size(); ++b) plan.buffers[b].offset = lives[b].offset;
}

}  // namespace

// In place, unless other gaps then happen to fit worse. Kernels do not depend on sizes: they are
// marked even if nothing is reused.
void place_buffers(const PlanOptions& options, Plan& plan) {
  const bool at_once = options.target.runs_levels_at_once();
  std::vector<BufferIndex> takes;
  if (!at_once) takes = find_lenders(plan);
  mark_in_place(plan, takes);
  if (place_apart(options, plan)) return;
  const auto launches = static_cast<std::uint32_t>(plan.launches.size());
  std::vector<PlanBuffer> lives = plan.buffers;
  if (at_once) live_by_level(plan.launches, lives);
  std::vector<PlanBuffer> shared = lives;
  const std::uint64_t in_place = place_in_arena(shared, launches, takes);
  plan.arena_elements = place_in_arena(lives, launches);
  if (in_place <= plan.arena_elements) {
    plan.arena_elements = in_place;
    lives = std::move(shared);
  } else {
    takes.clear();
  }
  for (std::size_t b = 0; b < lives.size(); ++b) plan.buffers[b].offset = lives[b].offset;
  if (!at_once) set_small_apart(takes, plan);
}

std::uint64_t elements_apart(std::span<const PlanBuffer> buffers) {
  std::uint64_t elements = 0;
  for (const PlanBuffer& buffer : buffers) {
    if (buffer.kind == PlanBuffer::Kind::Arena) elements += padded(buffer);
  }
  return elements;
}

std::uint64_t place_in_arena(std::span<PlanBuffer> buffers, std::uint32_t launches,
                             std::span<const BufferIndex> takes) {
  std::vector<std::uint32_t> placed;
  std::vector<std::uint32_t> first;  // of those
  std::vector<std::uint32_t> last;
  for (std::uint32_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].kind != PlanBuffer::Kind::Arena || buffers[b].elements == 0) continue;
    placed.push_back(b);
    first.push_back(buffers[b].first);
    last.push_back(std::min(buffers[b].last, launches));
  }
  const InverseIndex begins = inverse_index(std::span<const std::uint32_t>(first), launches + 1);
  const InverseIndex ends = inverse_index(std::span<const std::uint32_t>(last), launches + 1);
  const auto at = [&](const InverseIndex& launch_of, std::uint32_t launch) {
    std::vector<std::size_t> now;
    for (std::uint32_t k = launch_of.offsets[launch]; k < launch_of.offsets[launch + 1]; ++k) {
      now.push_back(placed[launch_of.readers[k]]);
    }
    return now;
  };
  ArenaPlacement placement(buffers, takes);
  for (std::uint32_t launch = 0; launch <= launches; ++launch) {  // steps may come behind the last
    placement.begin(at(begins, launch));
    placement.end(at(ends, launch));
  }
  return placement.size();
}

void live_by_level(std::span<const Launch> launches, std::span<PlanBuffer> buffers) {
  const auto count = static_cast<std::uint32_t>(launches.size());
  const auto same_level = [&](std::uint32_t a, std::uint32_t b) {
    return launches[a].stage == launches[b].stage && launches[a].level == launches[b].level;
  };
  std::vector<std::uint32_t> begin(count), end(count);  // of a launch's level
  for (std::uint32_t l = 0; l < count; ++l) {
    begin[l] = l > 0 && same_level(l - 1, l) ? begin[l - 1] : l;
  }
  for (std::uint32_t l = count; l-- > 0;) {
    end[l] = l + 1 < count && same_level(l, l + 1) ? end[l + 1] : l;
  }
  for (PlanBuffer& buffer : buffers) {
    if (buffer.first < count) buffer.first = begin[buffer.first];
    if (buffer.last < count) buffer.last = end[buffer.last];
  }
}

}  // namespace vecc
