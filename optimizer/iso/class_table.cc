#include "optimizer/iso/class_table.h"

#include <algorithm>
#include <utility>

#include "optimizer/rewrite/shared_hashes.h"
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

// Places up to the first that moves are free, as far as that one: as many as lie between can be
// written at once, by all threads, without one that is still to be read.
void ClassTable::keep_places(std::uint32_t begin, std::span<const std::uint32_t> fresh) {
  for (std::size_t n = 0; n < fresh.size();) {
    const std::size_t gap = fresh[n] - n;
    if (gap == 0) {
      ++n;
      continue;
    }
    const std::size_t count = std::min(gap, fresh.size() - n);
    ListThreads::for_ranges(count, [&](std::size_t from, std::size_t to) {
      for (std::size_t k = n + from; k < n + to; ++k) {
        const auto id = static_cast<std::uint32_t>(begin + k);
        std::ranges::copy(parts(begin + fresh[k]), place_of(id).begin());
        doubtful_[id] = doubtful_[begin + fresh[k]];
      }
    });
    n += count;
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

std::uint64_t ClassTable::take_meetings() {
  const std::uint64_t fresh = met_ - compared_;
  if (fresh == 0) return std::exchange(meetings_, 0);
  if (fresh * parts_ < kManyParts || fresh < met_ / kMostKnown) {
    compare_one_by_one();
  } else {
    compare_by_threads();
  }
  compared_ = met_;
  return std::exchange(meetings_, 0);
}

// Two classes of one hash are not to be expected: a table of all takes as long as in the first
// field, where all are told apart.
void ClassTable::compare_by_threads() {
  UnsetArray<std::uint64_t> hashes(met_);
  ListThreads::for_ranges(met_, [&](std::size_t begin, std::size_t end) {
    for (auto id = static_cast<std::uint32_t>(begin); id < end; ++id) {
      hashes[id] = hash_of(parts(id), &Residues::second);
    }
  });
  const std::vector<std::uint32_t> classes = perhaps_shared(hashes, met_);
  const auto count = static_cast<std::uint32_t>(classes.size());
  const std::vector<std::uint32_t> first = EqualRows::find(
      count, [&](std::uint32_t i) { return hashes[classes[i]]; },
      [&](std::uint32_t a, std::uint32_t b) {
        return equal_in(parts(classes[a]), parts(classes[b]), &Residues::second);
      });
  for (std::uint32_t i = 0; i < count; ++i) {
    if (classes[i] >= compared_ && first[i] != i) ++meetings_;
  }
}

void ClassTable::compare_one_by_one() {
  // The hash that the class after the next kBatch will be asked for is fetched ahead.
  std::array<std::uint64_t, kBatch> ahead{};
  second_.reserve(met_);
  const auto fetch = [&](std::uint32_t id) {
    if (id >= met_) return;
    ahead[id % kBatch] = hash_of(parts(id), &Residues::second);
    second_.prefetch(ahead[id % kBatch]);
  };
  for (std::uint32_t id = second_indexed_; id < second_indexed_ + kBatch; ++id) fetch(id);
  for (; second_indexed_ < met_; ++second_indexed_) {
    const std::uint32_t id = second_indexed_;
    const std::uint64_t hash = ahead[id % kBatch];
    bool meets = false;
    const std::size_t slot = second_.find(hash, [&](std::uint32_t other) {
      meets = meets || equal_in(parts(other), parts(id), &Residues::second);
      return false;
    });
    if (meets && id >= compared_) ++meetings_;
    second_.set(slot, hash, id);
    fetch(id + kBatch);
  }
}

}  // namespace vecc::opt::iso
