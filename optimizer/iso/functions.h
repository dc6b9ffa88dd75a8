// Fingerprints of what functions make of rows, from the fingerprints of those rows. Shapes of
// results are the caller's: those of vecc/function.h and vecc/shape.h. No result may overlap an
// argument. A result is doubtful if an argument is, or makes_doubt() of the function.
#pragma once

#include <span>
#include <vector>

#include "optimizer/iso/keyed_hash.h"
#include "optimizer/iso/row_fingerprint.h"
#include "optimizer/rewrite/doubtful_values.h"
#include "vecc/function.h"

namespace vecc::opt::iso {

/// left times right.
void fingerprint_times(const Keys& keys, RowFingerprint left, RowFingerprint right,
                       std::span<Residues> y);

/// Whether products of such rows are hashes of both rows, or 0.
[[nodiscard]] bool is_hashed_product(const Keys& keys, Shape left, Shape right);

/// Those products, of rows of two shapes.
class HashedTimes {
 public:
  HashedTimes(const Keys& keys, Shape left, Shape right);

  /// What products by one left row have in common.
  struct Left {
    KeyedHash hash;
    bool is_zero;
    bool may_have_zero;  ///< some element: of a wide row none is known
    bool doubtful;
  };
  [[nodiscard]] Left left(RowFingerprint row) const;
  void times(const Left& left, RowFingerprint right, std::span<Residues> y) const;

 private:
  KeyedHash start_;
  bool is_left_narrow_;
  bool is_right_narrow_;
};

/// Rows become columns. `parts` is keys.part_count(x.shape).
void fingerprint_transpose(const Keys& keys, RowFingerprint x, std::span<Residues> parts);

/// Element j (row-major).
[[nodiscard]] Residues fingerprint_entry(const Keys& keys, RowFingerprint x, std::uint64_t j);

/// T(x).
void fingerprint_transformation(const Keys& keys, const TransformationSpec& spec,
                                std::span<const std::uint32_t> words, RowFingerprint x,
                                Shape result, std::span<Residues> y);

/// C of a list; never FunctionGraph, whose body is an ExprFingerprint.
void fingerprint_combination(const Keys& keys, Combination combination,
                             std::span<const RowFingerprint> elements, Shape result,
                             std::span<Residues> y);

/// Random numbers of these words.
void fingerprint_draw(const Keys& keys, std::span<const RowFingerprint> words,
                      std::span<Residues> y);

/// One entry of a softmax or sparsemax over the entries in `all`; `doubtful`: one of them is.
[[nodiscard]] Residues fingerprint_share(const Keys& keys, Combination combination,
                                         const Residues& entry, const MultisetHash& all,
                                         bool doubtful);

/// Residues for a value that only lives for a call.
using Scratch = std::vector<Residues>;

}  // namespace vecc::opt::iso
