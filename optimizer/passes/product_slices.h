// Products whose entries are only read in slices: which, and the products of the slices instead.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"
#include "vecc/program.h"

namespace vecc::opt {

/// Whether it is a linear of a matrix times a column.
[[nodiscard]] bool is_column_product(const Program& program, ValueId id);
/// Of these, one whose matrix several rows share: what is made of it is made once for all of them.
[[nodiscard]] bool is_shared_product(const Program& program, ValueId id);

/// Entries begin .. end - 1 of a column.
struct EntryRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// `(W x)[begin:end]` => `W[begin:end] x`, through what computes each entry by itself (maps,
/// functions of an entry, gathers, concats of rows) between the product and its slices.
class ProductSlices {
 public:
  /// `program` must outlive this.
  explicit ProductSlices(const Program& program);

  /// Whether there is any.
  [[nodiscard]] bool any() const { return count_ > 0; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Whether `op` is such a slice.
  [[nodiscard]] bool is_slice(ValueId op) const { return slices_[op]; }
  /// The new value of a slice: is_slice(). The ops before it must be in `rewriter`.
  ValueId make(Rewriter& rewriter, ValueId slice);

 private:
  [[nodiscard]] const Op& op(ValueId id) const { return program_.op(id); }
  [[nodiscard]] bool carries(ValueId id) const;
  [[nodiscard]] bool is_product(ValueId id) const;
  void find_sliced();
  void find_reaching();
  bool drop_shared();
  ValueId sliced(Rewriter& rewriter, ValueId value, EntryRange range);
  ValueId sliced_product(Rewriter& rewriter, ValueId product, EntryRange range);
  ValueId slice_of(Rewriter& rewriter, ValueId value, std::vector<std::uint32_t> words);

  const Program& program_;
  Readers readers_;
  std::map<ValueId, std::uint64_t> uses_;  // of a matrix: rows of all products with it
  std::vector<bool> sliced_;    // by value: all that reads it are slices, or carry it to such
  std::vector<bool> reaching_;  // of those: a product, or what carries one
  std::vector<bool> slices_;    // by op
  std::uint64_t count_ = 0;
  std::map<std::pair<ValueId, std::vector<std::uint32_t>>, ValueId> slices_made_;  // by words
  std::map<std::tuple<ValueId, std::uint32_t, std::uint32_t>, ValueId> made_;
};

}  // namespace vecc::opt
