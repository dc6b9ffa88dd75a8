// A Program in which gathers are no ops: every op says of each operand which value it reads and
// which rows of it. A gather moves by changing such a list.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "optimizer/rewrite/rewriter.h"
#include "vecc/program.h"

namespace vecc::opt {

/// Row i of an operand is row rows[i] of `source`, which is no gather.
struct Read {
  ValueId source = 0;
  Index rows;
  /// The gather that it stands for (its note is kept); kNoValue if there was none.
  ValueId gather = kNoValue;
  /// Non-free lifts that have brought it here.
  std::uint32_t lifts = 0;
};

class ProgramReads {
 public:
  /// `program` must outlive it and stay as it is, and have no dead op.
  explicit ProgramReads(const Program& program);

  [[nodiscard]] const Op& op(ValueId value) const { return program_.op(value); }
  [[nodiscard]] std::span<Read> of(ValueId reader) {
    return std::span(reads_).subspan(first_read_[reader],
                                     first_read_[reader + 1] - first_read_[reader]);
  }
  [[nodiscard]] std::span<const Read> of(ValueId reader) const {
    return std::span(reads_).subspan(first_read_[reader],
                                     first_read_[reader + 1] - first_read_[reader]);
  }
  /// Whether it reads all rows of its source in order. Linear, unless it stands for no gather.
  [[nodiscard]] bool is_whole(const Read& read) const;

  /// A value's reader and which of its operands it is; a value read twice by one op has two.
  struct Use {
    ValueId reader = 0;
    std::uint32_t operand = 0;
  };
  [[nodiscard]] std::span<const Use> uses_of(ValueId value) const {
    return std::span(uses_).subspan(first_use_[value], first_use_[value + 1] - first_use_[value]);
  }

  /// Makes `value` an op with these attributes, of `rows` rows.
  void change(ValueId value, OpAttributes attributes, std::uint32_t rows);
  /// All rows in order of `source`, as it is now.
  [[nodiscard]] Read whole(ValueId source) const;
  /// Bytes of all values but gathers, were they all stored.
  [[nodiscard]] std::uint64_t bytes() const;

  /// The Program, with a gather wherever a read is not whole.
  [[nodiscard]] Program rebuild() const;

 private:
  const Program& program_;
  std::vector<std::size_t> first_read_;  // by op: its reads; a gather has none
  std::vector<Read> reads_;
  std::vector<std::size_t> first_use_;
  std::vector<Use> uses_;
  std::vector<std::uint32_t> rows_;                           // by value, as it is now
  boost::unordered_flat_map<ValueId, OpAttributes> changed_;  // what an op has become
};

}  // namespace vecc::opt
