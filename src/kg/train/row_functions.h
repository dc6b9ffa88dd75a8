// The loops of row_kernels.h, for one set of instructions. row_kernels.cc includes this once for
// each, with
//   VECC_TILE_SET     the namespace
//   VECC_TILE_TARGET  the function attribute
// The compiler makes them vectors: formulas are inlined, and have no calls.

namespace VECC_TILE_SET {

template <class T>
VECC_TILE_TARGET void add_row(const T* x, std::size_t n, T* sum) {
  for (std::size_t k = 0; k < n; ++k) sum[k] += x[k];
}

template <class T, RowOptimizer kOptimizer>
VECC_TILE_TARGET void move_row(const formulas::RowRates<T>& rates, const T* gradient, std::size_t n,
                               T* w, T* first, T* second) {
  const formulas::RowRates<T> r = rates;
  for (std::size_t k = 0; k < n; ++k) {
    T none = 0;  // what the optimizer does not keep
    if constexpr (kOptimizer == RowOptimizer::Sgd) {
      formulas::move_number<kOptimizer>(r, gradient[k], w[k], none, none);
    } else if constexpr (kOptimizer == RowOptimizer::Adagrad) {
      formulas::move_number<kOptimizer>(r, gradient[k], w[k], first[k], none);
    } else {
      formulas::move_number<kOptimizer>(r, gradient[k], w[k], first[k], second[k]);
    }
  }
}

template <class T, TileKind kKind>
VECC_TILE_TARGET void add_pair(T c, const T* q, const T* e, std::size_t dim, T* dq, T* de) {
  if constexpr (kKind == TileKind::ComplexL1) {
    const std::size_t half = dim / 2;
    for (std::size_t k = 0; k < half; ++k) {
      const auto by = formulas::by_answer_number<kKind>(c, formulas::Complex<T>{q[k], q[half + k]},
                                                        formulas::Complex<T>{e[k], e[half + k]});
      dq[k] -= by.re;
      dq[half + k] -= by.im;
      de[k] += by.re;
      de[half + k] += by.im;
    }
  } else {
    for (std::size_t k = 0; k < dim; ++k) {
      const formulas::Complex<T> query{q[k], 0};
      const formulas::Complex<T> entity{e[k], 0};
      dq[k] += formulas::by_query_number<kKind>(c, query, entity).re;
      de[k] += formulas::by_answer_number<kKind>(c, query, entity).re;
    }
  }
}

template <class T>
constexpr RowKernels<T> kRowKernels{
    add_row<T>,
    {move_row<T, RowOptimizer::Sgd>, move_row<T, RowOptimizer::Adagrad>,
     move_row<T, RowOptimizer::Adam>},
    {add_pair<T, TileKind::Projection>, add_pair<T, TileKind::Product>, add_pair<T, TileKind::L1>,
     add_pair<T, TileKind::SquaredL2>, add_pair<T, TileKind::L2>,
     add_pair<T, TileKind::ComplexL1>}};

}  // namespace VECC_TILE_SET
#undef VECC_TILE_SET
#undef VECC_TILE_TARGET
