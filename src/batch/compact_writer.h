// A bound batch in a memory of its own.
//
// A batch of a compact plan is found as any other is, with rows that have the numbers of the whole
// graph. Then the rows that it has of each buffer are numbered one after another, and all lists
// name these numbers: what a step reads and writes lies close together, and takes no more than the
// batch.
//
//   launch 4 stores rows [7, 90] of buffer 3       launch 4 stores rows [0, 1]
//   launch 5 loads rows [90, 7, 7]            =>   launch 5 loads rows [1, 0, 0]
//   launch 5 stores rows [2, 3, 8] of buffer 5     launch 5 stores rows [0, 1, 2]
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>

#include "src/batch/batch_plan.h"
#include "src/batch/batch_rows.h"
#include "src/batch/launch_rows.h"
#include "src/batch/value_numbers.h"
#include "src/batch/value_places.h"

namespace vecc {

class CompactWriter {
 public:
  /// The plan, a compact one, must outlive this.
  explicit CompactWriter(const BatchPlan& plan);

  /// Replaces `to`. Takes time linear in what it writes, and allocates nothing else.
  void write(const BatchRows& from, BatchRows& to);
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  void add_run(const BatchRows& from, const BatchRows::Run& of, BatchRows& to);
  void add_access(const BatchRows& from, const BatchRows::Run& of, std::uint32_t a, BatchRows& to);
  [[nodiscard]] std::uint32_t offsets_of(const BatchRows& from, const BatchRows::Run& of,
                                         BatchRows& to);
  // An order of `count` rows as they are.
  [[nodiscard]] std::uint32_t order_of(std::uint32_t count, bool is_narrow, BatchRows& to);
  [[nodiscard]] std::uint32_t list_of(const BatchRows& from, const BatchRows::Run& of,
                                      std::uint32_t a, BatchRows& to);
  // What an array is made of. Arrays of equal keys are one.
  struct Key {
    std::uint32_t place = 0;  ///< of the batch as it is found: entries or, else, rows in order
    std::uint32_t count = 0;  ///< of these
    bool is_narrow = false;   ///< they are, and so is the array
    bool is_offsets = false;
    bool is_order = false;
    std::uint32_t members = 0;      ///< of a row, where all have as many
    std::uint32_t stride = 0;       ///< between members of a row; 0: one after another
    const void* list = nullptr;     ///< null: counters themselves
    const void* offsets = nullptr;  ///< of members of rows
    BufferIndex buffer = kNone;     ///< numbers of its rows; kNone: rows have those of the graph
    std::uint64_t first = 0;        ///< of the access, in the buffer
    std::uint64_t size = 0;
    std::uint64_t block = 0;
    bool has_one_block = false;  ///< the buffer, which decides what row 0 of the lists is
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  [[nodiscard]] std::span<const std::uint32_t> rows_of(const BatchRows& from,
                                                       const BatchLaunch& launch, const Key& key,
                                                       bool is_member);
  void find_members(const BatchRows& from, const BatchLaunch& launch, const Key& key);
  [[nodiscard]] Key key_of(const BatchRows& from, const BatchRows::Run& of, std::uint32_t a) const;

  const BatchPlan& plan_;
  ValueNumbers numbers_;
  ValuePlaces places_;
  NumberList rows_;              // of a list, as all rows of the graph are numbered
  std::uint64_t most_rows_ = 0;  // that were there at once
  boost::unordered_flat_map<Key, std::uint32_t, KeyHash> found_;
};

}  // namespace vecc
