#include "backends/reference/evaluation_order.h"

namespace vecc::reference {
namespace {

enum class Visit : std::uint8_t { New, Open, Done };

// An open neuron and the edge to its next input.
struct Frame {
  NeuronId neuron;
  std::uint64_t edge;
};

}  // namespace

Result<std::vector<NeuronId>> evaluation_order(const NeuronGraph& graph) {
  // Depth first with a stack of our own: chains of neurons may be as long as the graph.
  std::vector<NeuronId> order;
  order.reserve(graph.neuron_count());
  std::vector<Visit> visits(graph.neuron_count(), Visit::New);
  std::vector<Frame> stack;
  const auto open = [&](NeuronId neuron) {
    visits[neuron] = Visit::Open;
    stack.push_back({neuron, graph.input_begin[neuron]});
  };
  for (std::uint64_t root = 0; root < graph.neuron_count(); ++root) {
    if (visits[root] == Visit::New) open(static_cast<NeuronId>(root));
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.edge == graph.input_begin[top.neuron + std::size_t{1}]) {
        visits[top.neuron] = Visit::Done;
        order.push_back(top.neuron);
        stack.pop_back();
        continue;
      }
      const NeuronId input = graph.inputs[top.edge++];
      if (visits[input] == Visit::Open) {
        return Errors(ErrorCode::Cycle, graph.describe(input), "the neuron reads its own value");
      }
      if (visits[input] == Visit::New) open(input);
    }
  }
  return order;
}

}  // namespace vecc::reference
