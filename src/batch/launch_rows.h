// What a batch runs of one launch, read from sets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/batch/batch_plan.h"
#include "src/batch/bit_lists.h"
#include "src/batch/row_set.h"

namespace vecc {

/// Numbers in memory for as many as there may be, which is taken where they are written.
class NumberList {
 public:
  NumberList() = default;
  /// For up to `most`, and kSlack more that may be written behind them. Those there were are lost.
  void reserve(std::uint64_t most);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::uint32_t* data() { return numbers_.get(); }
  [[nodiscard]] const std::uint32_t* begin() const { return numbers_.get(); }
  [[nodiscard]] const std::uint32_t* end() const { return numbers_.get() + size_; }
  std::uint32_t operator[](std::size_t i) const { return numbers_[i]; }
  operator std::span<const std::uint32_t>() const { return {begin(), end()}; }

  void clear() { size_ = 0; }
  static constexpr std::uint64_t kSlack = 16;
  /// When so many were written at data().
  void set_size(std::uint64_t size) { size_ = static_cast<std::uint32_t>(size); }

 private:
  std::unique_ptr<std::uint32_t[]> numbers_;
  std::uint32_t size_ = 0;
};

struct LaunchRows {
  NumberList rows;     ///< rising
  NumberList offsets;  ///< of a launch that drops: in `members`, by row
  NumberList members;
  std::vector<BitWord> words;  ///< of what is read last

  /// Room for any batch of the plan.
  void reserve(const BatchPlan& plan);
  /// Of one launch of it.
  void reserve(const BatchLaunch& launch);
};

/// By the types of a launch that has some, in each rising.
void sort_by_type(const BatchLaunch& launch, NumberList& rows);

// Row 0 (member 0) of the launch is number `first` of `set`, a multiple of 64.

/// Sets `to.rows` to those in `set`.
void take_rows(const BatchLaunch& launch, const RowSet& set, std::uint64_t first, LaunchRows& to);
/// Of a launch whose rows run where a member does: sets all of `to`.
void take_members(const BatchLaunch& launch, const RowSet& set, std::uint64_t first,
                  LaunchRows& to);
/// Of the same: sets its rows alone.
void take_rows_of_members(const BatchLaunch& launch, const RowSet& set, std::uint64_t first,
                          LaunchRows& to);
/// Of a launch that drops: sets the members of `to` to those of its rows that are in `set`. Whether
/// that has others.
bool keep_members(const BatchLaunch& launch, const RowSet& set, std::uint64_t first,
                  LaunchRows& to);

}  // namespace vecc
