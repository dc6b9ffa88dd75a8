#include "backends/torch/autograd.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <utility>

namespace vecc::libtorch {
namespace {

using ::torch::autograd::Node;
using ::torch::autograd::variable_list;

// A step of libtorch's backward pass that calls a closure. It keeps its closure until the run's
// values go, so that differentiate() can be called again.
class ClosureNode final : public Node {
 public:
  ClosureNode(::torch::autograd::edge_list&& inputs, JointBackward backward)
      : Node(std::move(inputs)), backward_(std::move(backward)) {}

 protected:
  variable_list apply(variable_list&& gradients) override { return backward_(gradients[0]); }

 private:
  JointBackward backward_;
};

}  // namespace

at::Tensor record_all(std::span<const at::Tensor> inputs, const at::Tensor& value,
                      JointBackward backward) {
  ::torch::autograd::edge_list edges;
  edges.reserve(inputs.size());
  for (const at::Tensor& input : inputs) {
    edges.push_back(::torch::autograd::impl::gradient_edge(input));
  }
  // deleteNode takes long chains of nodes apart without recursion.
  const std::shared_ptr<Node> node(new ClosureNode(std::move(edges), std::move(backward)),
                                   ::torch::autograd::deleteNode);
  // The value's memory under a tensor of its own: what the closure holds must not hold the node.
  at::Tensor result = value.variable_data();
  ::torch::autograd::set_history(result, node);
  return result;
}

at::Tensor record(const at::Tensor& x, const at::Tensor& value, Backward backward) {
  return record_all(std::span(&x, 1), value, [backward = std::move(backward)](const at::Tensor& g) {
    return std::vector{g.defined() ? backward(g) : at::Tensor()};
  });
}

std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& outputs,
                                     const std::vector<at::Tensor>& parameters,
                                     const std::vector<at::Tensor>& output_gradients) {
  std::vector<at::Tensor> roots;
  std::vector<at::Tensor> directions;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].requires_grad()) continue;
    roots.push_back(outputs[i]);
    directions.push_back(output_gradients[i]);
  }
  if (roots.empty() || parameters.empty()) return std::vector<at::Tensor>(parameters.size());
  return ::torch::autograd::grad(roots, parameters, directions, /*retain_graph=*/true,
                                 /*create_graph=*/false, /*allow_unused=*/true);
}

at::Tensor gradient_by_input(std::span<const at::Tensor> inputs, std::size_t wrt,
                             const std::function<at::Tensor(std::span<const at::Tensor>)>& function,
                             const at::Tensor& g) {
  const c10::AutoGradMode recorded(true);
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& input : inputs) leaves.push_back(input.detach());
  leaves[wrt].requires_grad_();
  const at::Tensor value = function(leaves);
  at::Tensor found;
  if (value.requires_grad()) {
    found = ::torch::autograd::grad({value}, {leaves[wrt]}, {g.detach()}, /*retain_graph=*/false,
                                    /*create_graph=*/false, /*allow_unused=*/true)[0];
  }
  return found.defined() ? found : at::zeros_like(leaves[wrt]).detach();
}

at::Tensor& GradientRows::sum() {
  if (!sum_.defined()) sum_ = at::zeros({rows_, size_}, options_);
  return sum_;
}

void GradientRows::add(std::int64_t begin, std::int64_t step, const at::Tensor& g) {
  if (g.size(0) == 0) return;
  sum().slice(0, begin, begin + (g.size(0) - 1) * step + 1, step).add_(g);
}

void GradientRows::add_at(const at::Tensor& index, const at::Tensor& g) {
  sum().index_add_(0, index, g);
}

at::Tensor GradientRows::rows(std::int64_t begin, std::int64_t count) {
  return sum().narrow(0, begin, count);
}

at::Tensor record_reading_in_parts(const at::Tensor& value, std::shared_ptr<GradientRows> rows) {
  if (!is_recorded(value)) return value;
  return record_all(std::span(&value, 1), value,
                    [rows = std::move(rows), count = value.size(0)](const at::Tensor& g) {
                      if (g.defined()) rows->add(0, 1, g);
                      std::vector<at::Tensor> result{rows->rows(0, count)};
                      rows->clear();  // all readers are done
                      return result;
                    });
}

}  // namespace vecc::libtorch
