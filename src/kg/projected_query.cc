#include "src/kg/projected_query.h"

#include <cmath>
#include <vector>

#include "src/kg/vector_sums.h"

namespace vecc::kg {
namespace {

template <class T>
std::vector<T> normal_of(const T* row, std::size_t dim) {
  std::vector<T> u(dim);
  unit_normal(row, dim, u.data());
  return u;
}

// M x + r, of heads M x - r.
template <class T>
std::vector<T> project_query(bool tail, const T* x, const T* row, std::size_t dim) {
  std::vector<T> q(dim);
  add_matrix_product(row + dim, false, x, dim, q.data());
  add_scaled(tail ? T{1} : T{-1}, row, dim, q.data());
  return q;
}

// The derivative by q of v = 2 M^T q and b = -|q|^2.
template <class T>
std::vector<T> by_projected(const MatrixQueryGradient<T>& g, const std::vector<T>& q) {
  std::vector<T> dq(g.dim);
  add_matrix_product(g.row + g.dim, false, g.dv, g.dim, dq.data());
  for (std::size_t k = 0; k < g.dim; ++k) dq[k] = 2 * (dq[k] - g.db * q[k]);
  return dq;
}

}  // namespace

template <class T>
void unit_normal(const T* row, std::size_t dim, T* u) {
  const T* const w = row + dim;
  const T size = std::sqrt(dot(w, w, dim));
  for (std::size_t k = 0; k < dim; ++k) u[k] = w[k] / size;
}

template <class T>
void make_plane_query(bool tail, const T* x, const T* row, std::size_t dim, T* q, T& c) {
  const std::vector<T> u = normal_of(row, dim);
  const T sign = tail ? T{1} : T{-1};
  const T along = dot(u.data(), x, dim);
  for (std::size_t k = 0; k < dim; ++k) q[k] = x[k] - along * u[k] + sign * row[k];
  c = sign * dot(u.data(), row, dim);
}

template <class T>
void PlaneQueryGradient<T>::add_to_entity(T* dx) const {
  const std::vector<T> u = normal_of(row, dim);
  add_scaled(T{1}, dq, dim, dx);
  add_scaled(-dot(u.data(), dq, dim), u.data(), dim, dx);
}

template <class T>
void PlaneQueryGradient<T>::add_to_relation(T* drow) const {
  const std::vector<T> u = normal_of(row, dim);
  const T sign = tail ? T{1} : T{-1};
  add_scaled(sign, dq, dim, drow);
  add_scaled(sign * dc, u.data(), dim, drow);
  std::vector<T> by_u(du, du + dim);
  add_scaled(-dot(u.data(), x, dim), dq, dim, by_u.data());
  add_scaled(-dot(u.data(), dq, dim), x, dim, by_u.data());
  add_scaled(sign * dc, row, dim, by_u.data());
  // Through w / |w|.
  const T* const w = row + dim;
  const T size = std::sqrt(dot(w, w, dim));
  add_scaled(1 / size, by_u.data(), dim, drow + dim);
  add_scaled(-dot(u.data(), by_u.data(), dim) / size, u.data(), dim, drow + dim);
}

template <class T>
void make_matrix_query(bool tail, const T* x, const T* row, std::size_t dim, T* v, T& b) {
  const std::vector<T> q = project_query(tail, x, row, dim);
  for (std::size_t k = 0; k < dim; ++k) v[k] = 0;
  add_matrix_product(row + dim, true, q.data(), dim, v);
  for (std::size_t k = 0; k < dim; ++k) v[k] *= 2;
  b = -dot(q.data(), q.data(), dim);
}

template <class T>
void MatrixQueryGradient<T>::add_to_entity(T* dx) const {
  const std::vector<T> dq = by_projected(*this, project_query(tail, x, row, dim));
  add_matrix_product(row + dim, true, dq.data(), dim, dx);
}

template <class T>
void MatrixQueryGradient<T>::add_to_relation(T* drow) const {
  std::vector<T> q = project_query(tail, x, row, dim);
  const std::vector<T> dq = by_projected(*this, q);
  add_scaled(tail ? T{1} : T{-1}, dq.data(), dim, drow);
  add_outer_product(dq.data(), x, dim, drow + dim);
  for (T& each : q) each *= 2;
  add_outer_product(q.data(), dv, dim, drow + dim);
}

template <class T>
void make_matrix_difference(bool tail, const T* x, const T* e, const T* row, std::size_t dim,
                            T* d) {
  std::vector<T> difference(x, x + dim);
  add_scaled(T{-1}, e, dim, difference.data());
  const std::vector<T> projected = project_query(tail, difference.data(), row, dim);
  for (std::size_t k = 0; k < dim; ++k) d[k] = projected[k];
}

template <class T>
void add_difference_to_relation(bool tail, const T* x, const T* e, const T* dd, std::size_t dim,
                                T* drow) {
  std::vector<T> difference(x, x + dim);
  add_scaled(T{-1}, e, dim, difference.data());
  add_scaled(tail ? T{1} : T{-1}, dd, dim, drow);
  add_outer_product(dd, difference.data(), dim, drow + dim);
}

#define VECC_PROJECTED_QUERY(T)                                                              \
  template void unit_normal(const T*, std::size_t, T*);                                      \
  template void make_plane_query(bool, const T*, const T*, std::size_t, T*, T&);             \
  template struct PlaneQueryGradient<T>;                                                     \
  template void make_matrix_query(bool, const T*, const T*, std::size_t, T*, T&);            \
  template struct MatrixQueryGradient<T>;                                                    \
  template void make_matrix_difference(bool, const T*, const T*, const T*, std::size_t, T*); \
  template void add_difference_to_relation(bool, const T*, const T*, const T*, std::size_t, T*);
VECC_PROJECTED_QUERY(float)
VECC_PROJECTED_QUERY(double)
#undef VECC_PROJECTED_QUERY

}  // namespace vecc::kg
