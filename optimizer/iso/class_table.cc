#include "optimizer/iso/class_table.h"

#include <algorithm>

#include "vecc/error.h"

namespace vecc::iso {
namespace {

template <std::uint64_t Residues::*kField>
std::size_t hash_of(std::span<const Residues> parts) {
  std::uint64_t hash = 0;
  for (const Residues& part : parts) hash = (hash ^ part.*kField) * 0x9E3779B97F4A7C15ull;
  return hash ^ hash >> 32;
}

template <std::uint64_t Residues::*kField>
bool equal_in(std::span<const Residues> a, std::span<const Residues> b) {
  return std::ranges::equal(a, b, {}, kField, kField);
}

// Calls `visit(class)` for all classes that share the slot's chain, until it returns true; the
// empty slot at the chain's end otherwise.
template <class Visit>
std::size_t walk_chain(const std::vector<std::uint32_t>& slots, std::size_t hash, Visit&& visit) {
  const std::size_t mask = slots.size() - 1;
  std::size_t slot = hash & mask;
  while (slots[slot] != 0 && !visit(slots[slot] - 1)) slot = (slot + 1) & mask;
  return slot;
}

}  // namespace

std::uint32_t ClassTable::append(std::span<const Residues> fingerprint, bool doubtful) {
  VECC_CHECK(fingerprint.size() == parts_, "a fingerprint of another width");
  if (size_ % kBlock == 0) blocks_.emplace_back();
  blocks_.back().insert(blocks_.back().end(), fingerprint.begin(), fingerprint.end());
  doubtful_.push_back(doubtful);
  return size_++;
}

std::uint32_t ClassTable::insert(std::span<const Residues> fingerprint, bool doubtful) {
  catch_up();
  const std::size_t slot =
      walk_chain(first_.slots, hash_of<&Residues::first>(fingerprint),
                 [&](std::uint32_t id) { return std::ranges::equal(parts(id), fingerprint); });
  if (first_.slots[slot] != 0) return first_.slots[slot] - 1;
  const std::uint32_t id = append(fingerprint, doubtful);
  catch_up();
  return id;
}

void ClassTable::catch_up() {
  // At most three quarters full, and never empty.
  while (3 * first_.slots.size() < 4 * (std::size_t{size_} + 1)) {
    grow(first_);
    grow(second_);
  }
  for (; indexed_ < size_; ++indexed_) {
    add_to(first_, indexed_);
    add_to(second_, indexed_);
  }
}

// A class that has met another one in this field is counted once.
template <std::uint64_t Residues::*kField>
void ClassTable::add_to(FieldIndex<kField>& index, std::uint32_t id) {
  bool meets = false;
  const std::size_t slot =
      walk_chain(index.slots, hash_of<kField>(parts(id)), [&](std::uint32_t other) {
        meets = meets || equal_in<kField>(parts(other), parts(id));
        return false;
      });
  index.slots[slot] = id + 1;
  if (meets) ++meeting_;
}

template <std::uint64_t Residues::*kField>
void ClassTable::grow(FieldIndex<kField>& index) {
  index.slots.assign(std::max<std::size_t>(16, 2 * index.slots.size()), 0);
  for (std::uint32_t id = 0; id < indexed_; ++id) {
    const std::size_t slot =
        walk_chain(index.slots, hash_of<kField>(parts(id)), [](std::uint32_t) { return false; });
    index.slots[slot] = id + 1;
  }
}

}  // namespace vecc::iso
