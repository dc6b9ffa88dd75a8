// make_python_cases FOLDER GRAPHS...: modules for modules_test.py to run, each with what it must
// compute, of all .pb files in the folders GRAPHS that are there.
//
// FOLDER/NAME/expected.safetensors: `outputs` of all samples one after another, `directions` (one a
// number of outputs), and for each weight table T `gradient/T`, the derivatives of the sum of
// direction * output; and FOLDER/NAME/LEVEL/ the modules. The reference says what is expected of
// graphs, the interpreter of Programs. FOLDER/numbers.tsv: doubles as little-endian bytes, their
// texts, and those of the nearest float.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "src/support/value_text.h"
#include "tests/emit/python/case_programs.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_source.h"
#include "vecc/backend.h"
#include "vecc/emit_python.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

template <class T>
T require(Result<T> result, const std::string& what) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s: %s\n", what.c_str(), result.error().text().c_str());
  std::exit(1);
}
void require(const Result<void>& result, const std::string& what) {
  if (result) return;
  std::fprintf(stderr, "%s: %s\n", what.c_str(), result.error().text().c_str());
  std::exit(1);
}

WeightTensor tensor_of(std::string name, const std::vector<double>& values) {
  std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return {std::move(name), ElementType::F64, {values.size()}, std::move(bytes)};
}

// Numbers from -1 to 1, none of them 0.
std::vector<double> directions(std::size_t count) {
  RandomSource random(count);
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(random.real(0.1, 1) * (random.chance(0.5) ? 1 : -1));
  }
  return result;
}

void write_expected(const fs::path& folder, const std::vector<double>& outputs,
                    const std::vector<double>& along, WeightFile file) {
  file.tensors.push_back(tensor_of("outputs", outputs));
  file.tensors.push_back(tensor_of("directions", along));
  require(write_weights(file, (folder / "expected.safetensors").string()), folder.string());
}

void expect_of_graph(const NeuronGraph& graph, const fs::path& folder) {
  const ReferenceValues values = require(evaluate_reference(graph), folder.string());
  std::vector<double> outputs;
  for (const Sample& sample : graph.samples) {
    const auto value = values.value(sample.output);
    outputs.insert(outputs.end(), value.begin(), value.end());
  }
  const std::vector<double> along = directions(outputs.size());
  const ReferenceGradients gradients =
      require(differentiate_reference(graph, values, along), folder.string());
  WeightFile file;
  for (const WeightTable& table : graph.weight_tables) {
    if (!table.learnable) continue;
    const auto begin = static_cast<std::ptrdiff_t>(gradients.weight_begin[table.first]);
    const auto end = static_cast<std::ptrdiff_t>(gradients.weight_begin[table.first + table.count]);
    file.tensors.push_back(tensor_of("gradient/" + table.name, {gradients.weights.begin() + begin,
                                                                gradients.weights.begin() + end}));
  }
  write_expected(folder, outputs, along, std::move(file));
}

void make_graph_case(NeuronGraph graph, const fs::path& folder,
                     std::initializer_list<std::uint32_t> levels) {
  fs::create_directories(folder);
  initialize_weights(graph, Initializer::Glorot, 1);
  expect_of_graph(graph, folder);
  PythonOptions options;
  options.weights = require(weights_of(graph), folder.string());
  for (const std::uint32_t level : levels) {
    VectorizeOptions vectorize_options;
    vectorize_options.dtype = DType::F64;
    Program program = require(vectorize(graph, vectorize_options), folder.string()).program;
    OptimizeOptions optimize_options;
    optimize_options.level = level;
    program = require(optimize(std::move(program), optimize_options), folder.string());
    require(emit_python(program, (folder / ("O" + std::to_string(level))).string(), options),
            folder.string());
  }
}

void make_program_case(const Program& program, const fs::path& folder) {
  fs::create_directories(folder);
  ExecutionOptions options;
  options.gradients = true;
  const auto executable =
      require(find_backend("interpreter")->compile(program, options), folder.string());
  require(executable->run(), folder.string());
  std::vector<double> outputs;
  for (const auto& output : require(executable->outputs(), folder.string())) {
    outputs.insert(outputs.end(), output.value.begin(), output.value.end());
  }
  const std::vector<double> along = directions(outputs.size());
  require(executable->differentiate(along), folder.string());
  WeightFile file;
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    file.tensors.push_back(tensor_of("gradient/" + program.parameters()[p].name,
                                     require(executable->gradient(p), folder.string())));
  }
  write_expected(folder, outputs, along, std::move(file));
  require(emit_python(program, (folder / "program").string()), folder.string());
}

std::string hex_of(double value) {
  std::string text;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
  for (std::size_t i = 0; i < sizeof value; ++i) {
    char byte[3];
    std::snprintf(byte, sizeof byte, "%02x", bytes[i]);
    text += byte;
  }
  return text;
}

void write_numbers(const fs::path& path) {
  RandomSource random(1);
  std::vector<double> values{0.0, -0.0, 1, 10, 1e5, 123456, 1e-5, 1e22, 1.5e300, 5e-324, 0.1};
  values.insert(values.end(), {HUGE_VAL, -HUGE_VAL, std::nan("")});
  for (int i = 0; i < 2000; ++i) {
    const double digits = random.real(-1, 1);
    values.push_back(digits * std::pow(10, random.between(0, 50) - 25.0));
    values.push_back(std::round(digits * 1000) * std::pow(10, random.between(0, 12) - 6.0));
  }
  std::ofstream file(path);
  for (const double value : values) {
    file << hex_of(value) << '\t' << text_of_number(value, false) << '\t'
         << text_of_number(static_cast<double>(static_cast<float>(value)), true) << '\n';
  }
}

std::vector<fs::path> list_graphs(const fs::path& folder) {
  std::vector<fs::path> graphs;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".pb") graphs.push_back(entry.path());
  }
  return graphs;
}

void make_all(const fs::path& folder, std::span<char*> graph_folders) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  write_numbers(folder / "numbers.tsv");
  for (const char* graphs : graph_folders) {
    for (const fs::path& path : list_graphs(graphs)) {
      make_graph_case(require(read_graph(path.string()), path.string()), folder / path.stem(),
                      {0, 1, 2});
    }
  }
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomGraphOptions options = random_options(seed);
    options.exact = seed % 4 == 3;  // full of ties
    make_graph_case(random_graph(options).graph, folder / ("random-graph-" + std::to_string(seed)),
                    {0, 2});
  }
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    make_program_case(random_forward_program(seed),
                      folder / ("random-program-" + std::to_string(seed)));
  }
  for (const auto& [name, program] : recursive_programs())
    make_program_case(program, folder / name);
}

}  // namespace
}  // namespace vecc::test

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  vecc::test::make_all(argv[1], std::span(argv + 2, static_cast<std::size_t>(argc - 2)));
  return 0;
}
