// A query as one vector: the score of (h, r, t) is a sum over dimensions of what q, which the
// query's entity and relation make, and the entity that answers are there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/kg/score_model.h"
#include "src/kg/tiles.h"
#include "src/kg/triple.h"

namespace vecc::kg {

/// The sum; `p` is transe's norm.
[[nodiscard]] TileKind tile_kind(ScoreModel model, std::uint32_t p);

/// Whether the entity that answers goes through the relation's matrix or hyperplane first: transh,
/// transr. Their queries are no formula here.
[[nodiscard]] bool projects_answers(ScoreModel model);

/// q [dim] and bias (added to a product) of a query for `asked`. x [dim]: its entity; r: the
/// relation's vector [dim], of rescal its matrix [dim, dim].
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

  /// Adds the derivatives by x.
  void add_to_entity(T* dx) const;
  /// Adds those by r.
  void add_to_relation(T* dr) const;
};

}  // namespace vecc::kg
