#include "src/kg/train/plane_constraints.h"

#include <algorithm>

#include "src/kg/formulas/rows.h"
#include "src/kg/vector_sums.h"

namespace vecc::kg {
namespace {

// Of r and w: what the angle is of.
template <class T>
struct Angle {
  T along;  // w.r
  T w;      // |w|^2
  T r;      // |r|^2

  Angle(const T* row, std::size_t dim)
      : along(dot(row, row + dim, dim)), w(dot(row + dim, row + dim, dim)), r(dot(row, row, dim)) {}
  [[nodiscard]] double square_of_sine() const {
    return r > 0 ? static_cast<double>(along / w * (along / r)) : 0;
  }
};

}  // namespace

template <class T>
double excess_length(const T* e, std::size_t dim) {
  return std::max(0.0, static_cast<double>(dot(e, e, dim)) - 1);
}

template <class T>
double excess_angle(const T* row, std::size_t dim) {
  return std::max(0.0,
                  Angle<T>(row, dim).square_of_sine() - formulas::kFreeSine * formulas::kFreeSine);
}

template <class T>
void add_excess_length_gradient(const T* e, std::size_t dim, double scale, T* sum) {
  if (excess_length(e, dim) > 0) add_scaled(static_cast<T>(2 * scale), e, dim, sum);
}

// Of (w.r)^2 / (|w|^2 |r|^2): by r 2 (w.r) / (|w|^2 |r|^2) (w - (w.r) / |r|^2 r), and likewise by
// w.
template <class T>
void add_excess_angle_gradient(const T* row, std::size_t dim, double scale, T* sum) {
  if (excess_angle(row, dim) == 0) return;
  const Angle<T> angle(row, dim);
  const T factor = static_cast<T>(2 * scale) * (angle.along / angle.w / angle.r);
  add_scaled(factor, row + dim, dim, sum);
  add_scaled(-factor * (angle.along / angle.r), row, dim, sum);
  add_scaled(factor, row, dim, sum + dim);
  add_scaled(-factor * (angle.along / angle.w), row + dim, dim, sum + dim);
}

#define VECC_PLANE_CONSTRAINTS(T)                                              \
  template double excess_length(const T*, std::size_t);                        \
  template double excess_angle(const T*, std::size_t);                         \
  template void add_excess_length_gradient(const T*, std::size_t, double, T*); \
  template void add_excess_angle_gradient(const T*, std::size_t, double, T*);
VECC_PLANE_CONSTRAINTS(float)
VECC_PLANE_CONSTRAINTS(double)
#undef VECC_PLANE_CONSTRAINTS

}  // namespace vecc::kg
