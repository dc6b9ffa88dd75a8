#include "tools/import/models/scores/score_models.h"

namespace vecc::tools {
namespace {

constexpr ScoreModel kScoreModels[] = {
    {"transe", "- norm_p( h + r - t )", ground_transe},
    {"transh", "- square norm of ( h' + r - t' ), x' = x - (w_r . x) / (w_r . w_r) w_r",
     ground_transh},
    {"transr", "- square norm of ( M_r h + r - M_r t )", ground_transr},
    {"transf", "(h + r) . t + h . (t - r)", ground_transf},
    {"rescal", "h . M_r t", ground_rescal},
    {"distmult", "sum over k of h_k r_k t_k", ground_distmult},
    {"complex", "real part of sum over k of h_k r_k conj(t_k)", ground_complex},
    {"rotate", "- sum over k of | h_k r_k / |r_k| - t_k | of complex numbers", ground_rotate},
    {"tucker", "sum over i, j, k of W_ijk h_i r_j t_k", ground_tucker},
};

}  // namespace

std::span<const ScoreModel> score_models() {
  return kScoreModels;
}

}  // namespace vecc::tools
