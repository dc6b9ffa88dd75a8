#include "outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "src/support/value_text.h"
#include "tools/common/statistics.h"
#include "vecc/escape.h"

namespace vecc::tools {

using Json = nlohmann::ordered_json;

std::string sample_id(const NeuronGraph& graph, std::size_t sample) {
  return graph.sample_ids.size() > 0 ? std::string(graph.sample_ids[sample])
                                     : std::to_string(sample);
}

Json json_of_number(double value, bool single) {
  const std::string text = text_of_number(value, single);
  if (!std::isfinite(value)) return text;
  double shortest = value;
  std::from_chars(text.data(), text.data() + text.size(), shortest);
  return shortest;
}

namespace {

std::span<const double> target_of(const NeuronGraph& graph, const Sample& sample) {
  return std::span(graph.target_values).subspan(sample.target_begin, sample.target_shape.size());
}

std::string text_of_value(Shape shape, std::span<const double> value, bool single) {
  return vecc::text_of_value(shape.is_scalar() ? 0 : shape.rows(), shape.cols(), value, single);
}

Json json_of_value(Shape shape, std::span<const double> value, bool single) {
  if (shape.is_scalar()) return json_of_number(value[0], single);
  Json rows = Json::array();
  for (std::size_t begin = 0; begin < value.size(); begin += shape.cols()) {
    Json row = Json::array();
    for (const double v : value.subspan(begin, shape.cols())) {
      row.push_back(json_of_number(v, single));
    }
    rows.push_back(std::move(row));
  }
  if (!shape.is_vector()) return rows;
  Json flat = Json::array();
  for (const Json& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return flat;
}

using Line = std::vector<std::string>;  // id, value, target; of a cross-validation also the fold

// A cross-validation has no output of a sample for tests.
bool has_output(const Execution& execution, std::size_t i) {
  return execution.folds.empty() || execution.folds[i] > 0;
}

Line line_of(const NeuronGraph& graph, const Execution& execution, std::size_t i) {
  const Executable::Output& output = execution.outputs[i];
  Line line{text_of_sample_id(graph, i),
            text_of_value(output.shape, output.value, execution.dtype == DType::F32),
            text_of_target(graph, i)};
  if (!execution.folds.empty()) line.push_back(std::to_string(execution.folds[i]));
  return line;
}

Json json_of_sample(const NeuronGraph& graph, const Execution& execution, std::size_t i) {
  const Sample& sample = graph.samples[i];
  const Executable::Output& output = execution.outputs[i];
  Json object{{"sample", sample_id(graph, i)},
              {"value", json_of_value(output.shape, output.value, execution.dtype == DType::F32)},
              {"target", nullptr}};
  if (sample.has_target) {
    object["target"] = json_of_value(sample.target_shape, target_of(graph, sample), false);
  }
  if (!output.shape.is_scalar()) object["shape"] = {output.shape.rows(), output.shape.cols()};
  if (!execution.folds.empty()) object["fold"] = execution.folds[i];
  return object;
}

void write_aligned(DataSink& sink, const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size() - 1);
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  }
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      sink.write(fmt::format("{:<{}}  ", line[c], widths[c]));
    }
    sink.write(line.back() + '\n');
  }
}

}  // namespace

std::string text_of_sample_id(const NeuronGraph& graph, std::size_t sample) {
  return escape_terminal(sample_id(graph, sample), std::numeric_limits<std::uint32_t>::max());
}

std::string text_of_target(const NeuronGraph& graph, std::size_t sample) {
  const Sample& of = graph.samples[sample];
  if (!of.has_target) return "-";
  return text_of_value(of.target_shape, target_of(graph, of), /*single=*/false);
}

void write_outputs(DataSink& sink, const NeuronGraph& graph, const Execution& execution,
                   bool aligned) {
  std::vector<Line> lines{{"sample", "value", "target"}};
  if (!execution.folds.empty()) lines.front().emplace_back("fold");
  for (std::size_t i = 0; i < graph.samples.size(); ++i) {
    if (!has_output(execution, i)) continue;
    Line line = line_of(graph, execution, i);
    if (aligned) {
      lines.push_back(std::move(line));
    } else {
      sink.write(fmt::format("{}\n", fmt::join(line, "\t")));
    }
  }
  if (aligned) write_aligned(sink, lines);
}

void write_outputs_json(DataSink& sink, const NeuronGraph& graph, const Execution& execution,
                        const Json& rest) {
  sink.write("{\n\"outputs\": [\n");
  bool is_first = true;
  for (std::size_t i = 0; i < graph.samples.size(); ++i) {
    if (!has_output(execution, i)) continue;
    if (!is_first) sink.write(",\n");
    is_first = false;
    sink.write(dump_json(json_of_sample(graph, execution, i), -1));
  }
  sink.write("\n]");
  for (const auto& [key, value] : rest.items()) {
    sink.write(",\n\"" + key + "\": " + dump_json(value, -1));
  }
  sink.write("\n}\n");
}

std::uint64_t count_not_finite(const Execution& execution) {
  return static_cast<std::uint64_t>(
      std::count_if(execution.outputs.begin(), execution.outputs.end(), [](const auto& output) {
        return !std::all_of(output.value.begin(), output.value.end(),
                            [](double v) { return std::isfinite(v); });
      }));
}

}  // namespace vecc::tools
