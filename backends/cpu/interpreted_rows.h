// What the interpreter of kernels computes of many rows at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/kernel/schedule/entrywise.h"
#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"

namespace vecc::cpu {

/// Rows of one node: row i begins at first + i * stride; stride 0: all are the same.
template <class T>
struct Rows {
  const T* first = nullptr;
  std::size_t stride = 0;

  [[nodiscard]] const T* operator[](std::size_t row) const { return first + row * stride; }
};

/// y[i] of `count` numbers, by a Transform of one entry. Defined for float and double, as all here.
template <class T>
void transform_entries(const TransformationSpec& spec, std::size_t count, const T* x, T* y);
/// y[i] = the gradient that passes: of the argument x, the result y or both, and g.
template <class T>
void pull_entries(const TransformationSpec& spec, std::size_t count, const T* x, const T* y,
                  const T* g, T* out);

/// Products of `count` pairs of matrices, of one shape. `room` has as many numbers as the left
/// operand has, or the right one, whichever is more.
template <class T>
void multiply_rows(const ProductShape& shape, const KernelNode& node, std::size_t count,
                   Rows<T> left, Rows<T> right, T* room, T* y);

/// A node that is_entrywise() does not hold for, but products, or a part of a row: of one row each,
/// in double, by the functions of the reference. `words`: of a Transform, or of its gradient.
template <class T>
void evaluate_row(const Kernel& kernel, const KernelNode& node, std::span<const T* const> operands,
                  std::span<const std::uint32_t> words, T* y);

}  // namespace vecc::cpu
