#include "gradients.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "src/support/quantity_text.h"
#include "src/support/value_text.h"
#include "tools/common/data_sink.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

std::string text_of_gradient(std::span<const double> gradient) {
  std::string text;
  for (const double v : gradient) {
    if (!text.empty()) text += ' ';
    text += std::isfinite(v) ? fmt::format("{:.17g}", v) : text_of_number(v, /*single=*/false);
  }
  return text;
}

/// The derivatives by the rows of a learnable table, one row after another.
using TableGradient = std::function<Result<std::vector<double>>(const WeightTable&)>;

Result<void> write(const NeuronGraph& graph, const TableGradient& gradient_of,
                   const std::string& path) {
  VECC_TRY(DataSink sink, DataSink::open(path));
  for (const WeightTable& table : graph.weight_tables) {
    if (!table.learnable) continue;
    const std::string name = escape_terminal(table.name, std::numeric_limits<std::uint32_t>::max());
    VECC_TRY(const std::vector<double> gradient, gradient_of(table));
    const std::size_t size = table.shape.size();
    for (std::uint32_t row = 0; row < table.count; ++row) {
      const auto values = std::span(gradient).subspan(row * size, size);
      sink.write(fmt::format("{}\t{}\t{}\n", name, row, text_of_gradient(values)));
    }
  }
  return sink.finish();
}

void describe_gradients(const NeuronGraph& graph, Stages& stages) {
  std::uint64_t weights = 0;
  for (const WeightTable& table : graph.weight_tables) weights += table.learnable ? table.count : 0;
  stages.describe("of " + text_of_count(weights, "learnable weight"), {{"weights", weights}});
}

// The tables of a Program by name: its parameters.
std::map<std::string_view, ParameterIndex> find_parameters(const Program& program) {
  std::map<std::string_view, ParameterIndex> result;
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    result.emplace(program.parameters()[p].name, p);
  }
  return result;
}

Result<void> differentiate_and_write(const NeuronGraph& graph, const Program& program,
                                     Executable& executable, const std::string& path) {
  VECC_TRY(const auto outputs, executable.outputs());
  std::size_t elements = 0;
  for (const Executable::Output& output : outputs) elements += output.value.size();
  VECC_TRY_VOID(executable.differentiate(std::vector<double>(elements, 1.0)));
  const auto parameters = find_parameters(program);
  const auto gradient_of = [&](const WeightTable& table) -> Result<std::vector<double>> {
    const auto found = parameters.find(table.name);
    if (found == parameters.end()) return std::vector<double>(table.count * table.shape.size());
    return executable.gradient(found->second);
  };
  return write(graph, gradient_of, path);
}

}  // namespace

Result<void> write_gradients(const NeuronGraph& graph, const ReferenceValues& values,
                             const std::string& path, Stages& stages) {
  std::uint64_t outputs = 0;
  for (const Sample& sample : graph.samples) outputs += values.shapes[sample.output].size();
  VECC_TRY_VOID(stages.run("gradients", [&](ProgressLine&) -> Result<void> {
    const std::vector<double> ones(outputs, 1.0);
    VECC_TRY(const ReferenceGradients gradients, differentiate_reference(graph, values, ones));
    const auto gradient_of = [&](const WeightTable& table) -> Result<std::vector<double>> {
      const auto begin = gradients.weights.begin();
      return std::vector<double>(
          begin + static_cast<std::ptrdiff_t>(gradients.weight_begin[table.first]),
          begin + static_cast<std::ptrdiff_t>(gradients.weight_begin[table.first + table.count]));
    };
    return write(graph, gradient_of, path);
  }));
  describe_gradients(graph, stages);
  return {};
}

Result<void> write_gradients(const NeuronGraph& graph, const Program& program,
                             Executable& executable, const std::string& path, Stages& stages) {
  VECC_TRY_VOID(stages.run("gradients", [&](ProgressLine&) {
    return differentiate_and_write(graph, program, executable, path);
  }));
  describe_gradients(graph, stages);
  return {};
}

}  // namespace vecc::tools
