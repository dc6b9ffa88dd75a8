#include "optimizer/iso/linear_fingerprint.h"

#include <utility>

namespace vecc::opt::iso {
namespace {

// Classes of which something is made once for each: it stays in a core's cache.
constexpr std::uint32_t kFewClasses = 1 << 13;

bool has_few_classes(const LinearFingerprint::Side& side) {
  return side.table->size() <= kFewClasses && side.table->size() <= side.of_row.size();
}

}  // namespace

LinearFingerprint::LinearFingerprint(const Keys& keys, const Side& left, const Side& right)
    : keys_(keys), left_(operand(keys, left)), right_(operand(keys, right)) {
  if (!is_hashed_product(keys, left_.shape, right_.shape)) return;
  hashed_.emplace(keys, left_.shape, right_.shape);
  if (left_.side.transposes || !has_few_classes(left)) return;
  std::vector<HashedTimes::Left> lefts;
  for (std::uint32_t id = 0; id < left.table->size(); ++id) {
    lefts.push_back(hashed_->left(fingerprint(left_, id)));
  }
  lefts_ = std::make_shared<const std::vector<HashedTimes::Left>>(std::move(lefts));
}

LinearFingerprint::Operand LinearFingerprint::operand(const Keys& keys, const Side& side) {
  Operand result{side, side.transposes ? side.shape.transposed() : side.shape, nullptr, {}, {}};
  if (!side.shape.is_matrix()) result.side.transposes = false;  // the same elements in a row
  if (!result.side.transposes || !has_few_classes(side)) return result;
  auto transposed = std::make_shared<ClassTable>(side.table->part_count());
  transposed->append_all(side.table->size(), [&](std::uint32_t id, std::span<Residues> parts) {
    fingerprint_transpose(keys, {side.shape, side.table->parts(id)}, parts);
    return side.table->doubtful(id);
  });
  result.side.table = transposed.get();
  result.side.transposes = false;
  result.transposed = std::move(transposed);
  return result;
}

RowFingerprint LinearFingerprint::fingerprint(Operand& operand, std::uint32_t row_class) const {
  const ClassTable& table = *operand.side.table;
  const RowFingerprint x{operand.shape, table.parts(row_class), table.doubtful(row_class)};
  if (!operand.side.transposes) return x;
  if (operand.last != row_class) {
    operand.last_parts.resize(x.parts.size());
    fingerprint_transpose(keys_, {operand.side.shape, x.parts}, operand.last_parts);
    operand.last = row_class;
  }
  return {operand.shape, operand.last_parts, x.doubtful};
}

bool LinearFingerprint::multiply(std::uint32_t left, std::uint32_t right, std::span<Residues> y) {
  const RowFingerprint b = fingerprint(right_, right);
  if (lefts_ != nullptr) {
    const HashedTimes::Left& a = (*lefts_)[left];
    hashed_->times(a, b, y);
    return a.doubtful || b.doubtful;
  }
  const RowFingerprint a = fingerprint(left_, left);
  if (hashed_) {
    hashed_->times(hashed_->left(a), b, y);
  } else {
    fingerprint_times(keys_, a, b, y);
  }
  return a.doubtful || b.doubtful;
}

}  // namespace vecc::opt::iso
