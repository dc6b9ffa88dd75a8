#include "optimizer/iso/reduction.h"

#include <algorithm>

#include "optimizer/rewrite/row_classes.h"

namespace vecc::opt::iso {
namespace {

// 1 / n is kept for n below this.
constexpr std::uint64_t kInverses = 4096;

[[noreturn]] void fail_not_reduced(Combination combination) {
  fail_check("a combination that reduces members to one row", __FILE__, __LINE__,
             std::string(info(combination).text));
}

}  // namespace

Reduction::Reduction(const Keys& keys, Combination combination, Shape result)
    : keys_(keys),
      combination_(combination),
      result_(result),
      parts_(keys.part_count(result)),
      members_(keys, static_cast<std::uint64_t>(combination)),
      start_(keys.hash(HashTag::Combination, static_cast<std::uint64_t>(combination))),
      list_(start_),
      wide_factors_(members_) {
  start_.add(result_.size());
  start();
}

void Reduction::start(bool may_be_doubtful) {
  const bool is_product = combination_ == Combination::ElProduct;
  count_ = 0;
  doubtful_ = false;
  std::ranges::fill(parts_, is_product && keys_.is_narrow(result_) ? kOne : kZero);
  members_.clear();
  hashes_factors_ = may_be_doubtful;
  all_equal_ = true;
  has_zero_ = false;
  list_ = start_;
  wide_factors_.clear();
  wide_count_ = 0;
  scale_ = kOne;
  vanishes_ = false;
  place_ = 0;
}

void Reduction::add(RowFingerprint member) {
  switch (combination_) {
    case Combination::Sum:
    case Combination::Avg: add_to_sum(member, parts_); break;
    case Combination::ElProduct: multiply(member); break;
    case Combination::Count: break;
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin: select(member); break;
    case Combination::Concat: append(member); break;
    case Combination::Softmax:
    case Combination::Sparsemax:
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: fail_not_reduced(combination_);
  }
  doubtful_ = doubtful_ || member.doubtful;
  ++count_;
}

bool Reduction::finish(std::span<Residues> y) {
  switch (combination_) {
    case Combination::Sum:
    case Combination::Concat: std::ranges::copy(parts_, y.begin()); return doubtful_;
    case Combination::Avg: finish_average(y); return doubtful_;
    case Combination::ElProduct: finish_product(y); return doubtful_;
    case Combination::Count: y[0] = residues_of(count_); return false;  // the sum of as many ones
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin: finish_selection(y); return doubtful_;
    case Combination::Softmax:
    case Combination::Sparsemax:
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: break;
  }
  fail_not_reduced(combination_);
}

bool Reduction::reduce(std::span<const RowFingerprint> members, std::span<Residues> y) {
  const bool doubtful = std::ranges::any_of(members, &RowFingerprint::doubtful);
  if (combination_ == Combination::Sum) {
    std::ranges::fill(y, kZero);
    for (const RowFingerprint& member : members) add_to_sum(member, y);
    return doubtful;
  }
  const bool multiplies = combination_ == Combination::ElProduct && !doubtful;
  if (multiplies && multiply_all(members, y)) return false;
  start(doubtful);
  for (const RowFingerprint& member : members) add(member);
  return finish(y);
}

// Of numbers, where at most one is wide: whether that is so.
bool Reduction::multiply_all(std::span<const RowFingerprint> members, std::span<Residues> y) const {
  const auto scales = [&](const RowFingerprint& member) {
    return member.shape.is_scalar() && !result_.is_scalar();
  };
  if (keys_.is_narrow(result_)) {
    std::ranges::fill(y, kOne);
    for (const RowFingerprint& member : members) {
      const std::size_t step = scales(member) ? 0 : 1;
      for (std::size_t i = 0; i < y.size(); ++i) y[i] *= member.parts[step * i];
    }
    return true;
  }
  const RowFingerprint* wide = nullptr;
  Residues scale = kOne;
  for (const RowFingerprint& member : members) {
    if (scales(member)) {
      scale *= member.parts[0];
    } else if (wide == nullptr) {
      wide = &member;
    } else {
      return false;
    }
  }
  y[0] = scale * (wide != nullptr ? wide->parts[0] : keys_.ones(result_.size()));
  return true;
}

void Reduction::add_to_sum(RowFingerprint member, std::span<Residues> sum) const {
  if (member.shape.is_scalar() && !result_.is_scalar()) {
    const Residues each =
        keys_.is_narrow(result_) ? member.parts[0] : member.parts[0] * keys_.ones(result_.size());
    for (Residues& part : sum) part += each;
    return;
  }
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += member.parts[i];
}

void Reduction::multiply(RowFingerprint member) {
  if (hashes_factors_) members_.add(member.parts);
  has_zero_ = has_zero_ || has_zero(member.parts);
  const bool scales = member.shape.is_scalar() && !result_.is_scalar();
  if (keys_.is_narrow(result_)) {
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i] *= member.parts[scales ? 0 : i];
  } else if (scales) {
    scale_ *= member.parts[0];
  } else {
    add_wide_factor(member.parts[0]);
    vanishes_ = vanishes_ || is_zero(member.parts);
  }
}

