#include "tests/agreement/agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "tests/agreement/difference.h"
#include "vecc/graph_io.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

std::string describe(const NeuronGraph& graph, const ExpectedNeuron& neuron, NeuronId id) {
  return graph.describe(id) + " (index " + std::to_string(neuron.dump_index) + " in the dump)";
}

std::string describe(const ExpectedSample& sample) {
  return "sample " + sample.id;
}

/// Whether the graph is the one that the values belong to; says what is not.
std::string check_identity(const NeuronGraph& graph, const ExpectedValues& expected) {
  if (!expected.neurons.empty() && expected.neurons.size() != graph.neuron_count()) {
    return "the graph has " + std::to_string(graph.neuron_count()) + " neurons, expected " +
           std::to_string(expected.neurons.size());
  }
  for (NeuronId n = 0; n < expected.neurons.size(); ++n) {
    if (graph.file_id(n) != expected.neurons[n].file_id) return graph.describe(n) + " is misplaced";
  }
  if (expected.samples.size() != graph.samples.size()) return "other samples than expected";
  for (std::size_t s = 0; s < expected.samples.size(); ++s) {
    if (graph.sample_ids[s] != expected.samples[s].id ||
        graph.file_id(graph.samples[s].output) != expected.samples[s].output) {
      return describe(expected.samples[s]) + " is misplaced or has another output neuron";
    }
  }
  return {};
}

/// All rows of the layers, read once.
class LayerValues {
 public:
  static Result<LayerValues> read(Executable& executable, const Vectorized& vectorized) {
    LayerValues out(vectorized);
    for (const ValueId value : vectorized.neurons.layer_value) {
      VECC_TRY(std::vector<double> rows, executable.read(value));
      out.rows_.push_back(std::move(rows));
    }
    return out;
  }

  /// A neuron's `size` elements; fewer if the layer has not got them.
  [[nodiscard]] std::span<const double> value(NeuronId neuron, std::size_t size) const {
    const NeuronMap& map = vectorized_->neurons;
    const std::uint32_t layer = map.layer[neuron];
    const std::uint64_t width = vectorized_->program.op(map.layer_value[layer]).shape.size();
    // One row a member: the neuron's value is `size` rows; else it is one row.
    const std::size_t own = map.member_rows[layer] ? size : width;
    const std::span<const double> rows = rows_[layer];
    const std::size_t begin = std::min<std::size_t>(map.row[neuron] * width, rows.size());
    return rows.subspan(begin, std::min(own, rows.size() - begin));
  }

 private:
  explicit LayerValues(const Vectorized& vectorized) : vectorized_(&vectorized) {}
  const Vectorized* vectorized_;
  std::vector<std::vector<double>> rows_;
};

Result<void> run_and_compare(const NeuronGraph& graph, const ExpectedValues& expected,
                             const Execution& execution, DifferenceRecord& record) {
  VectorizeOptions options;
  options.dtype = execution.dtype;
  options.keep_neuron_map = true;
  VECC_TRY(const Vectorized vectorized, vectorize(graph, options));
  VECC_TRY_VOID(verify(vectorized.program));
  ExecutionOptions run_options;
  run_options.device = execution.device;
  run_options.keep_values = true;
  VECC_TRY(const auto executable, execution.backend->compile(vectorized.program, run_options));
  VECC_TRY_VOID(executable->run());

  VECC_TRY(const auto outputs, executable->outputs());
  if (outputs.size() != expected.samples.size()) {
    return Errors(ErrorCode::WrongCounts, "outputs", std::to_string(outputs.size()));
  }
  for (std::size_t s = 0; s < outputs.size(); ++s) {
    const ExpectedSample& sample = expected.samples[s];
    record.compare(outputs[s].value, expected.value(sample), [&] { return describe(sample); });
  }
  if (expected.neurons.empty()) return {};
  VECC_TRY(const LayerValues layers, LayerValues::read(*executable, vectorized));
  for (NeuronId n = 0; n < expected.neurons.size(); ++n) {
    const ExpectedNeuron& neuron = expected.neurons[n];
    record.compare(layers.value(n, neuron.shape.size()), expected.value(neuron),
                   [&] { return describe(graph, neuron, n); });
  }
  return {};
}

}  // namespace

std::string Execution::name() const {
  return std::string(backend->name()) + " " + std::string(text_of(dtype));
}

