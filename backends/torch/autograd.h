// Derivatives of our own inside libtorch's autograd. libtorch records what its own functions do;
// where its derivative adds rows in an order that changes from run to run, has another value at a
// kink, or costs more than it must, a function computes its value unrecorded and records a
// derivative with it.
#pragma once

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace vecc::libtorch {

/// Whether a gradient of x may be asked for: the run records, and x depends on a parameter.
[[nodiscard]] inline bool is_recorded(const at::Tensor& x) {
  return c10::GradMode::is_enabled() && x.requires_grad();
}

/// A function of one value: its gradient in direction g, g being the gradient at the result.
/// Changes nothing in place: g may be shared.
using Backward = std::function<at::Tensor(const at::Tensor& g)>;
/// `value` (computed unrecorded, from x) with its derivative. The closure may hold x and `value`,
/// but not the result, which holds the closure.
[[nodiscard]] at::Tensor record(const at::Tensor& x, const at::Tensor& value, Backward backward);

/// Of several: one gradient an input, undefined for none. Called when all readers of the result are
/// done, also when none of them passed a gradient on; g is undefined then.
using JointBackward = std::function<std::vector<at::Tensor>(const at::Tensor& g)>;
[[nodiscard]] at::Tensor record_all(std::span<const at::Tensor> inputs, const at::Tensor& value,
                                    JointBackward backward);

/// Gradients of the outputs' scalar product with `output_gradients` by the parameters; undefined
/// where no output depends on one. May be called again for the same run.
[[nodiscard]] std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& outputs,
                                                   const std::vector<at::Tensor>& parameters,
                                                   const std::vector<at::Tensor>& output_gradients);

/// The gradient by one input of `function(inputs)` in direction g, recorded for this alone: nothing
/// of it stays. Zeros if the function does not depend on the input. Not in inference mode.
[[nodiscard]] at::Tensor gradient_by_input(
    std::span<const at::Tensor> inputs, std::size_t wrt,
    const std::function<at::Tensor(std::span<const at::Tensor>)>& function, const at::Tensor& g);

/// The gradient of a value that many ops read in parts: they add to the rows that they read. Were
/// each to pass on a gradient of the whole value, D levels that read one growing buffer would cost
/// D times its rows.
class GradientRows {
 public:
  GradientRows(std::int64_t rows, std::int64_t size, const at::TensorOptions& options)
      : rows_(rows), size_(size), options_(options) {}

  /// Forgets what was added.
  void clear() { sum_ = at::Tensor(); }
  void add(std::int64_t begin, std::int64_t step, const at::Tensor& g);
  /// The rows of `index` occur once in it.
  void add_at(const at::Tensor& index, const at::Tensor& g);
  /// What was added to rows begin, begin + 1, ...; shares memory.
  [[nodiscard]] at::Tensor rows(std::int64_t begin, std::int64_t count);

 private:
  at::Tensor& sum();

  std::int64_t rows_;
  std::int64_t size_;
  at::TensorOptions options_;
  at::Tensor sum_;  // undefined: nothing yet
};

/// `value`, whose readers add to `rows` or pass gradients on as usual, or both.
[[nodiscard]] at::Tensor record_reading_in_parts(const at::Tensor& value,
                                                 std::shared_ptr<GradientRows> rows);

}  // namespace vecc::libtorch
