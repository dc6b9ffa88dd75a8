// rgat: z_j = W_r x_j, y_i = W_r x_i; s = leakyrelu(a_target,r y_i + a_source,r z_j);
// h_i = sum over all in-edges of softmax(s) z_j + W_0 x_i (Busbridge et al. 2019). z and y are
// multiplied once for a node and type.
#include "src/kg/encoder/layer_builder.h"

namespace vecc::kg {
namespace {

// By pair of a type and a node: a_r times its row.
ValueId add_part_of_score(LayerBuilder& builder, ValueId a, const TypedNodes& pairs,
                          std::uint32_t head, ValueId rows) {
  std::vector<std::uint32_t> row = pairs.type;
  for (std::uint32_t& r : row) r = r * builder.options().heads + head;
  return builder.times(builder.rows(a, row), rows);
}

}  // namespace

ValueId add_rgat_layer(LayerBuilder& builder, ValueId x, LayerSize size) {
  const EncoderEdges& edges = builder.edges();
  const std::uint32_t heads = builder.options().heads;
  const std::uint32_t types = edges.graph.types;
  const ValueId matrices = builder.table("W", types, shape_of(size.out, size.in));
  const auto project = [&](const TypedNodes& pairs) {
    return builder.times(builder.rows(matrices, pairs.type), builder.rows(x, pairs.node));
  };
  const ValueId z = project(edges.sources);
  const ValueId y = project(edges.targets);
  const Shape row = shape_of(1, size.out);
  const ValueId a_target = builder.table("a_target", types * heads, row);
  const ValueId a_source = builder.table("a_source", types * heads, row);
  std::vector<ValueId> sums;
  for (std::uint32_t head = 0; head < heads; ++head) {
    const ValueId of_target = add_part_of_score(builder, a_target, edges.targets, head, y);
    const ValueId of_source = add_part_of_score(builder, a_source, edges.sources, head, z);
    const ValueId scores = builder.map("leakyrelu[0.2](sum($0, $1))",
                                       {builder.rows(of_target, edges.targets.of_edge),
                                        builder.rows(of_source, edges.sources.of_edge)});
    const std::uint32_t width = size.out / heads;
    const ValueId messages =
        builder.rows(builder.part(z, head * width, width), edges.sources.of_edge);
    sums.push_back(builder.attend(scores, messages));
  }
  const ValueId sum = builder.stacked(sums);
  if (!builder.options().self_loops) return sum;
  return builder.map("sum($0, $1)", {sum, builder.dense("W_0", x, size, false)});
}

}  // namespace vecc::kg
