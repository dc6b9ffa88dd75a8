#include "backends/cpu/interpreted_rows.h"

#include <algorithm>
#include <vector>

#include "src/function/differentiate.h"
#include "src/function/draw.h"

namespace vecc::cpu {
namespace {

using Kind = KernelNode::Kind;

// Width entries of y: the sum over i of x[i * step] times row i of a matrix, from some column on.
template <std::size_t Width, class T>
void multiply_columns(std::size_t k, const T* x, std::size_t step, const T* matrix,
                      std::size_t columns, T* y) {
  T sum[Width] = {};
  for (std::size_t i = 0; i < k; ++i) {
    const T factor = x[i * step];
    for (std::size_t j = 0; j < Width; ++j) sum[j] += factor * matrix[i * columns + j];
  }
  for (std::size_t j = 0; j < Width; ++j) y[j] = sum[j];
}

// y = x times a matrix of k x columns.
template <class T>
void multiply_row(std::size_t k, const T* x, std::size_t step, const T* matrix, std::size_t columns,
                  T* y) {
  std::size_t j = 0;
  for (; j + 16 <= columns; j += 16) {
    multiply_columns<16>(k, x, step, matrix + j, columns, y + j);
  }
  for (; j + 4 <= columns; j += 4) {
    multiply_columns<4>(k, x, step, matrix + j, columns, y + j);
  }
  for (; j < columns; ++j) {
    multiply_columns<1>(k, x, step, matrix + j, columns, y + j);
  }
}

template <class T>
void transpose(std::size_t rows, std::size_t cols, const T* x, T* y) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) y[c * rows + r] = x[r * cols + c];
  }
}

}  // namespace

// Where one operand is a column (n is 1), the product is the column's row times the other one's
// transpose: either way, rows times a matrix whose rows are contiguous.
template <class T>
void multiply_rows(const ProductShape& shape, const KernelNode& node, std::size_t count,
                   Rows<T> left, Rows<T> right, T* room, T* y) {
  const auto [m, k, n] = shape;
  const bool swaps = n == 1 && m > 1;
  const Rows<T> rows = swaps ? right : left;
  const Rows<T> matrices = swaps ? left : right;
  const std::size_t columns = swaps ? m : n;
  const bool turns = columns > 1 && (swaps ? !node.transpose_left : node.transpose_right);
  const bool steps = swaps ? false : node.transpose_left;  // an operand's row is a column there
  const T* turned = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    const T* matrix = matrices[i];
    if (turns && matrix != turned) {
      transpose(columns, k, matrix, room);
      turned = matrix;
    }
    if (turns) matrix = room;
    const std::size_t all = swaps ? 1 : m;
    for (std::size_t r = 0; r < all; ++r) {
      const T* const row = rows[i] + (steps ? r : r * k);
      multiply_row(k, row, steps ? m : 1, matrix, columns, y + (i * all + r) * columns);
    }
  }
}

template <class T>
void evaluate_row(const Kernel& kernel, const KernelNode& node, std::span<const T* const> operands,
                  std::span<const std::uint32_t> words, T* y) {
  std::vector<std::vector<double>> values;
  std::vector<Element> elements;
  for (std::size_t o = 0; o < operands.size(); ++o) {
    const Shape shape = kernel.nodes[node.operands[o]].shape;
    values.emplace_back(operands[o], operands[o] + shape.size());
    elements.push_back({shape, values.back()});
  }
  std::vector<double> result(node.shape.size());
  const std::span<const double> g = values.back();
  switch (node.kind) {
    case Kind::Transform:
      evaluate(node.transformation, words, elements[0].shape, values[0], result);
      break;
    case Kind::TransformVjp: {
      const std::span<const double> none;
      differentiate(node.transformation, words, node.shape, node.reads_x ? values[0] : none,
                    node.reads_y ? values[values.size() - 2] : none, g, result);
      break;
    }
    case Kind::Combine: evaluate(node.combination, nullptr, elements, result); break;
    case Kind::Draw: draw_entries(elements, result); break;
    case Kind::CombineVjp: {
      const std::size_t count = elements.size() - 2;
      std::vector<std::span<double>> gradients(count);
      gradients[node.wrt] = result;
      differentiate(node.combination, nullptr, std::span(elements).first(count), values[count], g,
                    gradients);
      break;
    }
    case Kind::Load:
    case Kind::Constant:
    case Kind::Times:
    case Kind::RowSum:
    case Kind::Guard:
    case Kind::Reduce:
    case Kind::ReduceArg:
    case Kind::Selected:
    case Kind::Scan:
    case Kind::Threshold:
      fail_check("a function of whole rows", __FILE__, __LINE__, text_of(kernel));
  }
  std::ranges::transform(result, y, [](double value) { return static_cast<T>(value); });
}

template void multiply_rows(const ProductShape&, const KernelNode&, std::size_t, Rows<float>,
                            Rows<float>, float*, float*);
template void multiply_rows(const ProductShape&, const KernelNode&, std::size_t, Rows<double>,
                            Rows<double>, double*, double*);
template void evaluate_row(const Kernel&, const KernelNode&, std::span<const float* const>,
                           std::span<const std::uint32_t>, float*);
template void evaluate_row(const Kernel&, const KernelNode&, std::span<const double* const>,
                           std::span<const std::uint32_t>, double*);

}  // namespace vecc::cpu
