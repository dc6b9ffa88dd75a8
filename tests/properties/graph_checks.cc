#include "tests/properties/graph_checks.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <span>

#include "tests/agreement/agreement.h"
#include "tests/properties/graph_difference.h"
#include "vecc/backend.h"
#include "vecc/program.h"
#include "vecc/program_text.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

// The neurons' values of the generator or of the reference, in the form that tests/agreement takes.
ExpectedValues expect(const NeuronGraph& graph, std::span<const Shape> shapes,
                      const std::function<std::span<const double>(NeuronId)>& value) {
  ExpectedValues expected;
  for (NeuronId n = 0; n < graph.neuron_count(); ++n) {
    expected.neurons.push_back({graph.file_id(n), n, shapes[n], expected.values.size()});
    const auto elements = value(n);
    expected.values.insert(expected.values.end(), elements.begin(), elements.end());
  }
  for (std::size_t s = 0; s < graph.samples.size(); ++s) {
    const ExpectedNeuron& output = expected.neurons[graph.samples[s].output];
    expected.samples.push_back(
        {std::string(graph.sample_ids[s]), output.file_id, output.shape, output.begin});
  }
  return expected;
}

PrintOptions full_text() {
  PrintOptions options;
  options.long_arrays = LongArrays::Full;
  options.parameter_values = true;
  return options;
}

}  // namespace

std::string check_reference(const RandomGraph& random) {
  const auto value = [&](NeuronId n) { return std::span<const double>(random.values[n]); };
  return compare_reference(random.graph, expect(random.graph, random.shapes, value)).failure;
}

namespace {

using Wanted = std::function<bool(Execution&)>;

std::string check_executions(const NeuronGraph& graph, bool compiled, const Wanted& wanted) {
  const auto reference = evaluate_reference(graph);
  if (!reference) return "reference: " + reference.error().text();
  const ExpectedValues expected =
      expect(graph, reference->shapes, [&](NeuronId n) { return reference->value(n); });
  Executions executions = list_executions(compiled || std::getenv("VECC_FULL") != nullptr);
  if (!executions.error.empty()) return executions.error;
  for (Execution& execution : executions.list) {
    if (!wanted(execution)) continue;
    const Agreement agreement = compare_execution(graph, expected, execution);
    if (!agreement.failure.empty()) return agreement.name + ": " + agreement.failure;
  }
  return "";
}

}  // namespace

std::string check_agreement(const NeuronGraph& graph, bool exact, bool compiled) {
  return check_executions(graph, compiled, [exact](Execution& execution) {
    if (exact) execution.tolerance = 0;
    return true;
  });
}

std::string check_agreement_in_double(const NeuronGraph& graph, bool compiled) {
  return check_executions(graph, compiled,
                          [](Execution& execution) { return execution.dtype == DType::F64; });
}

std::string check_program_text(const NeuronGraph& graph) {
  const auto first = vectorize(graph);
  if (!first) return "vectorize: " + first.error().text();
  if (const auto verified = verify(first->program); !verified) {
    return "verify: " + verified.error().text();
  }
  const std::string text = print(first->program, full_text());
  const auto parsed = parse_program(text, "printed");
  if (!parsed) return "parse: " + parsed.error().text() + "\n" + text;
  if (const std::string again = print(*parsed, full_text()); again != text) {
    return "the text changes:\n" + text + "\nto:\n" + again;
  }
  const auto second = vectorize(graph);
  if (!second) return "vectorize again: " + second.error().text();
  return print(second->program, full_text()) == text ? "" : "vectorizing twice gives two texts";
}

std::string check_round_trip(const NeuronGraph& graph, Compression compression) {
  namespace fs = std::filesystem;
  const fs::path path =
      fs::temp_directory_path() / ("vecc-round-trip-" + std::to_string(getpid()) + ".pb");
  const auto written = write_graph(graph, path.string(), compression);
  if (!written) return "write: " + written.error().text();
  const auto read = read_graph(path.string());
  fs::remove(path);
  if (!read) return "read: " + read.error().text();
  return graph_difference(graph, *read);
}

}  // namespace vecc::test
