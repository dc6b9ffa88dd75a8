// The attention of hgt's layers, without the matrices by node type.
#pragma once

#include <cmath>

#include "tools/import/models/typed/typed_attention.h"

namespace vecc::tools {

/// What scores are multiplied by: 1 / sqrt(D).
[[nodiscard]] inline double attention_scale(std::uint32_t head_dim) {
  return 1 / std::sqrt(static_cast<double>(head_dim));
}

/// What all layers share.
struct HgtEdges {
  AttentionEdges all;
  RelationHeads heads;      ///< of the message rules
  ItemLists heads_of_node;  ///< by target
};

/// The weights of a layer's attention: tables by relation and head, and 1/sqrt(D).
struct HgtWeights {
  WeightId a, m, p, scale;
};

/// Each node's parts of q (rows), k and v (columns), head by head.
struct HgtParts {
  FileId q, k, v;
};

/// m_i of all nodes and heads, sum over the edges into i of softmax(s) M_r v_j; with one head its
/// gelu. Atoms, head by head.
[[nodiscard]] FileId ground_hgt_messages(const TypedTemplate& t, std::uint32_t layer,
                                         const HgtEdges& edges, const HgtWeights& weights,
                                         const HgtParts& parts);

}  // namespace vecc::tools