namespace {

void add_in_both_dtypes(Executions& out, const Backend& backend, const Device& device) {
  out.list.push_back({&backend, DType::F64, device, 1e-9});
  out.list.push_back({&backend, DType::F32, device, 1e-4});
}

void add_cpu(Executions& out) {
  const Backend& cpu = *find_backend("cpu");
  const Device device{Device::Kind::Cpu, 0};
  if (const auto available = cpu.available(device); !available) {
    out.error = available.error().text();
  } else {
    add_in_both_dtypes(out, cpu, device);
  }
}

void add_torch(Executions& out) {
  const char* const asked = std::getenv("VECC_TEST_DEVICE");
  const auto device = parse_device(asked != nullptr ? asked : "cpu");
  if (!device) {
    out.error = "VECC_TEST_DEVICE: " + device.error().text();
    return;
  }
  const Backend& torch = *find_backend("torch");
  if (const auto available = torch.available(*device); !available) {
    // Built without it is fine; anything else must not make the tests silently smaller.
    const bool left_out = available.error().list().front().code == ErrorCode::BackendAbsent;
    if (!left_out) out.error = available.error().text();
    return;
  }
  add_in_both_dtypes(out, torch, *device);
}

// Where a GPU is asked for it must be there.
void add_cuda(Executions& out) {
  const char* const asked = std::getenv("VECC_TEST_DEVICE");
  const auto device = parse_device(asked != nullptr ? asked : "cpu");
  if (!device || device->kind != Device::Kind::Cuda) return;
  const Backend& cuda = *find_backend("cuda");
  if (const auto available = cuda.available(*device); !available) {
    out.error = available.error().text();
  } else {
    add_in_both_dtypes(out, cuda, *device);
  }
}

}  // namespace

Executions list_executions(bool compiled) {
  Executions out;
  out.list.push_back({find_backend("interpreter"), DType::F64, {Device::Kind::Cpu, 0}, 1e-9});
  if (compiled) add_cpu(out);
  if (out.error.empty()) add_torch(out);
  if (compiled && out.error.empty()) add_cuda(out);
  return out;
}

Agreement compare_reference(const NeuronGraph& graph, const ExpectedValues& expected) {
  const auto values = evaluate_reference(graph);
  if (!values) return {"reference", 0, values.error().text()};
  DifferenceRecord record(1e-9);
  for (NeuronId n = 0; n < expected.neurons.size(); ++n) {
    const ExpectedNeuron& neuron = expected.neurons[n];
    const auto place = [&] { return describe(graph, neuron, n); };
    if (values->shapes[n] != neuron.shape) {
      return {
          "reference", 0,
          place() + ": shape " + values->shapes[n].text() + ", expected " + neuron.shape.text()};
    }
    record.compare(values->value(n), expected.value(neuron), place);
  }
  for (std::size_t s = 0; s < expected.samples.size(); ++s) {
    const ExpectedSample& sample = expected.samples[s];
    record.compare(values->value(graph.samples[s].output), expected.value(sample),
                   [&] { return describe(sample); });
  }
  return {"reference", record.largest(), record.failure()};
}

Agreement compare_execution(const NeuronGraph& graph, const ExpectedValues& expected,
                            const Execution& execution) {
  DifferenceRecord record(execution.tolerance);
  const auto done = run_and_compare(graph, expected, execution, record);
  return {execution.name(), record.largest(), done ? record.failure() : done.error().text()};
}

std::string format_line(const std::string& name, const NeuronGraph& graph,
                        const std::vector<Agreement>& agreements) {
  std::ostringstream line;
  line << std::left << std::setw(40) << name << std::right << std::setw(8) << graph.neuron_count()
       << " neurons" << std::scientific << std::setprecision(1);
  for (const Agreement& agreement : agreements) {
    line << "  " << agreement.name << " ";
    if (agreement.failure.empty()) {
      line << agreement.largest;
    } else {
      line << "FAILED";
    }
  }
  return line.str();
}

void expect_agreement(const std::string& name, const std::string& graph_path,
                      const ExpectedValues& expected) {
  const auto graph = read_graph(graph_path);
  ASSERT_TRUE(graph) << graph.error().text();
  ASSERT_EQ(check_identity(*graph, expected), "");
  const Executions executions = list_executions();
  EXPECT_EQ(executions.error, "");

  std::vector<Agreement> agreements = {compare_reference(*graph, expected)};
  for (const Execution& execution : executions.list) {
    agreements.push_back(compare_execution(*graph, expected, execution));
  }
  std::cout << format_line(name, *graph, agreements) << std::endl;
  for (const Agreement& agreement : agreements) {
    EXPECT_EQ(agreement.failure, "") << name << ", " << agreement.name;
  }
}

}  // namespace vecc::test
