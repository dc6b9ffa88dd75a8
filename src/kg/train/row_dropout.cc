#include "src/kg/train/row_dropout.h"

#include <algorithm>
#include <cmath>

#include "src/kg/formulas/draws.h"

namespace vecc::kg {

std::uint32_t dropout_share(double p) {
  return static_cast<std::uint32_t>(std::lround(p * 0x1p16));
}

double dropout_scale(std::uint32_t share) {
  return 0x1p16 / (0x1p16 - share);
}

template <class T>
RowDropout<T>::RowDropout(double p, DrawStream stream, std::uint64_t seed, std::uint64_t step)
    : seed_(seed),
      step_(step),
      stream_(stream),
      share_(dropout_share(p)),
      scale_(static_cast<T>(dropout_scale(share_))) {}

// body(k, factor) for each number of a row.
template <class T>
template <class Body>
void RowDropout<T>::each_factor(std::uint64_t slot, std::size_t width, const Body& body) const {
  for (std::size_t first = 0; first < width; first += 4) {
    const formulas::DrawBits bits =
        formulas::draw_bits(seed_, stream_, step_, formulas::dropout_position(slot, width, first));
    for (std::size_t k = first; k < std::min(width, first + 4); ++k) {
      body(k, formulas::is_dropped(bits, k, share_) ? T{0} : scale_);
    }
  }
}

template <class T>
void RowDropout<T>::apply(std::uint64_t slot, const T* row, std::size_t width, T* out) const {
  each_factor(slot, width, [&](std::size_t k, T factor) { out[k] = factor * row[k]; });
}

template <class T>
void RowDropout<T>::add_gradient(std::uint64_t slot, const T* gradient, std::size_t width,
                                 T* sum) const {
  each_factor(slot, width, [&](std::size_t k, T factor) { sum[k] += factor * gradient[k]; });
}

template class RowDropout<float>;
template class RowDropout<double>;

}  // namespace vecc::kg
