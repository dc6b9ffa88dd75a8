#include "tools/import/models/graph_sets/graph_set_models.h"

namespace vecc::tools {
namespace {

constexpr GraphSetModel kGraphSetModels[] = {
    {"gcn", "h_i = relu( sum over j in N(i) of W x_j )", 2, ground_gcn},
    {"sage", "h_i = relu( W_self x_i + W_neighbours mean over j in N(i) of x_j )", 2, ground_sage},
    {"gin", "h_i = relu( W2 relu( W1 ( x_i + sum over j in N(i) of x_j ) ) ), one output a layer",
     5, ground_gin},
    {"gcn-norm", "h_i = relu( sum over j in N(i) and i of W x_j / sqrt(deg_i deg_j) + b )", 2,
     ground_gcn_norm},
    {"gat",
     "h_i = relu( sum over j in N(i) and i of softmax_j(leakyrelu(a_target z_i + a_source z_j)) "
     "z_j "
     "+ b ), z = W x",
     2, ground_gat},
    {"gine",
     "h_i = relu( W2 relu( W1 ( x_i + sum over j in N(i) of relu( x_j + E e_ji ) ) ) ), e: edge "
     "labels and attributes",
     3, ground_gine},
};

}  // namespace

std::span<const GraphSetModel> graph_set_models() {
  return kGraphSetModels;
}

}  // namespace vecc::tools
