// Concats that only gathers and longer concats read are never stored: the levels of a recursion
// append to one growing concat, and storing each of its states would be quadratic.
//
//   %5 = concat %1, %2      read by %7 and %9 only: not stored
//   %7 = gather %5 [...]    reads the rows of %1 and %2 themselves
//   %9 = concat %5, %8      rows 0.. are those of %5
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vecc/program.h"

namespace vecc::python {

/// Rows of a value that is stored, in a concat that is not.
struct ConcatPiece {
  ValueId value = 0;
  std::uint32_t begin = 0;  ///< of its rows in the concat
};

class ConcatChains {
 public:
  explicit ConcatChains(const Program& program);

  [[nodiscard]] bool is_stored(ValueId value) const { return chain_of_[value] == kStored; }
  /// What a concat is made of: values that are stored.
  [[nodiscard]] std::vector<ValueId> pieces(ValueId concat) const;
  /// The piece that holds a row of a concat that is not stored: its number.
  [[nodiscard]] std::uint32_t piece_at(ValueId concat, std::uint32_t row) const;
  [[nodiscard]] const ConcatPiece& piece(ValueId concat, std::uint32_t number) const {
    return chains_[chain_of_[concat]][number];
  }

 private:
  static constexpr std::uint32_t kStored = 0xFFFFFFFF;

  [[nodiscard]] std::vector<bool> find_chained() const;
  void append(ValueId concat);

  const Program& program_;
  std::vector<std::vector<ConcatPiece>> chains_;  // each as long as its longest concat
  std::vector<std::uint32_t> chain_of_;           // by value
  std::vector<std::uint32_t> piece_count_;        // by value: how many of the chain's are its own
};

}  // namespace vecc::python
