// What the kernels of a training's step are compiled for.
#pragma once

#include <cstdint>
#include <string>

#include "src/kg/cuda/device_score.h"
#include "src/kg/train/cuda/kernels/arguments.h"
#include "src/kg/train/triple_trainer.h"

namespace vecc::kg {

struct StepKinds {
  DType dtype = DType::F32;
  ScoreModel model = ScoreModel::TransE;
  TileKind sum = TileKind::L1;
  TripleLoss loss = TripleLoss::Logistic;
  RowOptimizer optimizer = RowOptimizer::Adagrad;
  device::Sides sides = device::Sides::Both;
  bool moves_all = false;    ///< rows without a gradient too: adam
  bool draws_all = false;    ///< all entities are negatives
  bool by_degree = false;    ///< negatives are drawn by degree
  bool filters = false;      ///< known triples are no negatives
  bool labels = false;       ///< k-vs-all
  bool regularizes = false;  ///< by l2 or n3
  bool constrains = false;   ///< transh
  bool drops_entities = false;
  bool drops_relations = false;
  bool makes_answers = false;        ///< a user's score: e is no row of entities
  bool is_pairwise = false;          ///< a user's score is no sum over numbers
  bool is_joint = false;             ///< both sides' derivatives by one kernel: StepSizes
  bool has_fours = false;            ///< rows of q, e and entities have fours of numbers
  bool has_product_tiles = false;    ///< products of pairs by tensor cores: use_tensor_cores()
  std::uint32_t score_side = 64;     ///< then: queries and negatives of a block: StepSizes
  std::uint32_t group_columns = 56;  ///< then: numbers of a warpgroup of kernels/group_tile.h
  bool has_split_tiles = false;      ///< transr: kernels/split_spaces.h; use_tensor_cores()
  std::uint32_t dim = 0;             ///< numbers of an entity, of complex ones
  std::uint32_t width = 0;           ///< of q and e
  std::uint32_t space_columns = device::kWideColumns;  ///< transr: of images, of a block
  std::uint32_t matrix_rows = 64;  ///< rescal, transr: of a block's part of a matrix
  std::uint32_t matrix_columns = device::kWideColumns;  ///< likewise

  [[nodiscard]] bool is_formula() const { return model == ScoreModel::Formula; }

  [[nodiscard]] bool is_product() const { return has_product_tiles && sum == TileKind::Product; }
  /// Of derivatives by matrices, too: kept numbers are no row's of a table.
  [[nodiscard]] bool has_split_matrices() const { return has_split_tiles && !drops_entities; }
  /// Of a GPU of compute capability `capability`, 80 being 8.0.
  void use_tensor_cores(int capability);

  [[nodiscard]] bool has_matrices() const { return model == ScoreModel::Rescal || has_spaces(); }
  [[nodiscard]] bool has_spaces() const { return model == ScoreModel::TransR; }
  [[nodiscard]] bool has_planes() const { return model == ScoreModel::TransH; }
};
/// Of options that check_triple_options() lets pass; `score`: of ScoreModel::Formula.
[[nodiscard]] StepKinds step_kinds(const TripleTrainOptions& options, const DeviceScore* score);

/// The step's kernels in CUDA C++, vecc_kg_... of kernels/kernels.h; it includes nothing.
[[nodiscard]] std::string step_text(const StepKinds& kinds);

}  // namespace vecc::kg
