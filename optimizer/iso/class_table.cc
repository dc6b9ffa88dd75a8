#include "optimizer/iso/class_table.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "optimizer/rewrite/keep_least.h"
#include "vecc/error.h"

namespace vecc::opt::iso {

bool ClassTable::equal_in(std::span<const Residues> a, std::span<const Residues> b,
                          std::uint64_t Residues::*field) {
  return std::ranges::equal(a, b, {}, field, field);
}

std::uint64_t ClassTable::hash_of(std::span<const Residues> parts, std::uint64_t Residues::*field) {
  std::uint64_t hash = 0;
  for (const Residues& part : parts) {
    hash = (hash ^ part.*field) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 32;
  }
  return hash * 0xD6E8FEB86659FD93ull;
}

std::uint32_t ClassTable::append(std::span<const Residues> fingerprint, bool doubtful) {
  VECC_CHECK(fingerprint.size() == parts_, "a fingerprint of another width");
  if (size_ % kBlock == 0) {
    blocks_.emplace_back();
    if (size_ > 0) blocks_.back().reserve(kBlock * parts_);  // the first one grows: most are small
  }
  blocks_.back().insert(blocks_.back().end(), fingerprint.begin(), fingerprint.end());
  doubtful_.push_back(doubtful ? 1 : 0);
  if (doubtful) any_doubtful_ = 1;
  return size_++;
}

void ClassTable::add_places(std::uint32_t count) {
  const std::size_t first_block = size_ / kBlock;
  size_ += count;
  doubtful_.resize(size_);
  blocks_.resize((std::size_t{size_} + kBlock - 1) / kBlock);
  const auto elements_of = [&](std::size_t block) {
    return std::min<std::size_t>(size_ - block * kBlock, kBlock) * parts_;
  };
  for (std::size_t block = first_block; block < blocks_.size(); ++block) {
    // Here: what a thread asks for comes from memory that others do not use again.
    blocks_[block].reserve(elements_of(block));
  }
  ListThreads::for_pieces(blocks_.size() - std::min(first_block, blocks_.size()),
                          [&](std::size_t piece) {
                            const std::size_t block = first_block + piece;
                            blocks_[block].resize(elements_of(block));
                          });
}

// A chunk after the other is read by all threads, then written by all: where a class goes, none of
// a later chunk lies.
void ClassTable::keep_places(std::uint32_t begin, std::span<const std::uint32_t> fresh) {
  constexpr std::size_t kChunk = std::size_t{1} << 19;  // residues: 8 MB
  std::size_t moved = 0;                                // those before the first that goes stay
  while (moved < fresh.size() && fresh[moved] == moved) ++moved;
  const std::size_t chunk = std::max<std::size_t>(kChunk / parts_, 1);
  UnsetArray<Residues> read(std::min(chunk, fresh.size() - moved) * parts_);
  UnsetArray<std::uint8_t> doubtful(std::min(chunk, fresh.size() - moved));
  for (; moved < fresh.size(); moved += chunk) {
    const std::size_t count = std::min(chunk, fresh.size() - moved);
    ListThreads::for_ranges(count, [&](std::size_t from, std::size_t to) {
      for (std::size_t k = from; k < to; ++k) {
        const std::uint32_t id = begin + fresh[moved + k];
        std::ranges::copy(parts(id), read.part(k * parts_, parts_).begin());
        doubtful[k] = doubtful_[id];
      }
    });
    ListThreads::for_ranges(count, [&](std::size_t from, std::size_t to) {
      for (std::size_t k = from; k < to; ++k) {
        const auto id = static_cast<std::uint32_t>(begin + moved + k);
        std::ranges::copy(read.part(k * parts_, parts_), place_of(id).begin());
        doubtful_[id] = doubtful[k];
      }
    });
  }
  size_ = begin + static_cast<std::uint32_t>(fresh.size());
  doubtful_.resize(size_);
  blocks_.resize((std::size_t{size_} + kBlock - 1) / kBlock);
  if (size_ % kBlock != 0) blocks_.back().resize(size_ % kBlock * parts_);
}

std::uint32_t ClassTable::insert(std::span<const Residues> fingerprint, bool doubtful) {
  index_appended(1);
  return insert(hash_of(fingerprint, &Residues::first), fingerprint, doubtful);
}

std::uint32_t ClassTable::insert(std::uint64_t hash, std::span<const Residues> fingerprint,
                                 bool doubtful) {
  bool meets = false;
  const std::size_t slot = first_.find(hash, [&](std::uint32_t id) {
    if (!equal_in(parts(id), fingerprint, &Residues::first)) return false;
    const bool is_same = equal_in(parts(id), fingerprint, &Residues::second);
    meets = meets || !is_same;
    return is_same;
  });
  if (first_[slot] != HashSlots::kNone) return first_[slot];
  if (meets) ++meetings_;
  first_.set(slot, hash, size_);
  indexed_ = met_ = size_ + 1;
  return append(fingerprint, doubtful);
}

std::vector<std::uint32_t> ClassTable::merge(const ClassTable& others) {
  std::vector<std::uint32_t> merged(others.size(), HashSlots::kNone);
  std::vector<std::uint8_t> meets(others.size());
  // Looks for a class of `others` that is equal to `of`; notes those that are in one field alone.
  const auto look_for = [&](std::span<const Residues> of, const auto& note) {
    return others.first_[others.first_.find(hash_of(of, &Residues::first), [&](std::uint32_t n) {
      if (!equal_in(others.parts(n), of, &Residues::first)) return false;
      if (equal_in(others.parts(n), of, &Residues::second)) return true;
      note(n);
      return false;
    })];
  };
  ListThreads::for_ranges(size_, [&](std::size_t begin, std::size_t end) {
    for (auto id = static_cast<std::uint32_t>(begin); id < end; ++id) {
      const std::uint32_t n = look_for(parts(id), [&](std::uint32_t m) {
        std::atomic_ref(meets[m]).store(1, std::memory_order_relaxed);
      });
      if (n != HashSlots::kNone) keep_least(merged[n], id);
    }
  });
  const bool all_met = met_ == size_;
  for (std::uint32_t n = 0; n < others.size(); ++n) {
    if (merged[n] != HashSlots::kNone) continue;
    // Earlier ones come before it where a place is looked for.
    (void)look_for(others.parts(n), [&](std::uint32_t) { meets[n] = 1; });
    meetings_ += all_met ? meets[n] : 0;
    merged[n] = append(others.parts(n), others.doubtful(n));
  }
  if (all_met) met_ = size_;
  return merged;
}

// Makes all classes findable, with room for some more.
void ClassTable::index_appended(std::size_t room) {
  first_.reserve(size_ + room);
  for (; indexed_ < size_; ++indexed_) {
    const std::uint64_t hash = hash_of(parts(indexed_), &Residues::first);
    bool meets = false;
    const std::size_t slot = first_.find(hash, [&](std::uint32_t id) {
      meets = meets || equal_in(parts(id), parts(indexed_), &Residues::first);
      return false;
    });
    if (meets && indexed_ >= met_) ++meetings_;
    first_.set(slot, hash, indexed_);
  }
  met_ = size_;
}

}  // namespace vecc::opt::iso
