// Numbers for pairs of numbers as PairTable gives them, for lists that come one after another, each
// by all threads (ListThreads): pairs are dealt by a hash to tables, and tables to threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "optimizer/rewrite/pair_table.h"
#include "optimizer/rewrite/unset_array.h"

namespace vecc::opt {

class PairNumbers {
 public:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // left, right
  struct Numbered {
    UnsetArray<std::uint32_t> numbers;  ///< by pair, piece after piece
    std::vector<std::size_t> begins;    ///< by piece: where its pairs begin
    std::vector<std::uint32_t> sizes;   ///< by piece: size() once it was numbered
  };

  /// The number of distinct pairs so far.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(left_.size()); }
  /// Each distinct pair's, in the order in which they first came.
  [[nodiscard]] std::vector<std::uint32_t>& left() { return left_; }
  [[nodiscard]] std::vector<std::uint32_t>& right() { return right_; }
  /// Numbers the pairs of all pieces, in order. The same for any number of threads.
  [[nodiscard]] Numbered number_all(std::span<const std::span<const Pair>> pieces);

 private:
  static constexpr std::size_t kParts = 32;      // more than a thread takes: some are longer
  static constexpr std::size_t kLong = 1 << 14;  // pairs, from which threads share them

  struct Part {
    PairTable table;                    // with numbers of its own
    std::vector<std::uint32_t> number;  // by those
  };
  struct Entry {
    std::uint32_t left;
    std::uint32_t right;
    std::uint32_t place;
  };
  // All pairs, part after part, and where each part begins.
  struct Dealt {
    UnsetArray<Entry> entries;
    std::array<std::size_t, kParts + 1> begin{};
  };

  [[nodiscard]] static std::size_t part_of(const Pair& pair);
  template <class Body>
  static void for_pieces(std::size_t pairs, std::size_t pieces, const Body& body);
  [[nodiscard]] static Dealt deal(std::span<const std::span<const Pair>> pieces,
                                  const Numbered& numbered, std::size_t count);

  std::array<Part, kParts> parts_;
  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> right_;
};

}  // namespace vecc::opt
