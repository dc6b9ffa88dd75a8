// A query as one vector: the score of (h, r, t) is a sum over dimensions of what q, which the
// query's entity and relation make, and the entity that answers are there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/kg/score_model.h"
#include "src/kg/tiles.h"
#include "src/kg/triple.h"

namespace vecc::kg {

/// The sum; `p` is transe's norm. Here and below no score is a Formula (formula_vectors.h).
[[nodiscard]] TileKind tile_kind(ScoreModel model, std::uint32_t p);

/// Of make_query()'s vectors: transr's are for a product.
[[nodiscard]] TileKind query_tile_kind(ScoreModel model, std::uint32_t p);

/// Numbers of a relation's row, `dim` being those of an entity: a vector; transh: then its normal;
/// transr: then its matrix; rescal: the matrix.
[[nodiscard]] std::size_t relation_width(ScoreModel model, std::size_t dim);

/// Whether the entity that answers goes through the relation's matrix or hyperplane first: transh,
/// transr. The score is then more than a sum (projected_query.h).
[[nodiscard]] bool projects_answers(ScoreModel model);

/// q [dim] and bias (added to a product; transh: c of projected_query.h) of a query for `asked`.
/// x [dim]: its entity; r: the relation's row.
template <class T>
void make_query(ScoreModel model, Side asked, const T* x, const T* r, std::size_t dim, T* q,
                T& bias);

/// A query's derivatives; `dq` and `dbias` are those of a number by q and bias.
template <class T>
struct QueryGradient {
  ScoreModel model;
  Side asked;
  const T* x;
  const T* r;
  std::size_t dim;
  const T* dq;
  T dbias;
  const T* by_normal = nullptr;  ///< transh: the derivative by u

  /// Adds the derivatives by x.
  void add_to_entity(T* dx) const;
  /// Adds those by r.
  void add_to_relation(T* dr) const;
};

}  // namespace vecc::kg
