// Any bytes as a small graph, on its whole way: imported, evaluated neuron by neuron, vectorized,
// interpreted, optimized, interpreted again, and run by kernels of the cpu backend. All give the
// same outputs.
//
// Where rounding decides (two numbers that tie, a sum that cancels), all may differ: outputs count
// that hardly change when all facts and weights change by a billionth, as long as every neuron's
// value is finite.
//
// Compiling a kernel takes a thousand times as long as all else: after kMostKernels of them graphs
// that need others are interpreted only, and so are those that need many by themselves.
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/reference/program_interpreter.h"
#include "tests/fuzz/framed_graph.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/plan.h"
#include "vecc/vectorize.h"

namespace vecc {
namespace {

constexpr std::size_t kMostKernels = 120;
constexpr std::size_t kMostAtOnce = 16;  // of one graph
constexpr double kChange = 1e-9;         // of facts and weights
constexpr double kSteady = 1e-5;         // what outputs that count change by then, at most
constexpr double kTolerance = 1e-6;      // of outputs, relative above 1
constexpr double kLargest = 1e100;       // of a neuron's value: products of more overflow

using Values = std::vector<std::vector<double>>;  // by sample

ImportOptions small_limits() {
  ImportOptions options;
  options.limits.max_input_bytes = 1 << 16;
  options.limits.max_neurons = 256;
  options.limits.max_edges = 1024;
  options.limits.max_weights = 256;
  options.limits.max_value_size = 256;
  return options;
}

void require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "graph_fuzz: %s\n", what.c_str());
  std::abort();
}

// Every number by another factor near 1, of this seed.
NeuronGraph changed(NeuronGraph graph, std::uint64_t seed) {
  const auto change = [&seed](SharedNumbers& numbers) {
    if (!numbers) return;
    std::vector<double> values = numbers.doubles();
    for (double& value : values) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      value *= 1 + kChange * (static_cast<double>(seed >> 40) / (1 << 23) - 1);
    }
    numbers = SharedNumbers::of(std::move(values));
  };
  SharedNumbers facts = graph.values.take();
  change(facts);
  graph.values.append(facts);
  for (WeightTable& table : graph.weight_tables) change(table.values);
  return graph;
}

bool agree(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

// The outputs by the reference; empty if any number is not finite, or it has an error.
Values reference_outputs(const NeuronGraph& graph) {
  const Result<ReferenceValues> all = evaluate_reference(graph);
  if (!all || !std::ranges::all_of(all->values, [](double v) { return std::abs(v) < kLargest; })) {
    return {};
  }
  Values outputs;
  for (const Sample& sample : graph.samples) {
    const auto value = all->value(sample.output);
    outputs.emplace_back(value.begin(), value.end());
  }
  return outputs;
}

// By sample, the reference's output where it is steady; else empty.
Values steady_outputs(const NeuronGraph& graph) {
  Values outputs = reference_outputs(graph);
  for (std::uint64_t seed = 1; seed <= 3 && !outputs.empty(); ++seed) {
    const Values others = reference_outputs(changed(graph, seed));
    if (others.empty()) return {};
    for (std::size_t s = 0; s < outputs.size(); ++s) {
      const bool same = std::ranges::equal(outputs[s], others[s],
                                           [](double a, double b) { return agree(a, b, kSteady); });
      if (!same) outputs[s].clear();
    }
  }
  return outputs;
}

void check_outputs(const char* name, const Backend& backend, const Program& program,
                   const Values& expected) {
  const auto executable = backend.compile(program, {});
  require(executable.has_value(), name + (": " + (executable ? "" : executable.error().text())));
  const auto run = (*executable)->run();
  require(run.has_value(), name + (": " + (run ? "" : run.error().text())));
  const auto outputs = (*executable)->outputs();
  require(outputs.has_value(), name);
  for (std::size_t s = 0; s < expected.size(); ++s) {
    const std::vector<double>& value = (*outputs)[s].value;
    require(expected[s].empty() || value.size() == expected[s].size(), name);
    for (std::size_t i = 0; i < expected[s].size(); ++i) {
      require(agree(value[i], expected[s][i], kTolerance),
              std::string(name) + ": sample " + std::to_string(s) + ", element " +
                  std::to_string(i) + " is " + std::to_string(value[i]) + ", expected " +
                  std::to_string(expected[s][i]));
    }
  }
}

// Whether all of its kernels were compiled before, or may be.
bool may_compile(const Program& program) {
  static std::unordered_set<std::string> compiled;
  const Plan plan = make_plan(program);
  std::vector<std::string> texts;
  for (const Kernel& kernel : plan.kernels) {
    std::string text = text_of(kernel);
    if (!compiled.contains(text)) texts.push_back(std::move(text));
  }
  if (texts.size() > kMostAtOnce || compiled.size() + texts.size() > kMostKernels) {
    return texts.empty();
  }
  compiled.insert(texts.begin(), texts.end());
  return true;
}

void run(std::string_view bytes) {
  static const ImportOptions limits = small_limits();
  const Result<NeuronGraph> graph = read_graph_bytes(bytes, "fuzz", limits);
  if (!graph || graph->samples.empty()) return;
  VectorizeOptions wide;
  wide.dtype = DType::F64;
  const Result<Vectorized> vectorized = vectorize(*graph, wide);
  const bool has_values = std::ranges::all_of(graph->weight_tables, &WeightTable::has_values);
  if (!vectorized) return require(!vectorized.error().text().empty(), "an error without words");
  if (!has_values) return;
  require(evaluate_reference(*graph).has_value(), "the reference refuses what is vectorized");
  const Values expected = steady_outputs(*graph);
  check_outputs("-O0, interpreted", reference::interpreter_backend(), vectorized->program,
                expected);
  OptimizeOptions each;
  each.verify_each = true;
  each.threads = 1;
  const Result<Program> optimized = optimize(vectorized->program, each);
  require(optimized.has_value(), optimized ? "" : optimized.error().text());
  check_outputs("-O2, interpreted", reference::interpreter_backend(), *optimized, expected);
  for (const Program* program : {&vectorized->program, &*optimized}) {
    if (may_compile(*program)) check_outputs("cpu", cpu_backend(), *program, expected);
  }
}

}  // namespace
}  // namespace vecc

// Protobuf prints about invalid UTF-8, which fuzzing meets all the time.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  vecc::run(bytes);
  vecc::run(vecc::test::framed_graph(bytes));
  return 0;
}
