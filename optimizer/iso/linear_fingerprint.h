// Fingerprints of a linear's rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "optimizer/iso/class_table.h"
#include "optimizer/iso/functions.h"

namespace vecc::opt::iso {

/// A row of one side times a row of the other. What depends on a class of one side alone, its
/// transpose and its part of a hash, is made once for each class where classes are few. Copies
/// share that.
class LinearFingerprint {
 public:
  struct Side {
    const ClassTable* table;
    std::span<const std::uint32_t> of_row;  ///< classes of the linear's rows
    Shape shape;                            ///< as stored
    bool transposes;
  };
  LinearFingerprint(const Keys& keys, const Side& left, const Side& right);

  /// Row i. Whether it is doubtful.
  bool operator()(std::uint32_t i, std::span<Residues> y) {
    if (const std::size_t ahead = std::size_t{i} + ClassTable::kAhead;
        ahead < left_.side.of_row.size()) {
      prefetch(left_, ahead);
      prefetch(right_, ahead);
    }
    return multiply(left_.side.of_row[i], right_.side.of_row[i], y);
  }
  /// A class of the left side times one of the right.
  bool multiply(std::uint32_t left, std::uint32_t right, std::span<Residues> y);

 private:
  struct Operand {
    Side side;    ///< the table may be `transposed`, or, of a vector, as stored: it moves nothing
    Shape shape;  ///< as multiplied
    std::shared_ptr<const ClassTable> transposed;
    // Where there are many matrices: neighbouring rows often have the same.
    std::optional<std::uint32_t> last;
    Scratch last_parts;
  };
  [[nodiscard]] static Operand operand(const Keys& keys, const Side& side);
  static void prefetch(const Operand& operand, std::size_t row) {
    operand.side.table->prefetch(operand.side.of_row[row]);
  }
  [[nodiscard]] RowFingerprint fingerprint(Operand& operand, std::uint32_t row_class) const;

  Keys keys_;
  Operand left_;
  Operand right_;
  std::optional<HashedTimes> hashed_;                            ///< where products are
  std::shared_ptr<const std::vector<HashedTimes::Left>> lefts_;  ///< by left class, if few
};

}  // namespace vecc::opt::iso
