// Any bytes as a graph file. Besides as they are, they are read as the fields of a file with the
// right frame (magic, header, End with its CRC-32), so that mutations reach the checks of the
// content and do not all end at the checksum.
#include <google/protobuf/stubs/logging.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "vecc/graph.pb.h"
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

// The counts that the End record of a file with these fields says.
void set_counts(const std::string& bytes, vecc::wire::End& end) {
  vecc::wire::Graph graph;
  if (!graph.ParsePartialFromString(bytes)) return;
  for (const auto& table : graph.weight_table()) end.set_weights(end.weights() + table.count());
  for (const auto& samples : graph.samples()) {
    end.set_samples(end.samples() + static_cast<std::uint64_t>(samples.outputs_size()) +
                    static_cast<std::uint64_t>(samples.outputs64_size()));
  }
  for (const auto& group : graph.group()) {
    end.set_neurons(end.neurons() + group.count());
    end.set_edges(end.edges() + static_cast<std::uint64_t>(group.inputs_size()) +
                  static_cast<std::uint64_t>(group.inputs64_size()));
  }
}

std::string framed(std::string_view fields) {
  std::string bytes("\x0dVECC\x12\x02\x08\x01", 9);
  bytes += fields;
  vecc::wire::End end;
  set_counts(bytes, end);
  end.set_crc32(static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())));
  const std::string content = end.SerializeAsString();
  return bytes + '\x7a' + static_cast<char>(content.size()) + content;
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
  read(framed(bytes));
  return 0;
}
