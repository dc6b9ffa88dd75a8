// Row-wise products, as matrix products of all rows at once.
#include <optional>
#include <utility>

#include "src/emit/python/op_emitter.h"

namespace vecc::python {
namespace {

// einsum's letters of a factor's own dimensions: i x j times j x k. A vector has one dimension, a
// scalar none; the j of a column times a row is of length 1.
std::string letters(Shape shape, bool is_left) {
  const std::string rows = is_left ? "i" : "j";
  const std::string cols = is_left ? "j" : "k";
  if (shape.is_scalar()) return "";
  if (shape.is_matrix()) return rows + cols;
  if (is_left) return shape.rows() > 1 ? rows : cols;
  return shape.cols() > 1 ? cols : rows;
}

std::string stored_letters(const Factor& factor, bool is_left) {
  std::string text = letters(factor.shape, is_left);
  if (factor.transposed && text.size() == 2) std::swap(text[0], text[1]);
  return text;
}

// Letters of the result.
std::string product_letters(Shape left, Shape right) {
  if (left.is_scalar()) return letters(right, false);
  if (right.is_scalar()) return letters(left, true);
  return std::string(left.rows() > 1 ? "i" : "") + (right.cols() > 1 ? "k" : "");
}

Code scale(const Factor& left, const Factor& right) {
  const bool left_scales = left.shape.is_scalar();
  const Factor& factor = left_scales ? left : right;
  const Factor& scaled = left_scales ? right : left;
  Code code(factor.code);
  if (!factor.grid.empty()) code.add(spread(factor.shape, scaled.shape));
  code.add(" * ");
  code.add(scaled.code);
  if (scaled.transposed && scaled.shape.is_matrix()) code.add(".mT");
  return code;
}

std::string transpose_if(bool transpose) {
  return transpose ? ".T" : "";
}

// A product of all rows with the only row of one side: x @ W.T.
std::optional<Code> multiply_by_one(const Factor& left, const Factor& right) {
  const std::string l = letters(left.shape, true);
  const std::string r = letters(right.shape, false);
  const bool is_dot = l == "j" && r == "j";
  if (right.grid.empty()) {
    if (is_dot) return Code(left.code, " @ ", right.code);
    if (l != "j" || r != "jk") return std::nullopt;
    return Code(left.code, " @ ", right.code, transpose_if(right.transposed));
  }
  if (is_dot) return Code(right.code, " @ ", left.code);
  if (l != "ij" || r != "j") return std::nullopt;
  return Code(right.code, " @ ", left.code, transpose_if(!left.transposed));
}

bool is_lifted_op(const Lift& lift) {
  return lift.kind != Lift::Kind::None && lift.times > 1;
}

// Where each side's rows lie on the grid of rows outer x inner of a linear's result.
struct Grid {
  std::string left = "n";
  std::string right = "n";
  std::string result = "n";
  std::uint32_t outer = 0;
  std::uint32_t inner = 0;  ///< 0: no grid
  bool copies_right = false;
};

Grid plan_grid(const LinearOp& op, std::uint32_t left_rows, std::uint32_t right_rows) {
  const bool left = is_lifted_op(op.lift_left);
  const bool right = is_lifted_op(op.lift_right);
  if (!left && !right) return {};
  const auto plan = [](const Lift& lift, std::uint32_t rows) {
    const bool repeats = lift.kind == Lift::Kind::Repeat;
    return repeats ? Grid{"m", "nm", "nm", lift.times, rows}
                   : Grid{"n", "nm", "nm", rows, lift.times};
  };
  Grid grid = left ? plan(op.lift_left, left_rows) : plan(op.lift_right, right_rows);
  if (!left) std::swap(grid.left, grid.right);
  if (!left || !right) return grid;
  const Grid other = plan(op.lift_right, right_rows);
  if (other.outer == grid.outer && other.inner == grid.inner && other.left != grid.left) {
    grid.right = other.left;
  } else {
    grid.copies_right = true;
  }
  return grid;
}

Code unflatten(const Code& code, const std::string& grid, const Grid& plan) {
  if (grid.size() < 2) return code;
  return Code(code, ".unflatten(0, (", plan.outer, ", ", plan.inner, "))");
}

Code copy_lift(const Code& code, const Lift& lift, Shape shape) {
  if (lift.kind == Lift::Kind::Interleave) {
    return Code(code, ".repeat_interleave(", lift.times, ", 0)");
  }
  std::string ones;
  for (std::size_t d = 0; d < dimensions(shape).size(); ++d) ones += ", 1";
  return Code(code, ".repeat(", lift.times, ones, ")");
}

}  // namespace

Code multiply(const Factor& left, const Factor& right, const std::string& grid) {
  const bool scales = left.shape.is_scalar() || right.shape.is_scalar();
  if (scales && left.grid.size() < 2 && right.grid.size() < 2) {
    if (left.grid == right.grid || grid == "n") return scale(left, right);
  }
  if (left.grid.empty() != right.grid.empty()) {
    if (const auto product = multiply_by_one(left, right)) return *product;
  }
  return Code("torch.einsum(\"", left.grid, stored_letters(left, true), ",", right.grid,
              stored_letters(right, false), "->", grid, product_letters(left.shape, right.shape),
              "\", ", left.code, ", ", right.code, ")");
}

Code OpEmitter::emit_op(const LinearOp& op, ValueId id) {
  const Op& linear = program_.op(id);
  const Op& left = program_.op(linear.operands[0]);
  const Op& right = program_.op(linear.operands[1]);
  const auto transposed = [](bool transpose, Shape shape) {
    return transpose ? shape.transposed() : shape;
  };
  Factor l{reads_[linear.operands[0]], transposed(op.transpose_left, left.shape), op.transpose_left,
           "n"};
  Factor r{reads_[linear.operands[1]], transposed(op.transpose_right, right.shape),
           op.transpose_right, "n"};
  const Grid grid = plan_grid(op, left.rows, right.rows);
  if (grid.inner == 0) return multiply(l, r, "n");
  if (grid.copies_right) r.code = copy_lift(r.code, op.lift_right, right.shape);
  // One row that all read needs no grid.
  if (!grid.copies_right && (left.rows == 1) != (right.rows == 1)) {
    Factor& single = left.rows == 1 ? l : r;
    single.code.add("[0]");
    single.grid = "";
    return multiply(l, r, "n");
  }
  l.code = unflatten(l.code, grid.left, grid);
  r.code = unflatten(r.code, grid.right, grid);
  l.grid = grid.left;
  r.grid = grid.right;
  return Code(multiply(l, r, grid.result), ".flatten(0, 1)");
}

}  // namespace vecc::python
