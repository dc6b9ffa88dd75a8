// Numbers to NumPy and back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vecc/program.h"
#include "vecc/shape.h"

namespace vecc::python_package {

namespace nb = nanobind;

/// A column that a caller gives, read where it lies.
template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Column<T>& column) {
  return {column.data(), column.size()};
}

/// An array that owns `values`: nothing is copied. The lock must be held.
template <class T>
nb::object array_of(std::vector<T> values, const std::vector<std::size_t>& shape) {
  auto* owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner));
}

/// The same of memory that was not set before.
template <class T>
nb::object array_of(std::unique_ptr<T[]> values, const std::vector<std::size_t>& shape) {
  const nb::capsule owner(values.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
  T* const first = values.release();
  return nb::cast(nb::ndarray<nb::numpy, T>(first, shape.size(), shape.data(), owner));
}

/// A read-only array of a column that `owner` keeps alive: nothing is copied.
template <class T, class Owner>
nb::object view_of(const std::vector<T>& column, std::shared_ptr<Owner> owner) {
  auto* kept = new std::shared_ptr<Owner>(std::move(owner));
  const nb::capsule keep(kept,
                         [](void* p) noexcept { delete static_cast<std::shared_ptr<Owner>*>(p); });
  const std::size_t size = column.size();
  return nb::cast(nb::ndarray<nb::numpy, const T>(column.data(), 1, &size, keep));
}

/// [rows] of scalars, [rows, n] of columns and rows, [rows, m, n] of matrices.
[[nodiscard]] std::vector<std::size_t> array_shape(std::size_t rows, Shape shape);

/// What type checkers are told of arrays.
#define VECC_ARRAY "numpy.ndarray"
#define VECC_STACKED "numpy.ndarray | list[numpy.ndarray]"

/// Values of several shapes are a list of arrays, one a value; of one shape a single array.
struct ShapedValue {
  Shape shape;
  std::span<const double> values;
};
[[nodiscard]] nb::object stack_values(std::span<const ShapedValue> values, DType dtype);

}  // namespace vecc::python_package
