// rgcn: h_i = sum over r of mean over j in N_r(i) of W_r x_j + W_0 x_i (Schlichtkrull et al. 2018).
// The mean comes first: W_r is multiplied once for a node and type, not once for an edge.
#include "src/kg/encoder/layer_builder.h"

namespace vecc::kg {
namespace {

// W_r = sum over b of a_rb V_b: a node's means are summed by a_rb first, so that V_b is multiplied
// once for a node.
ValueId add_bases(LayerBuilder& builder, ValueId means, LayerSize size) {
  const EncoderEdges& edges = builder.edges();
  const std::uint32_t bases = builder.options().bases;
  const std::uint32_t types = edges.graph.types;
  const ValueId matrices = builder.table("V", bases, shape_of(size.out, size.in));
  const ValueId shares = builder.table("a", types * bases, Shape::scalar());
  ValueId sum = 0;
  for (std::uint32_t b = 0; b < bases; ++b) {
    std::vector<std::uint32_t> share = edges.targets.type;
    for (std::uint32_t& row : share) row += b * types;
    const ValueId weighted = builder.times(builder.rows(shares, share), means);
    const ValueId of_node = builder.sums(builder.rows(weighted, edges.targets_of_node.item),
                                         edges.targets_of_node.begin);
    const ValueId product = builder.times(builder.repeated(matrices, b, builder.nodes()), of_node);
    sum = b == 0 ? product : builder.map("sum($0, $1)", {sum, product});
  }
  return sum;
}

}  // namespace

ValueId add_rgcn_layer(LayerBuilder& builder, ValueId x, LayerSize size) {
  const EncoderEdges& edges = builder.edges();
  const ValueId means = builder.means(builder.rows(x, edges.graph.source));
  ValueId sum = 0;
  if (builder.options().bases > 0) {
    sum = add_bases(builder, means, size);
  } else {
    const ValueId matrices = builder.table("W", edges.graph.types, shape_of(size.out, size.in));
    const ValueId products = builder.times(builder.rows(matrices, edges.targets.type), means);
    sum = builder.sums(builder.rows(products, edges.targets_of_node.item),
                       edges.targets_of_node.begin);
  }
  if (!builder.options().self_loops) return sum;
  return builder.map("sum($0, $1)", {sum, builder.dense("W_0", x, size, false)});
}

}  // namespace vecc::kg
