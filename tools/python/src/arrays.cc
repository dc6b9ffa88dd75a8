#include "arrays.h"

#include <algorithm>

namespace vecc::python_package {
namespace {

template <class T>
std::vector<T> joined(std::span<const ShapedValue> values) {
  std::size_t size = 0;
  for (const ShapedValue& value : values) size += value.values.size();
  std::vector<T> result;
  result.reserve(size);
  for (const ShapedValue& value : values) {
    for (const double number : value.values) result.push_back(static_cast<T>(number));
  }
  return result;
}

nb::object join(std::span<const ShapedValue> values, const std::vector<std::size_t>& shape,
                DType dtype) {
  return dtype == DType::F32 ? array_of(joined<float>(values), shape)
                             : array_of(joined<double>(values), shape);
}

}  // namespace

std::vector<std::size_t> array_shape(std::size_t rows, Shape shape) {
  if (shape.is_scalar()) return {rows};
  if (shape.is_vector()) return {rows, static_cast<std::size_t>(shape.size())};
  return {rows, shape.rows(), shape.cols()};
}

nb::object stack_values(std::span<const ShapedValue> values, DType dtype) {
  if (values.empty()) return join(values, {0}, dtype);
  const Shape shape = values.front().shape;
  const bool same =
      std::ranges::all_of(values, [&](const ShapedValue& v) { return v.shape == shape; });
  if (same) return join(values, array_shape(values.size(), shape), dtype);
  nb::list list;
  for (const ShapedValue& value : values) {
    std::vector<std::size_t> sides = array_shape(1, value.shape);
    sides.erase(sides.begin());
    list.append(join({&value, 1}, sides, dtype));
  }
  return list;
}

}  // namespace vecc::python_package
