// What layers of encoders are made of: tables by name, products, sums over edges.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/kg/encoder/encoder_program.h"
#include "src/kg/encoder/message_graph.h"
#include "vecc/program.h"

namespace vecc::kg {

/// What all layers read of the graph. Which parts are there depends on the kind of encoder.
struct EncoderEdges {
  const MessageGraph& graph;
  /// Ends of edges by type; of edges ByType targets are in the order of their edges.
  TypedNodes sources;
  TypedNodes targets;
  std::vector<std::uint32_t> begin_of_target;  ///< [targets' pairs + 1]: edges ByType
  ItemsByKey targets_of_node;                  ///< by node its pairs of `targets`
  ItemsByKey edges_of_node;                    ///< by node the edges into it: ByTarget all in order
};

struct LayerSize {
  std::uint32_t in = 0;
  std::uint32_t out = 0;
};

/// A Program's shape of rows x cols numbers: one number is a scalar.
[[nodiscard]] constexpr Shape shape_of(std::uint32_t rows, std::uint32_t cols) {
  return rows == 1 && cols == 1 ? Shape::scalar() : Shape(rows, cols);
}

/// Adds to a Program. Tables have the layer's name in front of theirs: `h1.W`.
class LayerBuilder {
 public:
  LayerBuilder(EncoderProgram& result, const EncoderOptions& options, const EncoderEdges& edges)
      : result_(result), options_(options), edges_(edges) {}

  /// The parameter kEdgeValues, of which all edges are there; before the first layer.
  void add_edge_values();
  void begin_layer(std::size_t number) { prefix_ = "h" + std::to_string(number) + "."; }
  [[nodiscard]] const EncoderOptions& options() const { return options_; }
  [[nodiscard]] const EncoderEdges& edges() const { return edges_; }
  [[nodiscard]] std::uint32_t nodes() const { return edges_.graph.nodes; }

  /// The rows of a learned table.
  [[nodiscard]] ValueId table(std::string_view name, std::uint32_t rows, Shape shape,
                              TableStart start = TableStart::Matrices);
  [[nodiscard]] ValueId rows(ValueId of, const std::vector<std::uint32_t>& index);
  /// Row `row` of a value, `times` times.
  [[nodiscard]] ValueId repeated(ValueId of, std::uint32_t row, std::uint32_t times);
  /// Row by row.
  [[nodiscard]] ValueId times(ValueId left, ValueId right);
  /// Row 0 of a new table, a matrix, times each row of x; with `bias` plus another one's.
  [[nodiscard]] ValueId dense(std::string_view name, ValueId x, LayerSize size, bool bias);
  [[nodiscard]] ValueId map(std::string_view expression, std::initializer_list<ValueId> operands);
  [[nodiscard]] ValueId sums(ValueId of, const std::vector<std::uint32_t>& begin);
  /// Of edges ByType: the mean of their rows by type and target.
  [[nodiscard]] ValueId means(ValueId of_edges);
  /// softmax of scores [edges] over the edges into a node, times rows of edges, summed by node.
  /// Edges that are left out have no part in it.
  [[nodiscard]] ValueId attend(ValueId scores, ValueId messages);
  /// Numbers [first, first + count) of each row, a column.
  [[nodiscard]] ValueId part(ValueId of, std::uint32_t first, std::uint32_t count);
  [[nodiscard]] ValueId reshaped(ValueId of, Shape shape);
  /// All numbers of a value's rows as one column.
  [[nodiscard]] ValueId flat(ValueId of);
  /// Columns below each other.
  [[nodiscard]] ValueId stacked(const std::vector<ValueId>& columns);
  [[nodiscard]] ValueId transform(ValueId of, Transformation function);
  [[nodiscard]] Program& program() { return result_.program; }

 private:
  EncoderProgram& result_;
  const EncoderOptions& options_;
  const EncoderEdges& edges_;
  std::string prefix_;
  std::optional<ValueId> edge_values_;
};

/// One layer each, from x [nodes], columns of size.in, to columns of size.out.
[[nodiscard]] ValueId add_rgcn_layer(LayerBuilder& builder, ValueId x, LayerSize size);
[[nodiscard]] ValueId add_rgat_layer(LayerBuilder& builder, ValueId x, LayerSize size);
[[nodiscard]] ValueId add_hgt_layer(LayerBuilder& builder, ValueId x, LayerSize size);

}  // namespace vecc::kg
