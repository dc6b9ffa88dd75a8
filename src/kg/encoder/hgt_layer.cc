// hgt with one type of nodes: k = K x + b_K, q, v likewise; s = p_r^h (q_i^h . A_r^h k_j^h) /
// sqrt(D); m_i = concat over h of sum over all in-edges of softmax(s) M_r^h v_j^h; o = O gelu(m) +
// b_O; h = g o + (1 - g) x, g = sigmoid(skip), where widths are equal (Hu et al. 2020). A k and M v
// are multiplied once for a node and type.
#include <cmath>

#include "src/kg/encoder/layer_builder.h"

namespace vecc::kg {
namespace {

struct HgtParts {
  ValueId k, q, v;
};
struct HgtTables {
  ValueId a, m, p;
};

ValueId add_head(LayerBuilder& builder, const HgtParts& of, const HgtTables& tables,
                 std::uint32_t head, std::uint32_t width) {
  const EncoderEdges& edges = builder.edges();
  const std::uint32_t heads = builder.options().heads;
  const auto by_type = [&](ValueId table, const std::vector<std::uint32_t>& types) {
    std::vector<std::uint32_t> row = types;
    for (std::uint32_t& r : row) r = r * heads + head;
    return builder.rows(table, row);
  };
  const auto by_source = [&](ValueId value) {
    return builder.rows(builder.part(value, head * width, width), edges.sources.node);
  };
  const ValueId keys = builder.times(by_type(tables.a, edges.sources.type), by_source(of.k));
  const ValueId messages = builder.times(by_type(tables.m, edges.sources.type), by_source(of.v));
  const ValueId queries = builder.rows(builder.part(of.q, head * width, width), edges.graph.target);
  LinearOp dot;
  dot.transpose_left = true;
  const ValueId products =
      builder.program().linear(queries, builder.rows(keys, edges.sources.of_edge), dot);
  const ValueId scale =
      builder.program().fact({1 / std::sqrt(static_cast<double>(width))}, 1, Shape::scalar());
  const ValueId scores =
      builder.map("elproduct($0, $1, $2)", {products, by_type(tables.p, edges.graph.type), scale});
  return builder.attend(scores, builder.rows(messages, edges.sources.of_edge));
}

}  // namespace

ValueId add_hgt_layer(LayerBuilder& builder, ValueId x, LayerSize size) {
  const std::uint32_t heads = builder.options().heads;
  const std::uint32_t rows = builder.edges().graph.types * heads;
  const std::uint32_t width = size.out / heads;
  const Shape head_shape = shape_of(width, width);
  const HgtParts parts{builder.dense("K", x, size, true), builder.dense("Q", x, size, true),
                       builder.dense("V", x, size, true)};
  const HgtTables tables{builder.table("A", rows, head_shape), builder.table("M", rows, head_shape),
                         builder.table("p", rows, Shape::scalar(), TableStart::Ones)};
  std::vector<ValueId> sums;
  for (std::uint32_t head = 0; head < heads; ++head) {
    sums.push_back(add_head(builder, parts, tables, head, width));
  }
  const ValueId messages = builder.transform(builder.stacked(sums), Transformation::Gelu);
  const ValueId result = builder.dense("O", messages, {size.out, size.out}, true);
  if (!builder.options().self_loops || size.in != size.out) return result;
  const ValueId skip = builder.table("skip", 1, Shape::scalar(), TableStart::Ones);
  return builder.map("sum(elproduct(sigmoid($0), $1), elproduct(reverse(sigmoid($0)), $2))",
                     {skip, result, x});
}

}  // namespace vecc::kg
