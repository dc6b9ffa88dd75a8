#include "src/kg/encoder/encoder_program.h"

#include "src/kg/encoder/layer_builder.h"

namespace vecc::kg {
namespace {

// Offsets of edges ByType over their targets' pairs.
std::vector<std::uint32_t> begins_of(const TypedNodes& targets) {
  std::vector<std::uint32_t> begin(targets.type.size() + 1);
  for (const std::uint32_t pair : targets.of_edge) ++begin[pair + std::size_t{1}];
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  return begin;
}

EncoderEdges edges_of(const MessageGraph& graph, EncoderKind kind) {
  EncoderEdges edges{graph, {}, {}, {}, {}, {}};
  if (kind == EncoderKind::Rgcn) {
    edges.targets = find_typed_nodes(graph, graph.target);
    edges.begin_of_target = begins_of(edges.targets);
    edges.targets_of_node = items_by_key(edges.targets.node, graph.nodes);
    return edges;
  }
  edges.sources = find_typed_nodes(graph, graph.source);
  if (kind == EncoderKind::Rgat) edges.targets = find_typed_nodes(graph, graph.target);
  edges.edges_of_node = items_by_key(graph.target, graph.nodes);
  return edges;
}

ValueId add_layer(EncoderKind kind, LayerBuilder& builder, ValueId x, LayerSize size) {
  switch (kind) {
    case EncoderKind::Rgcn: return add_rgcn_layer(builder, x, size);
    case EncoderKind::Rgat: return add_rgat_layer(builder, x, size);
    case EncoderKind::Hgt: return add_hgt_layer(builder, x, size);
    case EncoderKind::None: break;
  }
  VECC_CHECK(false, "an encoder without layers");
}

}  // namespace

EdgeOrder edge_order_of(EncoderKind kind) {
  return kind == EncoderKind::Rgcn ? EdgeOrder::ByType : EdgeOrder::ByTarget;
}

std::vector<double> edge_values(const MessageGraph& graph, EncoderKind kind,
                                std::span<const std::uint8_t> keeps) {
  std::vector<double> values(keeps.begin(), keeps.end());
  if (kind != EncoderKind::Rgcn) return values;
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < values.size(); begin = end) {
    double kept = 0;
    for (end = begin; end < values.size() && graph.type[end] == graph.type[begin] &&
                      graph.target[end] == graph.target[begin];
         ++end) {
      kept += values[end];
    }
    for (std::size_t e = begin; kept > 0 && e < end; ++e) values[e] /= kept;
  }
  return values;
}

EncoderProgram make_encoder_program(const MessageGraph& graph, const EncoderOptions& options,
                                    std::uint32_t width, DType dtype) {
  EncoderProgram result{Program(dtype), {}};
  const EncoderEdges edges = edges_of(graph, options.kind);
  LayerBuilder builder(result, options, edges);
  if (options.has_mask()) builder.add_edge_values();
  const std::vector<std::uint32_t> widths = layer_widths(options, width);
  ValueId x = builder.table("e", graph.nodes, shape_of(widths.front(), 1), TableStart::Embeddings);
  for (std::size_t layer = 1; layer < widths.size(); ++layer) {
    if (layer > 1) x = builder.transform(x, Transformation::Relu);
    builder.begin_layer(layer);
    x = add_layer(options.kind, builder, x, {widths[layer - 1], widths[layer]});
  }
  result.program.output(x, Index::slice(0, graph.nodes));
  result.program.set_sample_count(graph.nodes);
  return result;
}

}  // namespace vecc::kg
