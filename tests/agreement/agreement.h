// Runs a graph in every way that vecc has and compares with expected values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/agreement/expected_values.h"
#include "vecc/backend.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::test {

/// One way to run a Program, and how exactly it must agree.
struct Execution {
  const Backend* backend = nullptr;
  DType dtype = DType::F64;
  Device device;
  double tolerance = 1e-9;

  /// `torch f32`
  [[nodiscard]] std::string name() const;
};

/// The interpreter in double; the cpu backend in both dtypes; and torch in both where it is there.
/// The environment's VECC_TEST_DEVICE (`cuda`) is torch's device, by default the CPU; `error` if
/// torch cannot run there, unless no device was asked for and torch is not built in, and if the
/// cpu backend cannot run.
struct Executions {
  std::vector<Execution> list;
  std::string error;
};
/// `compiled`: with the cpu backend, which takes a compiler a second for a graph of many layers.
[[nodiscard]] Executions list_executions(bool compiled = true);

/// What one comparison found: the largest difference, and what disagrees (empty: nothing).
struct Agreement {
  std::string name;
  double largest = 0;
  std::string failure;
};

/// The reference, neuron by neuron and sample by sample.
[[nodiscard]] Agreement compare_reference(const NeuronGraph& graph, const ExpectedValues& expected);
/// The vectorized graph on a backend: outputs by sample, and the neurons that `expected` has.
[[nodiscard]] Agreement compare_execution(const NeuronGraph& graph, const ExpectedValues& expected,
                                          const Execution& execution);

/// One line: `base  18 neurons  reference 1.1e-16  interpreter f64 2.2e-16`.
[[nodiscard]] std::string format_line(const std::string& name, const NeuronGraph& graph,
                                      const std::vector<Agreement>& agreements);

/// Reads `graph_path`, compares in every way with `expected`, prints the line, and adds a
/// GoogleTest failure for whatever disagrees.
void expect_agreement(const std::string& name, const std::string& graph_path,
                      const ExpectedValues& expected);

}  // namespace vecc::test
