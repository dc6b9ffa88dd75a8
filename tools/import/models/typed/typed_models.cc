#include "tools/import/models/typed/typed_models.h"

namespace vecc::tools {
namespace {

constexpr TypedModel kTypedModels[] = {
    {"rgcn", "h_i = relu( sum over r of mean over j in N_r(i) of W_r x_j + W_0 x_i )", ground_rgcn},
    {"rgat",
     "h_i = relu( sum over in-edges of softmax(s) W_r x_j ), "
     "s = leakyrelu( a_target,r W_r x_i + a_source,r W_r x_j )",
     ground_rgat},
    {"hgt",
     "h_i = relu( g_t ( O_t gelu( sum over in-edges of softmax(s) M_r v_j ) ) + (1 - g_t) x_i ), "
     "s = p_r ( q_i . A_r k_j ) / sqrt(d)",
     ground_hgt},
};

}  // namespace

std::span<const TypedModel> typed_models() {
  return kTypedModels;
}

}  // namespace vecc::tools
