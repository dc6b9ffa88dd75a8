#include "src/kg/query_formula.h"

#include "src/kg/formulas/queries.h"
#include "src/kg/projected_query.h"
#include "src/kg/vector_sums.h"
#include "vecc/error.h"

namespace vecc::kg {
namespace {

using formulas::Complex;

// Calls body.operator()<model>(), if the model's queries are formulas of a number.
template <class Body>
void with_numbers_of(ScoreModel model, const Body& body) {
  switch (model) {
    case ScoreModel::TransE: return body.template operator()<ScoreModel::TransE>();
    case ScoreModel::TransF: return body.template operator()<ScoreModel::TransF>();
    case ScoreModel::DistMult: return body.template operator()<ScoreModel::DistMult>();
    case ScoreModel::ComplEx: return body.template operator()<ScoreModel::ComplEx>();
    case ScoreModel::RotatE: return body.template operator()<ScoreModel::RotatE>();
    case ScoreModel::Rescal:
    case ScoreModel::TransH:
    case ScoreModel::TransR:
    case ScoreModel::Formula: break;
  }
  VECC_CHECK(false, "a score whose query is no formula");
}

// The numbers of a model's rows: complex ones are real parts, then imaginary ones.
template <ScoreModel kModel>
struct Numbers {
  static constexpr bool kIsComplex = formulas::has_complex_numbers(kModel);
  std::size_t count;

  explicit Numbers(std::size_t dim) : count(kIsComplex ? dim / 2 : dim) {}
  template <class T>
  [[nodiscard]] Complex<T> get(const T* row, std::size_t k) const {
    return {row[k], kIsComplex ? row[count + k] : T{0}};
  }
  template <class T>
  void add(T* row, std::size_t k, Complex<T> x) const {
    row[k] += x.re;
    if constexpr (kIsComplex) row[count + k] += x.im;
  }
};

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
    case ScoreModel::Formula: break;
  }
  VECC_CHECK(false, "a score model that is none");
}

TileKind query_tile_kind(ScoreModel model, std::uint32_t p) {
  return model == ScoreModel::TransR ? TileKind::Product : tile_kind(model, p);
}

std::size_t relation_width(ScoreModel model, std::size_t dim) {
  if (model == ScoreModel::TransH) return 2 * dim;
  if (model == ScoreModel::TransR) return dim + dim * dim;
  return model == ScoreModel::Rescal ? dim * dim : dim;
}

bool projects_answers(ScoreModel model) {
  return model == ScoreModel::TransH || model == ScoreModel::TransR;
}

template <class T>
void make_query(ScoreModel model, Side asked, const T* x, const T* r, std::size_t dim, T* q,
                T& bias) {
  const bool tail = asked == Side::Tail;
  if (model == ScoreModel::TransH) return make_plane_query(tail, x, r, dim, q, bias);
  if (model == ScoreModel::TransR) return make_matrix_query(tail, x, r, dim, q, bias);
  for (std::size_t k = 0; k < dim; ++k) q[k] = 0;
  bias = 0;
  if (model == ScoreModel::Rescal) return add_matrix_product(r, tail, x, dim, q);
  with_numbers_of(model, [&]<ScoreModel kModel>() {
    const Numbers<kModel> numbers(dim);
    for (std::size_t k = 0; k < numbers.count; ++k) {
      numbers.add(q, k, formulas::query_number<kModel>(tail, numbers.get(x, k), numbers.get(r, k)));
    }
  });
  if (model != ScoreModel::TransF) return;
  for (std::size_t k = 0; k < dim; ++k) bias += formulas::bias_number(tail, x[k], r[k]);
}

template <class T>
void QueryGradient<T>::add_to_entity(T* dx) const {
  const bool tail = asked == Side::Tail;
  if (model == ScoreModel::TransH) {
    return PlaneQueryGradient<T>{tail, x, r, dim, dq, by_normal, dbias}.add_to_entity(dx);
  }
  if (model == ScoreModel::TransR) {
    return MatrixQueryGradient<T>{tail, x, r, dim, dq, dbias}.add_to_entity(dx);
  }
  if (model == ScoreModel::Rescal) return add_matrix_product(r, !tail, dq, dim, dx);
  with_numbers_of(model, [&]<ScoreModel kModel>() {
    const Numbers<kModel> numbers(dim);
    for (std::size_t k = 0; k < numbers.count; ++k) {
      numbers.add(
          dx, k,
          formulas::by_entity_number<kModel>(tail, numbers.get(r, k), numbers.get(dq, k), dbias));
    }
  });
}

template <class T>
void QueryGradient<T>::add_to_relation(T* dr) const {
  const bool tail = asked == Side::Tail;
  if (model == ScoreModel::TransH) {
    return PlaneQueryGradient<T>{tail, x, r, dim, dq, by_normal, dbias}.add_to_relation(dr);
  }
  if (model == ScoreModel::TransR) {
    return MatrixQueryGradient<T>{tail, x, r, dim, dq, dbias}.add_to_relation(dr);
  }
  if (model == ScoreModel::Rescal) {  // of h.Mt: h t^T
    return add_outer_product(tail ? x : dq, tail ? dq : x, dim, dr);
  }
  with_numbers_of(model, [&]<ScoreModel kModel>() {
    const Numbers<kModel> numbers(dim);
    for (std::size_t k = 0; k < numbers.count; ++k) {
      numbers.add(dr, k,
                  formulas::by_relation_number<kModel>(tail, numbers.get(x, k), numbers.get(r, k),
                                                       numbers.get(dq, k), dbias));
    }
  });
}

template struct QueryGradient<float>;
template struct QueryGradient<double>;
template void make_query(ScoreModel, Side, const float*, const float*, std::size_t, float*, float&);
template void make_query(ScoreModel, Side, const double*, const double*, std::size_t, double*,
                         double&);

}  // namespace vecc::kg
