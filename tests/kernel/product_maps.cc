// The prelude's functions of two rows or matrices, in all layouts.
#include "tests/kernel/prelude_maps.h"
#include "tests/kernel/prelude_parts.h"

namespace vecc::test {
namespace {

using namespace vecc_kernel;

constexpr int kTile = 6;  // rows of a tile

template <class T, int M, int K, int N, bool TL, bool TR>
constexpr ProductMaps<T> product_maps_of() {
  return {M,
          K,
          N,
          TL,
          TR,
          [](const T* l, const T* r, T* y) { times<T, M, K, N, TL, TR, kTile>(l, r, y); },
          [](bool turned, const T* g, const T* x, int count, T* y) {
            add_outer_sum<T, M, N, kTile>(turned, g, x, count, y);
          },
          turns_outer_sum<T, M, N>(kFewestTurned),
          [](bool turned, T* y) { finish_outer_sum<T, M, N>(turned, y); },
          [](const T* l, const T* r, T* y) { crosssum<T, M, N>(l, r, y); },
          [](const T* g, T* out) { crosssum_share<T, M * N, M, N>(g, out); },
          [](const T* g, T* out) { crosssum_share<T, M * N, N, 1>(g, out); },
          [](const T* x, T* y) { transp<T, M, N>(x, y); },
          [](const T* matrix, unsigned count, const T* x, T* y) {
            times_matrix<T, K, N, kTile>(
                matrix, count, [=](unsigned b) { return x + b * K; },
                [=](unsigned b) { return y + b * N; });
          },
          [](const T* matrix, unsigned count, const T* x, T* y) {
            times_matrix_rows<T, K, N>(
                matrix, count, [=](unsigned b) { return x + b * K; },
                [=](unsigned b) { return y + b * N; });
          }};
}

// A size in the four layouts.
#define VECC_LAYOUTS(m, k, n)                                                              \
  product_maps_of<T, m, k, n, false, false>(), product_maps_of<T, m, k, n, false, true>(), \
      product_maps_of<T, m, k, n, true, false>(), product_maps_of<T, m, k, n, true, true>()

template <class T>
constexpr ProductMaps<T> kProductMaps[] = {
    VECC_LAYOUTS(1, 1, 1),  VECC_LAYOUTS(1, 9, 1),  VECC_LAYOUTS(3, 1, 5),  VECC_LAYOUTS(1, 7, 16),
    VECC_LAYOUTS(10, 6, 1), VECC_LAYOUTS(4, 16, 8), VECC_LAYOUTS(5, 3, 29), VECC_LAYOUTS(33, 20, 6),
    VECC_LAYOUTS(8, 9, 64), VECC_LAYOUTS(19, 5, 53)};
#undef VECC_LAYOUTS

}  // namespace

template <>
std::span<const ProductMaps<float>> product_maps() {
  return kProductMaps<float>;
}
template <>
std::span<const ProductMaps<double>> product_maps() {
  return kProductMaps<double>;
}

}  // namespace vecc::test
