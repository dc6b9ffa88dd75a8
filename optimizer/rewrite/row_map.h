// Computing fewer rows of some values: the engine under every pass that merges or drops rows.
//
// A pass says, value by value, which rows are still computed (`kept`) and which of them stands for
// every old row (`place`); rows of one place must be equal for any weights. rebuild_rows then makes
// the Program that computes the kept rows only and whose readers find the rest: gathers are
// composed, pushed through concats, and made again only where a reader needs rows that do not
// stand as it wants them.
//
//   %3 = gather %0 [0, 1, 0] : f32[3, 1]                     kept {0, 1}, place {0, 1, 0}
//   %4 = transform %3 tanh : f32[3, 1]                       for %4
//   %5 = segment %4 [0, 1, 3] sum : f32[2, 1]
//   =>
//   %3 = gather %0 [0, 1] ; %4 = transform %3 tanh : f32[2, 1] ; %5 = gather %4 [0, 1, 0]
//   %6 = segment %5 [0, 1, 3] sum : f32[2, 1]
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "vecc/program.h"

namespace vecc::opt {

/// In RowMap::place: an old row that is not read.
inline constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

struct RowMap {
  /// All rows, as they are; the vectors are empty.
  bool identity = true;
  std::vector<std::uint32_t> kept;   ///< new row -> old row
  std::vector<std::uint32_t> place;  ///< old row -> new row, or kNoRow

  /// The map that keeps the first row of each class, in the order of those first rows;
  /// `classes[row]` is any number below `class_count`, or kNoRow for a row that is not read. The
  /// identity if that is all rows in order.
  [[nodiscard]] static RowMap of_classes(std::span<const std::uint32_t> classes,
                                         std::uint32_t class_count);
  /// The same where all rows are read, and classes are numbered in the order of their first rows.
  [[nodiscard]] static RowMap of_numbered(std::span<const std::uint32_t> classes,
                                          std::uint32_t class_count);
  /// Rows that are left.
  [[nodiscard]] std::uint32_t rows(const Op& op) const {
    return identity ? op.rows : static_cast<std::uint32_t>(kept.size());
  }
};

/// One map a value: the identity until another one is set.
class RowMaps {
 public:
  explicit RowMaps(std::size_t values = 0) : number_(values) {}

  /// The number of values; new ones have the identity.
  [[nodiscard]] std::size_t size() const { return number_.size(); }
  void resize(std::size_t values) { number_.resize(values); }
  [[nodiscard]] bool all_identity() const { return maps_.size() == 1; }
  [[nodiscard]] const RowMap& operator[](ValueId value) const { return maps_[number_[value]]; }
  /// The map that was set for a value.
  [[nodiscard]] RowMap& changed(ValueId value) { return maps_[number_[value]]; }
  /// References to other maps are no longer good.
  RowMap& set(ValueId value, RowMap map) {
    if (number_[value] == 0) {
      number_[value] = static_cast<std::uint32_t>(maps_.size());
      maps_.emplace_back();
    }
    return maps_[number_[value]] = std::move(map);
  }
  /// The same, unless it is the identity, for a value that has no other one.
  void set_unless_identity(ValueId value, RowMap map) {
    if (!map.identity) set(value, std::move(map));
  }

 private:
  std::vector<std::uint32_t> number_;      // by value: its place in maps_
  std::vector<RowMap> maps_ = {RowMap()};  // the identity first
};

/// Values of which rows cannot be left out (weight, state, contract, update,
/// output, a vjp that is not row-wise) have the identity; of a concat only whole operands can be
/// left out, and are if no row of theirs has a place; a gather's map is used only where its rows
/// are stored (inside a concat); a softmax or sparsemax segment keeps whole segments, ascending; a
/// linear with lifts whose map is not the identity loses them.
[[nodiscard]] Program rebuild_rows(const Program& program, const RowMaps& maps);

/// rebuild_rows with every row kept: gathers of gathers become one, and a concat holds what a
/// gather reads instead of the gather where that is no longer.
[[nodiscard]] Program compose_gathers(const Program& program);

}  // namespace vecc::opt
