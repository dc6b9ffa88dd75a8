#include "optimizer/passes/product_parts.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "optimizer/passes/product_slices.h"
#include "optimizer/rewrite/expr_nodes.h"

namespace vecc::opt {
namespace {

constexpr std::size_t kMostParts = 16;
constexpr std::uint32_t kMostDepth = 3;  // of maps that read maps
// Less work by so much: a sum of products that are read elsewhere also takes time by itself.
constexpr double kWorth = 0.7;

using Kind = ExprNode::Kind;

// What a column is made of, from its map's tree: parts from its entry 0 on.
class ColumnReader {
 public:
  explicit ColumnReader(const Program& program) : program_(program) {}

  struct Column {
    std::vector<ColumnPart> parts;
    std::uint32_t size = 0;
  };

  // None if it is no sum or concat of multiples of columns.
  std::optional<Column> read(ValueId value, std::uint32_t depth) const {
    const Op& op = program_.op(value);
    const auto* map = std::get_if<MapOp>(&op.attributes);
    if (map == nullptr || depth > kMostDepth) return {};
    std::size_t end = map->expr->nodes.size();
    auto column = read_tree(op, map->expr->nodes, end, depth);
    if (column && column->parts.size() > kMostParts) return {};
    return column;
  }

 private:
  // The tree whose root is the last before `end`, which becomes where the tree begins.
  std::optional<Column> read_tree(const Op& op, std::span<const ExprNode> nodes, std::size_t& end,
                                  std::uint32_t depth) const {
    const ExprNode& node = nodes[--end];
    if (node.kind == Kind::Input) return read_operand(op.operands[node.input], depth);
    if (node.kind != Kind::Combine) return {};
    if (node.combination == Combination::ElProduct) {
      return read_multiple(op, nodes, end, node.arity, depth);
    }
    if (node.combination != Combination::Sum && node.combination != Combination::Concat) return {};
    std::vector<Column> columns(node.arity);  // postfix: the last one first
    for (std::uint32_t i = node.arity; i-- > 0;) {
      auto column = read_tree(op, nodes, end, depth);
      if (!column) return {};
      columns[i] = std::move(*column);
    }
    return join(std::move(columns), node.combination == Combination::Concat);
  }

  // A number times a column.
  std::optional<Column> read_multiple(const Op& op, std::span<const ExprNode> nodes,
                                      std::size_t& end, std::uint32_t arity,
                                      std::uint32_t depth) const {
    double factor = 1;
    std::optional<Column> column;
    for (std::uint32_t i = 0; i < arity; ++i) {
      if (nodes[end - 1].kind == Kind::Constant) {
        factor *= nodes[--end].constant;
      } else if (column) {
        return {};
      } else {
        column = read_tree(op, nodes, end, depth);
        if (!column) return {};
      }
    }
    if (!column) return {};
    for (ColumnPart& part : column->parts) part.factor *= factor;
    return column;
  }

  std::optional<Column> read_operand(ValueId value, std::uint32_t depth) const {
    if (auto column = read(value, depth + 1)) return column;
    const Op& op = program_.op(value);
    if (op.shape.is_scalar() || op.shape.cols() != 1) return {};
    return Column{{{value, 1, 0, op.shape.rows()}}, op.shape.rows()};
  }

  static std::optional<Column> join(std::vector<Column> columns, bool one_below_another) {
    Column all;
    for (Column& column : columns) {
      if (!one_below_another && column.size != columns[0].size) return {};
      for (ColumnPart part : column.parts) {
        if (one_below_another) part.begin += all.size;
        all.parts.push_back(part);
      }
      if (one_below_another || all.size == 0) all.size += column.size;
    }
    return all;
  }

