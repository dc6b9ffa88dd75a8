// The values that a batch has of each buffer of the arena, numbered one after another.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/batch/batch_plan.h"
#include "src/batch/batch_rows.h"
#include "src/batch/row_set.h"

namespace vecc {

class ValueNumbers {
 public:
  /// The plan, a compact one, must outlive this.
  explicit ValueNumbers(const BatchPlan& plan);

  /// Of a batch whose rows have their places among all rows.
  void set(const BatchRows& rows);
  /// Of each buffer, numbers of the Plan's dtype.
  [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }
  /// The first of the buffers that have the same blocks as this one.
  [[nodiscard]] BufferIndex alike(BufferIndex buffer) const { return alike_[buffer]; }

  /// The rows of an access to a made buffer: row i begins at unit first() + number * size of those
  /// that the batch has.
  class Rows {
   public:
    Rows(const ValueNumbers& of, const BatchAccess& access);
    [[nodiscard]] std::uint64_t first() const { return first_; }
    /// The numbers of rows, as many as `to` has room for. False: the batch lacks some of them.
    [[nodiscard]] bool write(std::span<const std::uint32_t> rows, std::uint32_t* to) const;
    [[nodiscard]] bool write(std::span<const std::uint32_t> rows, std::uint16_t* to) const;
    /// The unit where a row begins; none: the batch lacks it.
    [[nodiscard]] std::optional<std::uint64_t> place(std::uint32_t row) const;

   private:
    struct Number;
    template <class Entry>
    [[nodiscard]] bool write_all(std::span<const std::uint32_t> rows, Entry* to) const;
    template <class Entry>
    [[nodiscard]] std::uint64_t write_in(std::span<const std::uint32_t> rows, Entry* to) const;
    template <class Entry>
    [[nodiscard]] std::uint64_t write_counted(std::span<const std::uint32_t> rows, Entry* to) const;

    const RowSet& set_;
    const std::vector<std::uint32_t>& before_;
    std::uint64_t first_unit_;
    std::uint64_t size_;
    std::uint64_t block_;
    std::uint64_t first_ = 0;
  };

  [[nodiscard]] std::uint64_t bytes() const;

 private:
  template <class Visit>
  void insert_rows(const BatchAccess& access, Visit&& for_each_row);
  void insert_all(const BatchRows& rows);
  void number(BufferIndex buffer);
  [[nodiscard]] bool are_equal(BufferIndex a, BufferIndex b) const;

  const BatchPlan& plan_;
  std::vector<RowSet> sets_;                        // by buffer: blocks
  std::vector<std::vector<std::uint32_t>> before_;  // by buffer, by word of its set: blocks before
  std::vector<BufferIndex> alike_;
  std::vector<std::uint64_t> counts_;
  std::vector<BatchAccess> by_type_;                             // all of whose rows count
  boost::unordered_flat_map<std::uint64_t, BufferIndex> found_;  // by a hash of the set
};

}  // namespace vecc
