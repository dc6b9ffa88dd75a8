// What a batch is to a BatchPlan: which launches run, on which rows, through which arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/batch/batch_plan.h"

namespace vecc {

struct BatchRows {
  /// One run of a launch. Places of arrays are in `narrow` or `wide`, as BatchLaunch::is_narrow
  /// says; kNone: the Plan's own.
  struct Run {
    std::uint32_t launch = 0;
    std::uint32_t rows = 0;
    bool is_whole = false;         ///< all rows: tiles and order are the Plan's
    std::uint32_t first_tile = 0;  ///< in `tiles`
    std::uint32_t tiles = 0;
    std::uint32_t order = kNone;    ///< place; a launch that takes an order has none otherwise
    std::uint32_t offsets = kNone;  ///< place in `wide`
    std::uint32_t lists = kNone;    ///< in `lists`: by access, their places
    std::uint32_t places = kNone;   ///< of a compact batch: in `places`, by access
    std::uint64_t work = 0;
  };
  /// Rows begin .. end - 1, or those at these places of the order.
  struct Tile {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t type = 0;
  };
  /// Numbers that are 0, or infinite: before the launch (kNone: it does not run) they are set so.
  struct Zeros {
    std::uint32_t launch = 0;
    BufferIndex buffer = 0;
    std::uint64_t first = 0;  ///< of the buffer; of a compact batch, of its values
    std::uint64_t count = 0;
    double value = 0;
  };
  /// A store of a parameter or state that stays as it is: it goes nowhere.
  struct Unstored {
    std::uint32_t launch = 0;
    std::uint32_t access = 0;
  };

  std::vector<Run> runs;
  std::vector<Tile> tiles;
  std::vector<std::uint32_t> lists;
  std::vector<std::uint32_t> wide;
  std::vector<std::uint16_t> narrow;
  std::vector<Zeros> zeros;  ///< in the order of their launches
  std::vector<Unstored> unstored;
  std::vector<std::uint64_t> places;  ///< of a compact batch: numbers of its values
  std::uint64_t value_count = 0;      ///< of a compact batch: numbers that its values take at most

  void clear();
  /// Room for any batch of the plan as all rows have their numbers; memory is taken when a batch
  /// needs it.
  void reserve(const BatchPlan& plan);
  /// For batches of a compact plan: lists have room for any batch of a small one, and of a large
  /// one grow, for addresses of lists of all rows of all accesses may be more than there are.
  void reserve_compact(const BatchPlan& plan);
  /// Appends an array; returns its place.
  std::uint32_t add(std::span<const std::uint32_t> entries, bool is_narrow);
  /// Appends list[c] for each of `counters`; returns its place.
  std::uint32_t add(std::span<const std::uint32_t> list, std::span<const std::uint32_t> counters,
                    bool is_narrow);
  /// Of the array of a launch.
  [[nodiscard]] std::uint32_t entry(std::uint32_t at, bool is_narrow) const {
    return is_narrow ? narrow[at] : wide[at];
  }
  [[nodiscard]] std::uint64_t bytes() const;
};

/// Of a batch's weights.
[[nodiscard]] std::uint64_t bytes_of(std::span<const Batch::Weights> weights);

/// `rows`: a batch of the plan; `number_bytes`: of a number in its buffers.
[[nodiscard]] BatchBytes bytes_of_step(const BatchPlan& plan, const BatchRows& rows,
                                       std::uint64_t number_bytes);

}  // namespace vecc
