// Queries of transh and transr as one vector each, for training: what projects the entity that
// answers is taken to the query's side, so that all negatives of a chunk stay as they are.
//
// transh, u = w / |w|: the score of a query's q = x' + r (of heads x' - r) and an entity e is
//   -|q - (e - (u.e) u)|^2 = -|q - e|^2 + s (s - 2 c),  s = u.e, c = u.q, which is u.r (-u.r).
// transr, q = M x + r (- r):
//   -|q - M e|^2 = v.e + b - |M e|^2,  v = 2 M^T q, b = -|q|^2;
// |M e|^2 is of a relation and an entity, not of a query. A pair by itself is one product:
//   -|M (x - e) + r|^2.
#pragma once

#include <cstddef>

namespace vecc::kg {

/// transh's row of a relation is r [dim], then w [dim]. The row's u [dim].
template <class T>
void unit_normal(const T* row, std::size_t dim, T* u);

/// q [dim] and c; x [dim]: the query's entity.
template <class T>
void make_plane_query(bool tail, const T* x, const T* row, std::size_t dim, T* q, T& c);

/// Derivatives of what has them by q [dim], u [dim] (but through q and c) and c.
template <class T>
struct PlaneQueryGradient {
  bool tail;
  const T* x;
  const T* row;
  std::size_t dim;
  const T* dq;
  const T* du;
  T dc;

  void add_to_entity(T* dx) const;
  void add_to_relation(T* drow) const;
};

/// transr's row of a relation is r [dim], then M [dim, dim]. v [dim] and b of a query.
template <class T>
void make_matrix_query(bool tail, const T* x, const T* row, std::size_t dim, T* v, T& b);

/// Derivatives of what has them by v and b.
template <class T>
struct MatrixQueryGradient {
  bool tail;
  const T* x;
  const T* row;
  std::size_t dim;
  const T* dv;
  T db;

  void add_to_entity(T* dx) const;
  void add_to_relation(T* drow) const;
};

/// d [dim] = M (x - e) + r (of heads - r), whose score is -|d|^2.
template <class T>
void make_matrix_difference(bool tail, const T* x, const T* e, const T* row, std::size_t dim, T* d);
/// Adds the derivative by the row, dd [dim] being that by d. That by x is M^T dd, by e minus it.
template <class T>
void add_difference_to_relation(bool tail, const T* x, const T* e, const T* dd, std::size_t dim,
                                T* drow);

}  // namespace vecc::kg
