#include "src/kg/encoder/layer_builder.h"

#include <memory>
#include <utility>

#include "vecc/error.h"

namespace vecc::kg {

ValueId LayerBuilder::table(std::string_view name, std::uint32_t rows, Shape shape,
                            TableStart start) {
  const std::string full = prefix_ + std::string(name);
  const auto parameter = program().add_parameter({full, rows, shape, nullptr});
  VECC_CHECK(parameter.has_value(), "a table of an encoder that is there already");
  result_.tables.push_back({full, rows, shape, start});
  return program().weight(*parameter);
}

void LayerBuilder::add_edge_values() {
  const std::uint32_t edges = edges_.graph.edge_count();
  const std::vector<std::uint8_t> all(edges, 1);
  SharedNumbers values = SharedNumbers::of(edge_values(edges_.graph, options_.kind, all));
  const auto parameter = program().add_parameter(
      {std::string(kEdgeValues), edges, Shape::scalar(), std::move(values)});
  VECC_CHECK(parameter.has_value(), "edges of two encoders in one Program");
  edge_values_ = program().weight(*parameter);
}

ValueId LayerBuilder::rows(ValueId of, const std::vector<std::uint32_t>& index) {
  return program().gather(of, Index::compact(index));
}

ValueId LayerBuilder::repeated(ValueId of, std::uint32_t row, std::uint32_t times) {
  return program().gather(program().gather(of, Index::slice(row, 1)), Index::repeat(1, times));
}

ValueId LayerBuilder::times(ValueId left, ValueId right) {
  return program().linear(left, right);
}

ValueId LayerBuilder::dense(std::string_view name, ValueId x, LayerSize size, bool bias) {
  const std::uint32_t rows = program().op(x).rows;
  const ValueId matrix = table(name, 1, shape_of(size.out, size.in));
  const ValueId product = times(repeated(matrix, 0, rows), x);
  if (!bias) return product;
  const std::string bias_name = "b_" + std::string(name);
  const ValueId offset = table(bias_name, 1, program().op(product).shape, TableStart::Zeros);
  return map("sum($0, $1)", {product, offset});
}

ValueId LayerBuilder::map(std::string_view expression, std::initializer_list<ValueId> operands) {
  auto parsed = parse_expr(expression, "an encoder's layer");
  VECC_CHECK(parsed.has_value(), "a layer's own expression");
  return program().map(std::move(*parsed), std::vector<ValueId>(operands));
}

ValueId LayerBuilder::sums(ValueId of, const std::vector<std::uint32_t>& begin) {
  return program().segment(of, Segments::ragged(begin), Combination::Sum);
}

ValueId LayerBuilder::means(ValueId of_edges) {
  const std::vector<std::uint32_t>& begin = edges_.begin_of_target;
  if (edge_values_) return sums(times(*edge_values_, of_edges), begin);
  return program().segment(of_edges, Segments::ragged(begin), Combination::Avg);
}

ValueId LayerBuilder::attend(ValueId scores, ValueId messages) {
  const std::vector<std::uint32_t>& begin = edges_.edges_of_node.begin;
  // What is left out is so low that its share is 0; where all edges are, shares are no zeros yet.
  if (edge_values_) {
    scores = map("sum($0, elproduct(1e30, sum($1, -1)))", {scores, *edge_values_});
  }
  ValueId shares = program().segment(scores, Segments::ragged(begin), Combination::Softmax);
  if (edge_values_) shares = times(*edge_values_, shares);
  return sums(times(shares, messages), begin);
}

ValueId LayerBuilder::part(ValueId of, std::uint32_t first, std::uint32_t count) {
  if (program().op(of).shape.size() == count) return of;
  TransformationSpec slice;
  slice.id = Transformation::Slice;
  const ValueId column = program().transform(of, slice, {first, first + count, 0, 1});
  return count > 1 ? column : reshaped(column, Shape::scalar());
}

ValueId LayerBuilder::reshaped(ValueId of, Shape shape) {
  if (program().op(of).shape == shape) return of;
  TransformationSpec spec;
  spec.id = Transformation::Reshape;
  spec.target = shape;
  return program().transform(of, spec);
}

ValueId LayerBuilder::flat(ValueId of) {
  const std::uint32_t rows = program().op(of).rows;
  return rows == 1 ? of : program().segment(of, Segments::fixed(rows), Combination::Concat);
}

ValueId LayerBuilder::stacked(const std::vector<ValueId>& columns) {
  if (columns.size() == 1) return columns.front();
  std::string expression = "concat(";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    expression += (i == 0 ? "$" : ", $") + std::to_string(i);
  }
  auto parsed = parse_expr(expression + ")", "an encoder's heads");
  VECC_CHECK(parsed.has_value(), "columns of heads");
  return program().map(std::move(*parsed), columns);
}

ValueId LayerBuilder::transform(ValueId of, Transformation function) {
  TransformationSpec spec;
  spec.id = function;
  return program().transform(of, spec);
}

}  // namespace vecc::kg