// Hashed from the second on.
void Reduction::add_wide_factor(const Residues& factor) {
  if (wide_count_ == 0) parts_[0] = factor;
  if (wide_count_ == 1) wide_factors_.add({parts_.data(), 1});
  if (wide_count_ > 0) wide_factors_.add({&factor, 1});
  ++wide_count_;
}

void Reduction::select(RowFingerprint member) {
  if (count_ == 0) {
    std::ranges::copy(member.parts, parts_.begin());
  } else if (!std::ranges::equal(member.parts, parts_)) {
    all_equal_ = false;
  }
  members_.add(member.parts);
  list_.add(member.parts);
}

// A wide member at some place of a wide result is a variable of its own.
void Reduction::append(RowFingerprint member) {
  const std::uint64_t size = member.shape.size();
  if (keys_.is_narrow(result_)) {
    std::ranges::copy(member.parts, parts_.begin() + static_cast<std::ptrdiff_t>(place_));
  } else if (keys_.is_narrow(member.shape)) {
    ProductSum sum;
    for (std::size_t i = 0; i < size; ++i) sum.add(keys_.position(place_ + i), member.parts[i]);
    parts_[0] += sum.value();
  } else if (size == result_.size()) {
    parts_[0] = member.parts[0];
  } else if (!is_zero(member.parts)) {
    KeyedHash hash = keys_.hash(HashTag::Part);
    parts_[0] += hash.add(size).add(place_).add(member.parts).value();
  }
  place_ += size;
}

void Reduction::finish_average(std::span<Residues> y) {
  std::ranges::copy(parts_, y.begin());
  if (count_ < 2) return;
  Residues inverse = kZero;
  if (count_ < kInverses) {
    if (inverses_.empty()) inverses_.resize(kInverses);
    inverse = inverses_[count_];
  }
  if (inverse == kZero) inverse = inverse_of(count_);
  if (count_ < kInverses) inverses_[count_] = inverse;
  for (Residues& part : y) part *= inverse;
}

void Reduction::finish_product(std::span<Residues> y) const {
  const bool may_have_zero = has_zero_ || !keys_.is_narrow(result_);
  if (doubtful_ && may_have_zero && count_ > 1) {  // 0 times what may be infinite
    const KeyedHash hash = KeyedHash(start_).add(count_).add(members_.sum());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = KeyedHash(hash).add(i).value();
    return;
  }
  std::ranges::copy(parts_, y.begin());
  if (keys_.is_narrow(result_)) return;
  if (wide_count_ == 0) {
    y[0] = keys_.ones(result_.size());
  } else if (vanishes_) {
    y[0] = kZero;
  } else if (wide_count_ > 1) {
    y[0] = KeyedHash(start_).add(wide_factors_.count()).add(wide_factors_.sum()).value();
  }
  y[0] *= scale_;
}

// The one member there is; else a variable of its own, of the set or of the list.
void Reduction::finish_selection(std::span<Residues> y) const {
  if (all_equal_) {
    std::ranges::copy(parts_, y.begin());
    return;
  }
  const bool is_set = is_order_free(combination_, result_) && !doubtful_;
  const KeyedHash hash = KeyedHash(start_).add(is_set ? members_.sum() : list_.value());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = KeyedHash(hash).add(i).value();
}

}  // namespace vecc::opt::iso
