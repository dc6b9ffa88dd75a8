#include <algorithm>

#include "optimizer/iso/functions.h"

namespace vecc::opt::iso {
namespace {

// Of narrow ones: an element is a sum of so few products that it is reduced once.
void multiply_matrices(RowFingerprint left, RowFingerprint right, std::span<Residues> y) {
  static_assert(kNarrowSide <= ProductSum::kUnreduced);
  const std::size_t inner = right.shape.rows();
  const std::size_t cols = right.shape.cols();
  for (std::size_t r = 0; r < left.shape.rows(); ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      ProductSum sum;
      for (std::size_t k = 0; k < inner; ++k) {
        sum.add_one_of_few(left.parts[r * inner + k], right.parts[k * cols + c]);
      }
      y[r * cols + c] = sum.value();
    }
  }
}

void add_shape(KeyedHash& hash, Shape shape) {
  hash.add(std::uint64_t{shape.rows()} << 32 | shape.cols());
}

// Whether 0 times something that may be infinite may be among the products of their elements; of a
// wide row no element is known.
bool doubts_zero(const Keys& keys, RowFingerprint left, RowFingerprint right) {
  const auto may_have_zero = [&](RowFingerprint x) {
    return !keys.is_narrow(x.shape) || has_zero(x.parts);
  };
  return (left.doubtful && may_have_zero(right)) || (right.doubtful && may_have_zero(left));
}

// A product that is a variable of its own.
void hash_product(const Keys& keys, RowFingerprint left, RowFingerprint right,
                  std::span<Residues> y) {
  const HashedTimes product(keys, left.shape, right.shape);
  product.times(product.left(left), right, y);
}

}  // namespace

bool is_hashed_product(const Keys& keys, Shape left, Shape right) {
  return !left.is_scalar() && !right.is_scalar() &&
         !(keys.is_narrow(left) && keys.is_narrow(right));
}

HashedTimes::HashedTimes(const Keys& keys, Shape left, Shape right)
    : start_(keys.hash(HashTag::Times)),
      is_left_narrow_(keys.is_narrow(left)),
      is_right_narrow_(keys.is_narrow(right)) {
  add_shape(start_, left);  // so that all that are hashed from here on have as many parts
  add_shape(start_, right);
}

HashedTimes::Left HashedTimes::left(RowFingerprint row) const {
  KeyedHash hash = start_;
  for (const Residues& part : row.parts) hash.add(part);
  return {hash, is_zero(row.parts), !is_left_narrow_ || has_zero(row.parts), row.doubtful};
}

// Elements of a narrow result by their places.
void HashedTimes::times(const Left& left, RowFingerprint right, std::span<Residues> y) const {
  const bool doubts_zero = (left.doubtful && (!is_right_narrow_ || has_zero(right.parts))) ||
                           (right.doubtful && left.may_have_zero);
  if ((left.is_zero || is_zero(right.parts)) && !doubts_zero) {
    std::ranges::fill(y, kZero);
    return;
  }
  KeyedHash hash = left.hash;
  const Residues& last = right.parts.back();
  for (const Residues& part : right.parts.first(right.parts.size() - 1)) hash.add(part);
  if (y.size() == 1) {
    y[0] = hash.value_with(last);
    return;
  }
  hash.add(last);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = hash.value_with(i);
}

void fingerprint_times(const Keys& keys, RowFingerprint left, RowFingerprint right,
                       std::span<Residues> y) {
  if (doubts_zero(keys, left, right)) {
    hash_product(keys, left, right, y);
  } else if (left.shape.is_scalar() || right.shape.is_scalar()) {
    const Residues factor = (left.shape.is_scalar() ? left : right).parts[0];
    const auto scaled = (left.shape.is_scalar() ? right : left).parts;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = factor * scaled[i];
  } else if (is_hashed_product(keys, left.shape, right.shape)) {
    hash_product(keys, left, right, y);
  } else {  // then the result is narrow, too
    multiply_matrices(left, right, y);
  }
}

void fingerprint_transpose(const Keys& keys, RowFingerprint x, std::span<Residues> parts) {
  if (!x.shape.is_matrix()) {
    std::ranges::copy(x.parts, parts.begin());
  } else if (keys.is_narrow(x.shape)) {
    const std::size_t cols = x.shape.cols();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i % cols * x.shape.rows() + i / cols] = x.parts[i];
    }
  } else if (is_zero(x.parts)) {
    parts[0] = kZero;
  } else {
    KeyedHash hash = keys.hash(HashTag::Transpose);
    add_shape(hash, x.shape);
    parts[0] = hash.add(x.parts).value();
  }
}

Residues fingerprint_entry(const Keys& keys, RowFingerprint x, std::uint64_t j) {
  if (keys.is_narrow(x.shape)) return x.parts[j];
  if (is_zero(x.parts)) return kZero;
  return keys.hash(HashTag::Entry).add(x.shape.size()).add(x.parts).add(j).value();
}

}  // namespace vecc::opt::iso
