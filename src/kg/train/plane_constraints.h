// transh's soft constraints (Wang et al. 2014, formula 4), of the rows that a query reads: entities
// are at most 1 long, a relation's vector lies in its plane up to an angle.
#pragma once

#include <cstddef>

namespace vecc::kg {

/// max(0, |e|^2 - 1).
template <class T>
[[nodiscard]] double excess_length(const T* e, std::size_t dim);
/// max(0, (w.r)^2 / (|w| |r|)^2 - formulas::kFreeSine^2) of a row r [dim], w [dim]; of r = 0 it is
/// 0.
template <class T>
[[nodiscard]] double excess_angle(const T* row, std::size_t dim);

/// Add the derivatives by the row, times `scale`.
template <class T>
void add_excess_length_gradient(const T* e, std::size_t dim, double scale, T* sum);
template <class T>
void add_excess_angle_gradient(const T* row, std::size_t dim, double scale, T* sum);

}  // namespace vecc::kg
