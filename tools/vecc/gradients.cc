#include "gradients.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tools/common/data_sink.h"
#include "tools/common/quantity_text.h"
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

Result<void> write(const NeuronGraph& graph, const ReferenceGradients& gradients,
                   const std::string& path) {
  VECC_TRY(DataSink sink, DataSink::open(path));
  for (const WeightTable& table : graph.weight_tables) {
    if (!table.learnable) continue;
    const std::string name = escape_terminal(table.name, std::numeric_limits<std::uint32_t>::max());
    for (std::uint32_t row = 0; row < table.count; ++row) {
      sink.write(fmt::format("{}\t{}\t{}\n", name, row,
                             text_of_gradient(gradients.weight(table.first + row))));
    }
  }
  return sink.finish();
}

}  // namespace

Result<void> write_gradients(const NeuronGraph& graph, const ReferenceValues& values,
                             const std::string& path, Stages& stages) {
  std::uint64_t outputs = 0;
  for (const Sample& sample : graph.samples) outputs += values.shapes[sample.output].size();
  VECC_TRY_VOID(stages.run("gradients", [&](ProgressLine&) -> Result<void> {
    const std::vector<double> ones(outputs, 1.0);
    VECC_TRY(const ReferenceGradients gradients, differentiate_reference(graph, values, ones));
    return write(graph, gradients, path);
  }));
  std::uint64_t weights = 0;
  for (const WeightTable& table : graph.weight_tables) weights += table.learnable ? table.count : 0;
  stages.describe("of " + text_of_count(weights, "learnable weight"), {{"weights", weights}});
  return {};
}

}  // namespace vecc::tools
