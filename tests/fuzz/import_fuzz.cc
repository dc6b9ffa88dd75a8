// Any bytes as a graph file. Besides as they are, they are read as the fields of a file with the
// right frame.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/fuzz/framed_graph.h"
#include "vecc/graph_io.h"

namespace {

vecc::ImportOptions small_limits() {
  vecc::ImportOptions options;
  options.limits.max_input_bytes = 1 << 22;
  options.limits.max_neurons = 1 << 16;
  options.limits.max_edges = 1 << 18;
  options.limits.max_weights = 1 << 16;
  options.limits.max_value_size = 1 << 12;
  return options;
}

void require(bool condition) {
  if (!condition) std::abort();
}

// What every accepted graph fulfils; later stages rely on it.
void check(const vecc::NeuronGraph& graph) {
  const std::uint64_t neurons = graph.neuron_count();
  require(graph.input_begin.back() == graph.edge_count());
  for (const vecc::NeuronId input : graph.inputs) require(input < neurons);
  for (const vecc::WeightId w : graph.weights) {
    require(w == vecc::kNoWeight || w < graph.weight_count());
  }
  std::uint64_t covered = 0;
  for (const vecc::NeuronRange& range : graph.ranges) {
    require(range.first == covered && range.count > 0);
    require(range.group < graph.groups.size());
    require(range.fact != vecc::FactKind::NotAFact || range.function < graph.functions.size());
    covered += range.count;
  }
  require(covered == neurons);
  for (const vecc::Sample& sample : graph.samples) require(sample.output < neurons);
  if (neurons > 0) {
    (void)graph.describe(static_cast<vecc::NeuronId>(neurons - 1));
  }
}

void read(std::string_view bytes) {
  static const vecc::ImportOptions options = small_limits();
  const vecc::Result<vecc::NeuronGraph> graph = vecc::read_graph_bytes(bytes, "fuzz", options);
  if (graph) {
    check(*graph);
  } else {
    require(!graph.error().list().empty());
    (void)graph.error().text();
  }
}

}  // namespace

// Protobuf prints about invalid UTF-8, which fuzzing meets all the time.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read(vecc::test::framed_graph(bytes));
  return 0;
}
