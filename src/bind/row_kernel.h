// The kernel of neurons that are alike: same function, same shapes. Other than a Plan's kernels it
// is made for no graph: everything that it reads or stores is behind a list of rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vecc/function.h"
#include "vecc/kernel.h"

namespace vecc::binding {

/// One element `W * x` of a neuron's list.
struct RowElement {
  bool has_weight = false;
  bool has_input = false;
  Shape weight;
  Shape input;
  Shape result;
};

struct RowKernel {
  enum class Form : std::uint8_t {
    Row,      ///< a fixed number of elements
    Reduce,   ///< any number of elements[0], by `function`'s combination
    Softmax,  ///< the same, softmax or sparsemax of scalars: a number an element
  };
  Form form = Form::Row;
  std::vector<RowElement> elements;
  /// Row: null where the one element is the combined value.
  const NeuronFunction* function = nullptr;
  TransformationSpec then;
  Words words{};
  bool words_by_row = false;  ///< each row has its own
};

/// Accesses in order: of each element its weight, its input; then the store. Softmax has three of
/// those, to the same rows: exponentials stored, loaded, shares stored. All map List. The shapes
/// fit.
[[nodiscard]] Kernel make_kernel(const RowKernel& row, DType dtype);

}  // namespace vecc::binding