  const Program& program_;
};

// A sum of multiples of its operands.
Expr sum_of_multiples(std::span<const double> factors) {
  Expr expr;
  for (std::uint32_t i = 0; i < factors.size(); ++i) {
    expr.nodes.push_back(input_node(i));
    if (factors[i] == 1) continue;
    expr.nodes.insert(expr.nodes.end() - 1, constant_node(factors[i]));
    expr.nodes.push_back(combine_node(Combination::ElProduct, 2));
  }
  if (factors.size() > 1) {
    expr.nodes.push_back(
        combine_node(Combination::Sum, static_cast<std::uint32_t>(factors.size())));
  }
  return expr;
}

ValueId add_sum(Rewriter& rewriter, std::span<const double> factors, const Operands& values,
                ValueId old) {
  if (factors.size() == 1 && factors[0] == 1) return values[0];
  return rewriter.add(MapOp{std::make_shared<const Expr>(sum_of_multiples(factors))}, values, old);
}

// Parts of one value after another.
std::vector<std::vector<ColumnPart>> by_value(const std::vector<ColumnPart>& parts) {
  std::vector<std::vector<ColumnPart>> result;
  for (const ColumnPart& part : parts) {
    const auto found = std::ranges::find(
        result, part.value, [](const std::vector<ColumnPart>& of) { return of[0].value; });
    if (found == result.end()) {
      result.push_back({part});
    } else {
      found->push_back(part);
    }
  }
  return result;
}

}  // namespace

std::vector<ColumnPart> ProductParts::parts_of(ValueId product) {
  if (!is_shared_product(program_, product)) return {};
  const ValueId right = op(product).operands[1];
  auto column = ColumnReader(program_).read(right, 0);
  if (!column || column->size != op(right).shape.size()) return {};
  if (!takes_less(product, column->parts)) return {};
  // Infinity less infinity is NaN, and would be other terms here.
  if (doubtful_[op(product).operands[0]]) return {};
  const bool is_doubtful = std::ranges::any_of(column->parts, [&](const ColumnPart& part) {
    return doubtful_[part.value] || vecc::opt::is_doubtful(part.factor);
  });
  return is_doubtful ? std::vector<ColumnPart>() : std::move(column->parts);
}

bool ProductParts::takes_less(ValueId product, const std::vector<ColumnPart>& parts) const {
  const Op& it = op(product);
  const double entries = it.shape.size();
  const double rows = it.rows;
  const std::uint64_t matrices = op(read_through(program_, it.operands[0]).source).rows;
  const double before = rows * entries * op(it.operands[1]).shape.size();
  double after = 0;
  for (const auto& of_value : by_value(parts)) {
    const ValueId value = of_value[0].value;
    const std::uint64_t source_rows = op(read_through(program_, value).source).rows;
    const double distinct = std::min<std::uint64_t>(source_rows * matrices, it.rows);
    // Of the products; then each row reads and adds one.
    after += distinct * entries * of_value[0].size + rows * entries;
  }
  return after < kWorth * before;
}

ValueId ProductParts::matrix_of(Rewriter& rewriter, ValueId product,
                                const std::vector<ColumnPart>& of_value) const {
  const auto& linear = std::get<LinearOp>(op(product).attributes);
  const GatheredRows left = read_through(program_, op(product).operands[0]);
  const Shape matrix = op(left.source).shape;
  Operands slices(of_value.size());
  std::vector<double> factors;
  for (std::size_t i = 0; i < of_value.size(); ++i) {
    const std::uint32_t begin = of_value[i].begin;
    const std::uint32_t end = begin + of_value[i].size;
    TransformOp slice;
    slice.transformation.id = Transformation::Slice;
    slice.words = std::make_shared<const std::vector<std::uint32_t>>(
        linear.transpose_left ? std::vector<std::uint32_t>{begin, end, 0, matrix.cols()}
                              : std::vector<std::uint32_t>{0, matrix.rows(), begin, end});
    slices[i] = rewriter.add(slice, {rewriter.at(left.source)}, product);
    factors.push_back(of_value[i].factor);
  }
  return rewriter.gather(add_sum(rewriter, factors, slices, product), left.rows);
}

ValueId ProductParts::make(Rewriter& rewriter, ValueId product,
                           const std::vector<ColumnPart>& parts) const {
  const auto values = by_value(parts);
  const std::uint32_t rows = op(product).rows;
  Operands products(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ValueId value = values[i][0].value;
    ValueId now = rewriter.at(value);
    if (op(value).rows != rows) now = rewriter.gather(now, Index::repeat(1, rows));
    products[i] = rewriter.add(std::get<LinearOp>(op(product).attributes),
                               {matrix_of(rewriter, product, values[i]), now}, product);
  }
  return add_sum(rewriter, std::vector<double>(values.size(), 1.0), products, product);
}

}  // namespace vecc::opt
