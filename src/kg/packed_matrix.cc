#include "src/kg/packed_matrix.h"

namespace vecc::kg {

template <class T>
void PackedMatrix<T>::pack(const T* m, std::size_t height, std::size_t width, bool transposed) {
  const std::size_t rows = tile_kernels<T>().rows;
  const std::size_t count = transposed ? width : height;
  inner_ = transposed ? height : width;
  tiles_.assign((count + rows - 1) / rows * rows * inner_, 0);
  for (std::size_t i = 0; i < count; ++i) {
    T* const tile = tiles_.data() + i / rows * rows * inner_;
    for (std::size_t k = 0; k < inner_; ++k) {
      tile[k * rows + i % rows] = transposed ? m[k * width + i] : m[i * width + k];
    }
  }
}

template <class T>
void PackedMatrix<T>::multiply(const T* panel, T* out) const {
  const std::size_t rows = tile_kernels<T>().rows;
  const auto run_tile = tile_kernels<T>().of(TileKind::Projection);
  for (std::size_t first = 0; first < this->rows(); first += rows) {
    run_tile(tiles_.data() + first * inner_, panel, static_cast<std::uint32_t>(inner_), nullptr,
             out + first * kPanelLanes<T>, kPanelLanes<T>);
  }
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;

}  // namespace vecc::kg
