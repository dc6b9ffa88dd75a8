#include "optimizer/passes/one_hot.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "optimizer/rewrite/rewriter.h"
#include "optimizer/rewrite/row_map.h"
#include "optimizer/rewrite/source_rows.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

constexpr std::uint32_t kZeros = 0xFFFFFFFE;   // a row of zeros
constexpr std::uint32_t kNotHot = 0xFFFFFFFF;  // any other row

// The place of the 1 in a row; kZeros, kNotHot.
std::uint32_t hot_place(const NumberRow& row, std::uint64_t size) {
  std::uint32_t place = kZeros;
  for (std::uint32_t k = 0; k < size; ++k) {
    if (row[k] == 0.0) continue;
    if (row[k] != 1.0 || place != kZeros) return kNotHot;
    place = k;
  }
  return place;
}

// The place of the 1 for the rows of facts, computed by fact when first asked for.
class HotRows {
 public:
  explicit HotRows(const Program& program) : program_(program), sources_(program) {}

  // Whether every row of `value` is a row of a weight.
  [[nodiscard]] bool all_weights(ValueId value) const {
    const SourceRows::View numbers = sources_.of(value);
    for (std::uint32_t row = 0; row < program_.op(value).rows; ++row) {
      const ValueId source = sources_.source(numbers[row]).value;
      if (program_.op(source).kind() != OpKind::Weight) return false;
    }
    return true;
  }

  // By row of `value`, kZeros where there is no 1; none if a row is no one-hot row of a fact.
  std::optional<std::vector<std::uint32_t>> places(ValueId value) {
    const SourceRows::View numbers = sources_.of(value);
    std::vector<std::uint32_t> places;
    for (std::uint32_t row = 0; row < program_.op(value).rows; ++row) {
      const SourceRows::Source source = sources_.source(numbers[row]);
      if (program_.op(source.value).kind() != OpKind::Fact) return {};
      const std::uint32_t place = of_fact(source.value)[source.row];
      if (place == kNotHot) return {};
      places.push_back(place);
    }
    return places;
  }

 private:
  const std::vector<std::uint32_t>& of_fact(ValueId id) {
    const auto [entry, is_new] = facts_.try_emplace(id);
    if (is_new) {
      const auto& fact = std::get<FactOp>(program_.op(id).attributes);
      for (std::uint32_t row = 0; row < fact.rows; ++row) {
        const std::uint64_t size = fact.shape.size();
        entry->second.push_back(hot_place(fact.values.row(row * size), size));
      }
    }
    return entry->second;
  }

  const Program& program_;
  SourceRows sources_;
  boost::unordered_flat_map<ValueId, std::vector<std::uint32_t>> facts_;
};

// The slices that stand for a linear with one-hot rows on side `hot`.
struct Slices {
  std::size_t hot = 0;               // the operand with the one-hot rows; the other is sliced
  GatheredRows other;                // the sliced operand's rows
  std::vector<std::uint32_t> rows;   // by slice: its row of other.source
  std::vector<std::uint32_t> ks;     // by slice: its column (or row)
  std::vector<std::uint32_t> index;  // by row of the linear: its slice, or the zeros after them
  bool zeros = false;
};

// A side may be one-hot: a column on the right, a row on the left.
bool may_be_hot(const Program& program, const Op& op, std::size_t side) {
  const auto& linear = std::get<LinearOp>(op.attributes);
  const auto turned = [&](std::size_t k) {
    const Shape shape = program.op(op.operands[k]).shape;
    return (k == 0 ? linear.transpose_left : linear.transpose_right) ? shape.transposed() : shape;
  };
  const Shape hot = turned(side);
  const Shape other = turned(1 - side);
  if (hot.size() < 2 || other.is_scalar()) return false;
  return side == 1 ? hot.cols() == 1 && other.cols() == hot.rows()
                   : hot.rows() == 1 && other.rows() == hot.cols();
}

Slices find_slices(const Program& program, ValueId id, std::size_t hot,
                   const std::vector<std::uint32_t>& places) {
  const Op& op = program.op(id);
  const auto& linear = std::get<LinearOp>(op.attributes);
  const Lift& hot_lift = hot == 0 ? linear.lift_left : linear.lift_right;
  const Lift& other_lift = hot == 0 ? linear.lift_right : linear.lift_left;
  const ValueId other = op.operands[1 - hot];
  Slices slices;
  slices.hot = hot;
  slices.other = read_through(program, other);
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> slice_of;  // (row, k)
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    const auto hot_rows = static_cast<std::uint32_t>(places.size());
    const std::uint32_t k = places[unlifted_row(hot_lift, hot_rows, i)];
    if (k == kZeros) {
      slices.zeros = true;
      slices.index.push_back(kZeros);
      continue;
    }
    const std::uint32_t row =
        slices.other.rows[unlifted_row(other_lift, program.op(other).rows, i)];
    const auto next = static_cast<std::uint32_t>(slices.rows.size());
    const auto [entry, is_new] = slice_of.try_emplace(std::uint64_t{row} << 32 | k, next);
    if (is_new) {
      slices.rows.push_back(row);
      slices.ks.push_back(k);
    }
    slices.index.push_back(entry->second);
  }
  for (std::uint32_t& slice : slices.index) {
    if (slice == kZeros) slice = static_cast<std::uint32_t>(slices.rows.size());
  }
  return slices;
}

