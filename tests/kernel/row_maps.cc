// The prelude's functions of rows, at sizes that fill packs, leave a rest, and are shorter than
// one.
#include "tests/kernel/prelude_maps.h"
#include "tests/kernel/prelude_parts.h"

namespace vecc::test {
namespace {

using namespace vecc_kernel;

template <class T, int N>
constexpr RowMaps<T> row_maps_of() {
  return {
      N,
      [](const T* x, T* y) { softmax<T, N>(x, y); },
      [](const T* x, T* y) { logsoftmax<T, N>(x, y); },
      [](const T* x, T* y) { sparsemax<T, N>(x, y); },
      [](const T* x, T* y) { norm<T, N>(x, y); },
      [](const T* y, const T* g, T* out) { softmax_vjp<T, N>(y, g, out); },
      [](const T* y, const T* g, T* out) { logsoftmax_vjp<T, N>(y, g, out); },
      [](const T* y, const T* g, T* out) { sparsemax_vjp<T, N>(y, g, out); },
      [](const T* x, const T* y, const T* g, T* out) { norm_vjp<T, N>(x, y, g, out); },
      [](const T* x, const T* y) { return cossim<T, N>(x, y); },
      [](const T* x, const T* y, T cosine, T g, T* out) { cossim_vjp<T, N>(x, y, cosine, g, out); },
      [](const T* x) { return row_sum<T, N>(x); },
      [](const T* x) { return all_zero<T, N>(x); }};
}

template <class T>
constexpr RowMaps<T> kRowMaps[] = {
    row_maps_of<T, 1>(),  row_maps_of<T, 2>(),   row_maps_of<T, 3>(),
    row_maps_of<T, 7>(),  row_maps_of<T, 8>(),   row_maps_of<T, 16>(),
    row_maps_of<T, 29>(), row_maps_of<T, 100>(), row_maps_of<T, 1031>()};

}  // namespace

template <>
std::span<const RowMaps<float>> row_maps() {
  return kRowMaps<float>;
}
template <>
std::span<const RowMaps<double>> row_maps() {
  return kRowMaps<double>;
}

}  // namespace vecc::test
