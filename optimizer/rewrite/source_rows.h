// One number for every row that an op computes, whatever gathers and concats it is read through.
//
//   %0 = fact {5, 6} : f32[2, 1]                 rows 0, 1
//   %1 = weight "w" : f32[3, 1]                  rows 2, 3, 4
//   %2 = concat %0, %1 : f32[5, 1]               0, 1, 2, 3, 4
//   %3 = gather %2 [4, 0, 4] : f32[3, 1]         4, 0, 4
//   %4 = transform %3 tanh : f32[3, 1]           rows 5, 6, 7
//
// Two rows with one number are equal for any weights. Rows with different numbers may be equal too
// (equal facts, the same work done twice): a pass that finds such keeps its own classes by number.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/program.h"

namespace vecc::opt {

class SourceRows {
 public:
  /// Whether the rows of all ops but gathers and concats fit 32-bit numbers. A pass leaves a larger
  /// Program alone.
  [[nodiscard]] static bool fits(const Program& program);

  /// Linear in the rows of gathers and concats (chains of concats share theirs); `program` must
  /// fit.
  explicit SourceRows(const Program& program);

  /// The rows of one value as numbers.
  class View {
   public:
    [[nodiscard]] std::uint32_t operator[](std::uint32_t row) const {
      return list_ ? (*list_)[begin_ + row] : first_ + row;
    }

   private:
    friend class SourceRows;
    const std::vector<std::uint32_t>* list_ = nullptr;
    std::size_t begin_ = 0;    ///< in the list
    std::uint32_t first_ = 0;  ///< without a list: the number of row 0
  };
  /// By row of `value`: its number. Good as long as the SourceRows lives.
  [[nodiscard]] View of(ValueId value) const;

  /// One more than the largest number.
  [[nodiscard]] std::uint32_t size() const { return begin_.back(); }

  struct Source {
    ValueId value = 0;  ///< neither a gather nor a concat
    std::uint32_t row = 0;
  };
  /// The op and its row that `number` stands for.
  [[nodiscard]] Source source(std::uint32_t number) const;

 private:
  static constexpr std::uint32_t kNoList = 0xFFFFFFFF;
  // Where the numbers of a value stand: `list` from `begin` on, or begin, begin + 1, ...
  struct Place {
    std::uint32_t list = kNoList;
    std::size_t begin = 0;
  };

  [[nodiscard]] View view(const Place& place) const;
  [[nodiscard]] Place place_gather(const Op& op);
  [[nodiscard]] Place place_concat(const Program& program, const Op& op);
  void append(std::vector<std::uint32_t>& list, const Place& place, std::uint32_t rows) const;

  static constexpr int kBlockBits = 12;

  std::vector<std::uint32_t> begin_;  // by value: its first number; gathers and concats have none
  // By block of numbers: the value of its first one. source() looks no further than to the next.
  std::vector<ValueId> block_value_;
  std::vector<Place> places_;  // by value
  std::vector<std::vector<std::uint32_t>> lists_;
};

}  // namespace vecc::opt
