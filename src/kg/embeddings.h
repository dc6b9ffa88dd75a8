// What a trained model of a knowledge graph has by entity and by relation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "src/kg/score_formula/score_code.h"
#include "src/kg/score_model.h"
#include "vecc/error.h"
#include "vecc/weights.h"

namespace vecc::kg {

/// Row-major, a row an entity or relation.
template <class T>
struct EmbeddingTables {
  std::vector<T> entities;   ///< [entities, dim]; complex numbers: real parts, then imaginary ones
  std::vector<T> relations;  ///< [relations, relation_dim]; rescal has none
  std::vector<T> matrices;   ///< [relations, matrix rows, dim]: transr (relation_dim rows), rescal
  std::vector<T> normals;    ///< [relations, dim]: transh
  std::vector<T> shared;     ///< a formula's shared parameters, one after another
};

struct Embeddings {
  ScoreModel model = ScoreModel::TransE;
  std::uint32_t p = 1;  ///< transe: the norm's
  std::uint32_t entities = 0;
  std::uint32_t relations = 0;
  std::uint32_t dim = 0;           ///< numbers an entity
  std::uint32_t relation_dim = 0;  ///< numbers of a relation's vector; rescal: dim
  /// Of ScoreModel::Formula, in the precision of the tables; rows are of its entity_width (dim) and
  /// relation_width (relation_dim).
  std::shared_ptr<const ScoreCode> formula;
  StringColumn entity_names;    ///< `entities`, or none
  StringColumn relation_names;  ///< `relations`, or none
  /// Double where a table of the file is.
  std::variant<EmbeddingTables<float>, EmbeddingTables<double>> tables;
};

/// The tables of a model by their names; other tensors that no model has (vecc's fixed weights) are
/// passed over. A table of n vectors of d is [n, d, 1], [n, d] or, of d = 1, [n]; of matrices
/// [n, rows, columns]. The names of rows are those of the file's vocabularies. Errors:
/// WeightsDiffer (a table is missing, of another shape, no floats, or another model's), NotFinite
/// (with the row), BadWeightFile (damaged vocabularies), Usage (p is neither 1 nor 2).
[[nodiscard]] Result<Embeddings> read_embeddings(const WeightFile& file, ScoreModel model,
                                                 std::uint32_t p);

}  // namespace vecc::kg
