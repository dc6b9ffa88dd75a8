// rgcn: h_i = sum over r of mean over j in N_r(i) of W_r x_j + W_0 x_i (Schlichtkrull et al. 2018).
// The mean comes first: W_r is multiplied once for a node and type, not once for an edge.
#include "src/kg/encoder/layer_builder.h"

namespace vecc::kg {
namespace {

// By type W_r = sum over b of a_rb V_b: the row a_r times all V, each a row of out * in numbers.
ValueId add_matrices_of_bases(LayerBuilder& builder, LayerSize size) {
  const std::uint32_t bases = builder.options().bases;
  const std::uint32_t types = builder.edges().graph.types;
  const Shape shape = shape_of(size.out, size.in);
  const ValueId matrices = builder.table("V", bases, shape);
  const ValueId shares = builder.table("a", types, shape_of(1, bases));
  const ValueId all = builder.reshaped(builder.flat(matrices), shape_of(bases, size.out * size.in));
  return builder.reshaped(builder.times(shares, builder.repeated(all, 0, types)), shape);
}

}  // namespace

ValueId add_rgcn_layer(LayerBuilder& builder, ValueId x, LayerSize size) {
  const EncoderEdges& edges = builder.edges();
  const ValueId means = builder.means(builder.rows(x, edges.graph.source));
  const ValueId matrices = builder.options().bases > 0
                               ? add_matrices_of_bases(builder, size)
                               : builder.table("W", edges.graph.types, shape_of(size.out, size.in));
  const ValueId products = builder.times(builder.rows(matrices, edges.targets.type), means);
  const ValueId sum =
      builder.sums(builder.rows(products, edges.targets_of_node.item), edges.targets_of_node.begin);
  if (!builder.options().self_loops) return sum;
  return builder.map("sum($0, $1)", {sum, builder.dense("W_0", x, size, false)});
}

}  // namespace vecc::kg
