// A matrix that panels of entities are multiplied with, in vector registers.
#pragma once

#include <cstddef>

#include "src/kg/tiles.h"

namespace vecc::kg {

/// Its rows stand as a tile's queries do.
template <class T>
class PackedMatrix {
 public:
  /// m: [height, width], row-major; or its transpose.
  void pack(const T* m, std::size_t height, std::size_t width, bool transposed);
  /// Its rows, up to a whole tile.
  [[nodiscard]] std::size_t rows() const { return inner_ > 0 ? tiles_.size() / inner_ : 0; }
  /// out [rows()][lanes]: the matrix times a panel [columns][lanes].
  void multiply(const T* panel, T* out) const;

 private:
  std::size_t inner_ = 0;   ///< columns
  AlignedVector<T> tiles_;  ///< [tiles][columns][rows of a tile]
};

}  // namespace vecc::kg
