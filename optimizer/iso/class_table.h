// Distinct fingerprints of one width, numbered: the classes of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "optimizer/iso/residues.h"

namespace vecc::iso {

class ClassTable {
 public:
  /// Fingerprints of `parts` residues each, at least one. `meeting_in_one_field` counts classes
  /// that another one meets in one of the two fields alone. They are different: that they meet is
  /// chance (none is to be expected) or a count that one of the primes divides.
  ClassTable(std::size_t parts, std::uint64_t& meeting_in_one_field)
      : parts_(parts), meeting_(meeting_in_one_field) {}

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::size_t part_count() const { return parts_; }
  /// Valid until the next append or insert.
  [[nodiscard]] std::span<const Residues> parts(std::uint32_t id) const {
    return std::span(blocks_[id / kBlock]).subspan(id % kBlock * parts_, parts_);
  }
  /// See RowFingerprint.
  [[nodiscard]] bool doubtful(std::uint32_t id) const { return doubtful_[id]; }

  /// A fingerprint that is known to be new (by identity).
  std::uint32_t append(std::span<const Residues> fingerprint, bool doubtful = false);
  /// The class of a fingerprint: the one that has the same residues in both fields. It is as
  /// doubtful as the first row of it.
  std::uint32_t insert(std::span<const Residues> fingerprint, bool doubtful = false);

 private:
  static constexpr std::uint32_t kBlock = 1 << 14;

  // Open addressing by the residues of one field; slots hold class + 1, 0 if empty.
  template <std::uint64_t Residues::*kField>
  struct FieldIndex {
    std::vector<std::uint32_t> slots;
  };
  template <std::uint64_t Residues::*kField>
  void add_to(FieldIndex<kField>& index, std::uint32_t id);
  template <std::uint64_t Residues::*kField>
  void grow(FieldIndex<kField>& index);
  void catch_up();

  std::size_t parts_;
  std::uint64_t& meeting_;
  std::uint32_t size_ = 0;
  std::vector<std::vector<Residues>> blocks_;  // of kBlock classes: growing moves one of them
  std::vector<bool> doubtful_;
  std::uint32_t indexed_ = 0;  // classes below are in both indices
  FieldIndex<&Residues::first> first_;
  FieldIndex<&Residues::second> second_;
};

}  // namespace vecc::iso
