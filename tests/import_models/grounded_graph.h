// What tests do with grounded graphs: ground to a file, read it back, look at it by names, run it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/graph_io/temporary_folder.h"
#include "tools/import/ground/grounder.h"
#include "vecc/backend.h"
#include "vecc/graph_io.h"
#include "vecc/vectorize.h"

namespace vecc::test {

using tools::FileId;
using tools::Grounder;
using tools::NeuronRow;

/// Grounds into a file with `ground(grounder)`, and reads it back.
template <class Ground>
Result<NeuronGraph> ground_to_graph(Ground&& ground, ImportLimits limits = {},
                                    std::optional<Initializer> initializer = Initializer::Uniform,
                                    std::int64_t seed = 7) {
  const TemporaryFolder folder;
  tools::GrounderOptions options;
  options.path = folder.path("graph.pb");
  options.producer = "test";
  options.initializer = initializer;
  options.seed = seed;
  options.limits = limits;
  VECC_TRY(Grounder out, Grounder::create(std::move(options)));
  VECC_TRY_VOID(ground(out));
  VECC_TRY_VOID(out.finish());
  return read_graph(folder.path("graph.pb"));
}

/// Neurons by `class head`: "weighted rule diff/3" -> 12.
inline std::map<std::string, std::uint64_t> count_neurons(const NeuronGraph& graph) {
  std::map<std::string, std::uint64_t> counts;
  for (const NeuronGroup& group : graph.groups) {
    counts[std::string(text_of(group.neuron_class)) + " " + group.head_predicate] +=
        group.neuron_count;
  }
  return counts;
}

/// The outputs of the vectorized graph, run in double by the interpreter.
inline std::vector<std::vector<double>> run_interpreter(const NeuronGraph& graph) {
  VectorizeOptions options;
  options.dtype = DType::F64;
  const Result<Vectorized> vectorized = vectorize(graph, options);
  if (!vectorized) throw std::runtime_error(vectorized.error().text());
  auto executable = find_backend("interpreter")->compile(vectorized->program, {});
  if (!executable) throw std::runtime_error(executable.error().text());
  if (const Result<void> done = (*executable)->run(); !done) {
    throw std::runtime_error(done.error().text());
  }
  const auto outputs = (*executable)->outputs();
  if (!outputs) throw std::runtime_error(outputs.error().text());
  std::vector<std::vector<double>> values;
  for (const Executable::Output& output : *outputs) values.push_back(output.value);
  return values;
}

}  // namespace vecc::test
