// A score whose weights are on a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/kg/cuda/device_score.h"
#include "src/kg/embeddings.h"
#include "src/kg/query_plan.h"
#include "src/kg/score_model.h"
#include "vecc/program.h"

namespace vecc::kg {

struct RankModel {
  DType dtype = DType::F32;
  ScoreModel model = ScoreModel::TransE;
  std::uint32_t p = 1;  ///< transe: the norm's
  std::uint64_t entities = 0;
  std::uint64_t relations = 0;
  std::uint32_t dim = 0;             ///< numbers of an entity's row
  std::uint32_t relation_dim = 0;    ///< of a relation's vector; rescal, transr: rows of a matrix
  std::optional<DeviceScore> score;  ///< of ScoreModel::Formula

  [[nodiscard]] std::uint64_t number_bytes() const { return byte_size(dtype); }
  [[nodiscard]] bool projects() const {
    return model == ScoreModel::TransH || model == ScoreModel::TransR;
  }
  [[nodiscard]] bool has_matrices() const {
    return model == ScoreModel::Rescal || model == ScoreModel::TransR;
  }
  [[nodiscard]] bool is_pairwise() const { return score && score->is_pairwise(); }
  [[nodiscard]] bool makes_answers() const { return score && score->makes_answers; }
  /// Of q and of what it is scored with.
  [[nodiscard]] std::uint32_t width() const { return score ? score->width : relation_dim; }
  /// Of e, before it is projected.
  [[nodiscard]] std::uint32_t answer_width() const { return score ? score->width : dim; }
  /// What all queries of a block have in common.
  [[nodiscard]] BatchKind batch_kind() const {
    if (score) return BatchKind::OneSide;
    return projects() ? BatchKind::OneRelation : BatchKind::Any;
  }
};

/// Without the weights.
[[nodiscard]] RankModel rank_model(const Embeddings& embeddings);

/// Addresses. Rows of relations are `..._stride` numbers apart. Of a user's score: rows by
/// parameter (parameter_rows.h), and neither matrices nor normals.
struct RankTables {
  std::uint64_t entities = 0;
  std::uint64_t relations = 0;
  std::uint64_t matrices = 0;
  std::uint64_t normals = 0;
  std::uint64_t shared = 0;
  std::uint64_t relation_stride = 0;
  std::uint64_t matrix_stride = 0;
  std::uint64_t normal_stride = 0;
};

/// The kernels that rank, vecc_kg_rank_... of kernels/rank_kernels.h, in CUDA C++; it includes
/// nothing.
[[nodiscard]] std::string rank_text(const RankModel& model);

}  // namespace vecc::kg