bool is_one_row(const std::vector<std::uint32_t>& rows) {
  for (const std::uint32_t row : rows) {
    if (row != rows[0]) return false;
  }
  return true;
}

// Elements moved against multiply-adds.
bool slices_pay(const Program& program, const Op& op, const Slices& slices) {
  const std::uint64_t size = op.shape.size();
  const std::uint64_t length = program.op(op.operands[slices.hot]).shape.size();
  const std::uint64_t products = op.rows * size * length;
  std::uint64_t moved = (slices.rows.size() + op.rows) * size;
  if (!is_one_row(slices.rows)) moved += slices.rows.size() * size * length;
  return moved < products;
}

class Slicer {
 public:
  explicit Slicer(const Program& program) : program_(program), hot_(program), rewriter_(program) {}

  [[nodiscard]] std::uint64_t products() const { return products_; }

  Program run() {
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const Op& op = program_.op(id);
      std::optional<Slices> slices;
      if (op.kind() == OpKind::Linear && op.rows > 0) slices = find(id);
      if (!slices) {
        rewriter_.copy(id);
        continue;
      }
      products_ += op.rows;
      rewriter_.replace(id, emit(id, *slices));
    }
    return products_ == 0 ? Program() : compose_gathers(rewriter_.finish());
  }

 private:
  std::optional<Slices> find(ValueId id) {
    const Op& op = program_.op(id);
    for (const std::size_t hot : {std::size_t{1}, std::size_t{0}}) {
      if (!may_be_hot(program_, op, hot)) continue;
      const auto places = hot_.places(op.operands[hot]);
      if (!places || !hot_.all_weights(op.operands[1 - hot])) continue;
      Slices slices = find_slices(program_, id, hot, *places);
      if (slices_pay(program_, op, slices)) return slices;
    }
    return {};
  }

  ValueId emit(ValueId id, Slices& slices) {
    const Op& op = program_.op(id);
    std::vector<ValueId> parts;
    if (!slices.rows.empty()) parts.push_back(emit_slices(op, slices));
    if (slices.zeros) {
      parts.push_back(
          rewriter_.to().fact(std::vector<double>(op.shape.size()), 1, op.shape, op.note));
    }
    return rewriter_.gather(rewriter_.to().concat(parts, op.note),
                            Index::compact(std::move(slices.index)), op.note);
  }

  // One row for each pair of a row and a k.
  ValueId emit_slices(const Op& op, Slices& slices) {
    const auto count = static_cast<std::uint32_t>(slices.rows.size());
    const bool one_row = is_one_row(slices.rows) && slices.rows[0] == 0;
    const Index rows = one_row ? Index::repeat(1, count) : Index::compact(std::move(slices.rows));
    const ValueId other = rewriter_.gather(rewriter_.at(slices.other.source), rows, op.note);
    if (op.shape.is_scalar()) {
      const TransformationSpec at_index{.id = Transformation::AtIndex, .target = {}};
      return rewriter_.to().transform(other, at_index, std::move(slices.ks), op.note);
    }
    const auto& linear = std::get<LinearOp>(op.attributes);
    const bool takes_row = slices.hot == 1 ? linear.transpose_left : !linear.transpose_right;
    std::vector<std::uint32_t> words;
    for (const std::uint32_t k : slices.ks) {
      const Words row{k, k + 1, 0, kToEnd};
      const Words column{0, kToEnd, k, k + 1};
      const Words& own = takes_row ? row : column;
      words.insert(words.end(), own.begin(), own.end());
    }
    const TransformationSpec slice{.id = Transformation::Slice, .target = {}};
    const ValueId sliced = rewriter_.to().transform(other, slice, std::move(words), op.note);
    if (rewriter_.to().op(sliced).shape == op.shape) return sliced;
    const TransformationSpec reshape{.id = Transformation::Reshape, .target = op.shape};
    return rewriter_.to().transform(sliced, reshape, {}, op.note);
  }

  const Program& program_;
  HotRows hot_;
  Rewriter rewriter_;
  std::uint64_t products_ = 0;
};

// Whether some fact has a one-hot row, or zeros, of at least two elements.
bool has_hot_row(const Op& op) {
  const auto* fact = std::get_if<FactOp>(&op.attributes);
  if (!fact || fact->unit || fact->shape.size() < 2) return false;
  for (std::uint32_t row = 0; row < fact->rows; ++row) {
    const std::uint64_t size = fact->shape.size();
    if (hot_place(fact->values.row(row * size), size) != kNotHot) return true;
  }
  return false;
}

}  // namespace

std::uint64_t slice_one_hot_products(Program& program) {
  bool any = false;
  for (const Op& op : program.ops()) any = any || has_hot_row(op);
  if (!any || !SourceRows::fits(program)) return 0;
  Slicer slicer(program);
  Program sliced = slicer.run();
  if (slicer.products() > 0) program = std::move(sliced);
  return slicer.products();
}

}  // namespace vecc::opt
