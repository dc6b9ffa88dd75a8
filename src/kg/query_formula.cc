#include "src/kg/query_formula.h"

#include <cmath>
#include <vector>

#include "vecc/error.h"

namespace vecc::kg {
namespace {

// Adds a * b of complex numbers, or a * conj(b).
template <class T>
void add_complex_product(const T* a, const T* b, bool conjugate, std::size_t size, T* sum) {
  for (std::size_t k = 0; k < size; ++k) {
    const T imaginary = conjugate ? -b[size + k] : b[size + k];
    sum[k] += a[k] * b[k] - a[size + k] * imaginary;
    sum[size + k] += a[k] * imaginary + a[size + k] * b[k];
  }
}

// Complex numbers of modulus 1.
template <class T>
std::vector<T> rotation_of(const T* r, std::size_t size) {
  std::vector<T> unit(r, r + 2 * size);
  for (std::size_t k = 0; k < size; ++k) {
    const T modulus = std::sqrt(r[k] * r[k] + r[size + k] * r[size + k]);
    unit[k] /= modulus;
    unit[size + k] /= modulus;
  }
  return unit;
}

// Adds m x, or m^T x: rescal's matrices are square.
template <class T>
void add_matrix_product(const T* m, bool transposed, const T* x, std::size_t dim, T* sum) {
  for (std::size_t i = 0; i < dim; ++i) {
    const T* const row = m + i * dim;
    if (transposed) {
      for (std::size_t k = 0; k < dim; ++k) sum[k] += x[i] * row[k];
    } else {
      T product = 0;
      for (std::size_t k = 0; k < dim; ++k) product += row[k] * x[k];
      sum[i] += product;
    }
  }
}

// Derivatives by r of q = x r (tails are asked) or x conj(r): dq conj(x), x conj(dq).
template <class T>
void add_relation_factor(const QueryGradient<T>& g, T* dr) {
  const bool tail = g.asked == Side::Tail;
  add_complex_product(tail ? g.dq : g.x, tail ? g.x : g.dq, true, g.dim / 2, dr);
}

// Through r / |r|.
template <class T>
void add_rotation_gradient(const QueryGradient<T>& g, T* dr) {
  const std::size_t half = g.dim / 2;
  const std::vector<T> unit = rotation_of(g.r, half);
  std::vector<T> by_unit(g.dim);
  add_relation_factor(g, by_unit.data());
  for (std::size_t k = 0; k < half; ++k) {
    const T modulus = std::sqrt(g.r[k] * g.r[k] + g.r[half + k] * g.r[half + k]);
    const T along = unit[k] * by_unit[k] + unit[half + k] * by_unit[half + k];
    dr[k] += (by_unit[k] - along * unit[k]) / modulus;
    dr[half + k] += (by_unit[half + k] - along * unit[half + k]) / modulus;
  }
}

}  // namespace

TileKind tile_kind(ScoreModel model, std::uint32_t p) {
  switch (model) {
    case ScoreModel::TransE: return p == 1 ? TileKind::L1 : TileKind::L2;
    case ScoreModel::TransH:
    case ScoreModel::TransR: return TileKind::SquaredL2;
    case ScoreModel::RotatE: return TileKind::ComplexL1;
    case ScoreModel::TransF:
    case ScoreModel::Rescal:
    case ScoreModel::DistMult:
    case ScoreModel::ComplEx: return TileKind::Product;
  }
  VECC_CHECK(false, "a score model that is none");
}

bool projects_answers(ScoreModel model) {
  return model == ScoreModel::TransH || model == ScoreModel::TransR;
}

template <class T>
void make_query(ScoreModel model, Side asked, const T* x, const T* r, std::size_t dim, T* q,
                T& bias) {
  const bool tail = asked == Side::Tail;
  const std::size_t half = dim / 2;
  for (std::size_t k = 0; k < dim; ++k) q[k] = 0;
  bias = 0;
  switch (model) {
    case ScoreModel::TransE:
      for (std::size_t k = 0; k < dim; ++k) q[k] = tail ? x[k] + r[k] : x[k] - r[k];
      return;
    case ScoreModel::TransF:  // h.(2t - r) + r.t = t.(2h + r) - h.r
      for (std::size_t k = 0; k < dim; ++k) q[k] = 2 * x[k] + (tail ? r[k] : -r[k]);
      for (std::size_t k = 0; k < dim; ++k) bias += x[k] * r[k];
      if (tail) bias = -bias;
      return;
    case ScoreModel::DistMult:
      for (std::size_t k = 0; k < dim; ++k) q[k] = x[k] * r[k];
      return;
    case ScoreModel::ComplEx:  // Re(h r conj(t)) = <h r, t> = <t conj(r), h>
      add_complex_product(x, r, !tail, half, q);
      return;
    case ScoreModel::RotatE:  // |h r - t| = |t conj(r) - h|
      add_complex_product(x, rotation_of(r, half).data(), !tail, half, q);
      return;
    case ScoreModel::Rescal:  // h.Mt = (M^T h).t
      add_matrix_product(r, tail, x, dim, q);
      return;
    case ScoreModel::TransH:
    case ScoreModel::TransR: break;
  }
  VECC_CHECK(false, "a score whose query is no formula");
}

template <class T>
void QueryGradient<T>::add_to_entity(T* dx) const {
  const bool tail = asked == Side::Tail;
  switch (model) {
    case ScoreModel::TransE:
      for (std::size_t k = 0; k < dim; ++k) dx[k] += dq[k];
      return;
    case ScoreModel::TransF:
      for (std::size_t k = 0; k < dim; ++k) dx[k] += 2 * dq[k] + (tail ? -dbias : dbias) * r[k];
      return;
    case ScoreModel::DistMult:
      for (std::size_t k = 0; k < dim; ++k) dx[k] += dq[k] * r[k];
      return;
    case ScoreModel::ComplEx: add_complex_product(dq, r, tail, dim / 2, dx); return;
    case ScoreModel::RotatE:
      add_complex_product(dq, rotation_of(r, dim / 2).data(), tail, dim / 2, dx);
      return;
    case ScoreModel::Rescal: add_matrix_product(r, !tail, dq, dim, dx); return;
    case ScoreModel::TransH:
    case ScoreModel::TransR: break;
  }
  VECC_CHECK(false, "a score whose query is no formula");
}

template <class T>
void QueryGradient<T>::add_to_relation(T* dr) const {
  const bool tail = asked == Side::Tail;
  switch (model) {
    case ScoreModel::TransE:
      for (std::size_t k = 0; k < dim; ++k) dr[k] += tail ? dq[k] : -dq[k];
      return;
    case ScoreModel::TransF:
      for (std::size_t k = 0; k < dim; ++k) {
        const T change = dq[k] - dbias * x[k];
        dr[k] += tail ? change : -change;
      }
      return;
    case ScoreModel::DistMult:
      for (std::size_t k = 0; k < dim; ++k) dr[k] += dq[k] * x[k];
      return;
    case ScoreModel::ComplEx: add_relation_factor(*this, dr); return;
    case ScoreModel::RotatE: add_rotation_gradient(*this, dr); return;
    case ScoreModel::Rescal: {  // of h.Mt: h t^T
      const T* const head = tail ? x : dq;
      const T* const answer = tail ? dq : x;
      for (std::size_t i = 0; i < dim; ++i) {
        for (std::size_t k = 0; k < dim; ++k) dr[i * dim + k] += head[i] * answer[k];
      }
      return;
    }
    case ScoreModel::TransH:
    case ScoreModel::TransR: break;
  }
  VECC_CHECK(false, "a score whose query is no formula");
}

template struct QueryGradient<float>;
template struct QueryGradient<double>;
template void make_query(ScoreModel, Side, const float*, const float*, std::size_t, float*, float&);
template void make_query(ScoreModel, Side, const double*, const double*, std::size_t, double*,
                         double&);

}  // namespace vecc::kg
