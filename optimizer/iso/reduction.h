// The fingerprint of a combination's one result, member by member.
#pragma once

#include <span>
#include <vector>

#include "optimizer/iso/functions.h"

namespace vecc::opt::iso {

/// Sum, avg, elproduct, count, max, min and concat. Memory for one result, however many members.
///
///     reduction.start();
///     for (...) reduction.add(member);
///     reduction.finish(y);
class Reduction {
 public:
  Reduction(const Keys& keys, Combination combination, Shape result);

  /// `may_be_doubtful`: false if no member is; products then keep no hash of their members.
  void start(bool may_be_doubtful = true);
  /// A scalar member broadcasts in sums and products. Of a max or min of scalars equal members but
  /// the first must be left out: it hashes a set.
  void add(RowFingerprint member);
  /// No member: 0, and 1 for products. Whether the result is doubtful.
  bool finish(std::span<Residues> y);
  /// All that of a few members, which takes less where they are only added or multiplied.
  bool reduce(std::span<const RowFingerprint> members, std::span<Residues> y);

 private:
  void add_to_sum(RowFingerprint member, std::span<Residues> sum) const;
  [[nodiscard]] bool multiply_all(std::span<const RowFingerprint> members,
                                  std::span<Residues> y) const;
  void multiply(RowFingerprint member);
  void add_wide_factor(const Residues& factor);
  void select(RowFingerprint member);
  void append(RowFingerprint member);
  void finish_average(std::span<Residues> y);
  void finish_product(std::span<Residues> y) const;
  void finish_selection(std::span<Residues> y) const;

  Keys keys_;  // its own: they remember what was asked last
  Combination combination_;
  Shape result_;
  std::uint64_t count_ = 0;
  bool doubtful_ = false;
  std::vector<Residues> parts_;  // sums, products, concats so far; the first member of a selection
  // Max, min, products: the members in any order, and whether all are equal or an element is 0.
  MultisetHash members_;
  bool hashes_factors_ = true;
  bool all_equal_ = true;
  bool has_zero_ = false;
  KeyedHash start_;  // of the combination
  KeyedHash list_;   // max, min: the members in order
  // Wide products: the factors that are wide (the first is in parts_), and the scalars' product.
  MultisetHash wide_factors_;
  std::uint64_t wide_count_ = 0;
  Residues scale_ = kOne;
  bool vanishes_ = false;
  // Concat: the place of the next element.
  std::uint64_t place_ = 0;
  // By n: 1 / n, or 0 where not asked for yet.
  std::vector<Residues> inverses_;
};

}  // namespace vecc::opt::iso
