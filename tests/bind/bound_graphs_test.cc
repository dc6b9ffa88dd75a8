// A graph that is bound to a template's program gives what it gives when it is compiled itself.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include "tests/bind/tested_program.h"
#include "tests/support/graph_builder.h"
#include "tests/support/graph_subset.h"
#include "tests/support/random_graph.h"
#include "vecc/backend.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/template.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

constexpr double kTolerance = 1e-12;

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}

NeuronGraph shipped(const std::string& name) {
  return value_of(read_graph(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/" + name));
}

Template template_of(const NeuronGraph& graph, DType dtype = DType::F64) {
  TemplateOptions options;
  options.dtype = dtype;
  return value_of(Template::of(graph, options));
}

std::unique_ptr<TemplateProgram> program_of(const Template& model, std::uint32_t threads = 1) {
  return value_of(model.compile(tested_options(false, threads)));
}

std::vector<Executable::Output> outputs_of(TemplateProgram& program, const NeuronGraph& graph) {
  BoundGraph bound;
  if (const auto done = program.bind(graph, bound); !done) {
    throw std::runtime_error(done.error().text());
  }
  if (const auto done = program.run(bound); !done) throw std::runtime_error(done.error().text());
  return program.outputs(bound);
}

std::vector<Executable::Output> compiled_outputs(const NeuronGraph& graph) {
  VectorizeOptions in_double;
  in_double.dtype = DType::F64;
  const Program program = value_of(optimize(value_of(vectorize(graph, in_double)).program));
  auto executable = value_of(find_backend("cpu")->compile(program, {}));
  if (const auto done = executable->run(); !done) throw std::runtime_error(done.error().text());
  return value_of(executable->outputs());
}

std::vector<Executable::Output> reference_outputs(const NeuronGraph& graph) {
  const ReferenceValues values = value_of(evaluate_reference(graph));
  std::vector<Executable::Output> outputs;
  for (const Sample& sample : graph.samples) {
    const auto value = values.value(sample.output);
    outputs.push_back({values.shapes[sample.output], {value.begin(), value.end()}});
  }
  return outputs;
}

bool are_close(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  return a == b || std::abs(a - b) <= kTolerance * std::max(1.0, std::abs(b));
}

void expect_close(const std::vector<Executable::Output>& found,
                  const std::vector<Executable::Output>& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t s = 0; s < found.size(); ++s) {
    ASSERT_EQ(found[s].shape, expected[s].shape) << what << ", sample " << s;
    for (std::size_t i = 0; i < found[s].value.size(); ++i) {
      ASSERT_TRUE(are_close(found[s].value[i], expected[s].value[i]))
          << what << ", sample " << s << ", element " << i << ": " << found[s].value[i]
          << ", expected " << expected[s].value[i];
    }
  }
}

std::vector<std::uint32_t> every_second(const NeuronGraph& graph, std::uint32_t first) {
  std::vector<std::uint32_t> samples;
  for (std::uint32_t s = first; s < graph.samples.size(); s += 2) samples.push_back(s);
  return samples;
}

// All neurons are outputs, so that all are compared.
NeuronGraph with_all_outputs(NeuronGraph graph) {
  graph.samples.clear();
  graph.sample_ids = {};
  for (NeuronId n = 0; n < graph.neuron_count(); ++n) {
    Sample sample;
    sample.output = n;
    graph.samples.push_back(sample);
  }
  return graph;
}

TEST(BoundGraphs, random_graphs_give_what_the_reference_gives) {
  for (std::uint64_t seed = 0; seed < 300; seed += is_cuda() ? 15 : 1) {
    const NeuronGraph graph = with_all_outputs(random_graph(random_options(seed)).graph);
    const bool interprets = seed % 30 != 0;  // compiling takes a second a graph
    const auto program = value_of(template_of(graph).compile(tested_options(interprets)));
    const std::uint32_t kernels = program->counts().kernels;
    expect_close(outputs_of(*program, graph), reference_outputs(graph),
                 "seed " + std::to_string(seed));
    EXPECT_EQ(program->counts().kernels, kernels) << seed;
  }
}

// The first half lacks groups that a few samples of the second have.
TEST(BoundGraphs, the_second_half_of_molecules_gives_what_it_gives_compiled) {
  const NeuronGraph graph = shipped("mutagenesis.pb");
  const auto program = program_of(template_of(graph_of_samples(graph, every_second(graph, 0))));
  const auto before = program->counts();
  std::vector<std::uint32_t> known;
  const std::vector<std::uint32_t> second = every_second(graph, 1);
  BoundGraph bound;
  for (const std::uint32_t sample : second) {
    const auto done = program->bind(graph_of_samples(graph, std::span(&sample, 1)), bound);
    if (done) {
      known.push_back(sample);
    } else {
      EXPECT_EQ(done.error().list().front().code, ErrorCode::InconsistentGroup);
    }
  }
  EXPECT_GE(known.size() * 10, second.size() * 9);
  const NeuronGraph others = graph_of_samples(graph, known);
  expect_close(outputs_of(*program, others), compiled_outputs(others), "mutagenesis");
  EXPECT_EQ(program->counts().kernels, before.kernels);
  EXPECT_EQ(program->counts().interpreted, 0u);
}

TEST(BoundGraphs, graphs_of_all_functions_give_what_they_give_compiled) {
  for (const char* name : {"attention.pb", "xor.pb", "functions-aggregations.pb",
                           "functions-combinations.pb", "functions-transformations.pb"}) {
    const NeuronGraph graph = shipped(name);
    const auto program = program_of(template_of(graph));
    const NeuronGraph half = graph_of_samples(graph, every_second(graph, 1));
    expect_close(outputs_of(*program, half), compiled_outputs(half), name);
    EXPECT_EQ(program->counts().interpreted, 0u) << name;
  }
}

TEST(BoundGraphs, several_at_once_are_one_after_another) {
  const NeuronGraph graph = shipped("mutagenesis.pb");
  const auto program = program_of(template_of(graph), 2);
  std::vector<NeuronGraph> parts;
  std::vector<const NeuronGraph*> pointers;
  for (std::uint32_t s = 0; s < graph.samples.size(); ++s) {
    parts.push_back(graph_of_samples(graph, std::span(&s, 1)));
  }
  for (const NeuronGraph& part : parts) pointers.push_back(&part);
  BoundGraph bound;
  ASSERT_TRUE(program->bind(pointers, bound));
  ASSERT_TRUE(program->run(bound));
  expect_close(program->outputs(bound), outputs_of(*program, graph), "all at once");
}

TEST(BoundGraphs, results_repeat_bit_by_bit_for_any_number_of_threads) {
  const NeuronGraph graph = shipped("mutagenesis.pb");
  const Template model = template_of(graph, DType::F32);
  const auto one = outputs_of(*program_of(model, 1), graph);
  const auto four = outputs_of(*program_of(model, 4), graph);
  ASSERT_EQ(one.size(), four.size());
  for (std::size_t s = 0; s < one.size(); ++s) EXPECT_EQ(one[s].value, four[s].value) << s;
}

// On a GPU these are two ways to run (docs/bind.md).
TEST(BoundGraphs, graphs_alone_have_the_bits_that_they_have_together) {
  const NeuronGraph graph = shipped("mutagenesis.pb");
  const auto program = program_of(template_of(graph, DType::F32));
  const auto together = outputs_of(*program, graph);
  for (std::uint32_t s = 0; s < graph.samples.size(); s += 8) {
    const auto alone = outputs_of(*program, graph_of_samples(graph, std::span(&s, 1)));
    EXPECT_EQ(alone[0].value, together[s].value) << s;
  }
}

// What is known of the graph before is looked at first; the next one has other groups, functions,
// shapes and words there.
TEST(BoundGraphs, what_was_bound_before_changes_nothing) {
  for (const char* name : {"functions-aggregations.pb", "functions-combinations.pb",
                           "functions-transformations.pb", "mutagenesis.pb"}) {
    const NeuronGraph graph = shipped(name);
    const Template model = template_of(graph);
    const auto program = program_of(model);
    const auto together = outputs_of(*program, graph);
    const auto count = static_cast<std::uint32_t>(graph.samples.size());
    for (std::uint32_t i = 0; i < std::min(count, 60u); ++i) {
      const std::uint32_t sample = i * 37 % count;
      const NeuronGraph part = graph_of_samples(graph, std::span(&sample, 1));
      const auto alone = outputs_of(*program, part);
      EXPECT_EQ(alone[0].shape, together[sample].shape) << name << " " << sample;
      EXPECT_EQ(alone[0].value, together[sample].value) << name << " " << sample;
    }
  }
}

}  // namespace
}  // namespace vecc::test
