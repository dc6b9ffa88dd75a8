// Predictions as text that other programs read.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "outputs.h"
#include "predictions.h"
#include "src/support/value_text.h"
#include "tools/common/statistics.h"
#include "vecc/escape.h"

namespace vecc::tools {

using Json = nlohmann::ordered_json;

namespace {

using Cells = std::vector<std::string>;

std::string quote_csv(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string line_of(const Cells& cells, TableFormat format) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string& cell = cells[i];
    if (i > 0) line += format == TableFormat::Csv ? "," : "\t";
    line += format == TableFormat::Csv ? quote_csv(cell) : escape_terminal(cell, std::string::npos);
  }
  return line + (format == TableFormat::Csv ? "\r\n" : "\n");
}

// How many values the widest sample has.
std::size_t width_of(const Predictions& predictions) {
  std::size_t width = 0;
  for (const auto& values : predictions.values) width = std::max(width, values.size());
  return width;
}

Cells header_of(const Predictions& predictions) {
  if (!predictions.classes.empty()) {
    Cells header{"sample", "class"};
    for (const std::string& name : predictions.classes) header.push_back("p(" + name + ")");
    return header;
  }
  const std::size_t width = width_of(predictions);
  if (width == 1) return {"sample", "value"};
  Cells header{"sample"};
  for (std::size_t i = 0; i < width; ++i) header.push_back("value[" + std::to_string(i) + "]");
  return header;
}

// Empty: there is none.
std::string predicted_name(const Predictions& predictions, std::size_t i) {
  const auto number = predictions.predicted[i];
  return number ? predictions.classes[*number] : "";
}

Cells cells_of(const Predictions& predictions, const NeuronGraph& graph, std::size_t i,
               std::size_t columns, bool single) {
  Cells cells{sample_id(graph, predictions.samples[i])};
  if (!predictions.classes.empty()) cells.push_back(predicted_name(predictions, i));
  for (const double value : predictions.values[i]) cells.push_back(text_of_number(value, single));
  cells.resize(columns);
  return cells;
}

Json json_of(const Predictions& predictions, const NeuronGraph& graph, std::size_t i, bool single) {
  Json object{{"sample", sample_id(graph, predictions.samples[i])}};
  Json values = Json::array();
  for (const double value : predictions.values[i]) values.push_back(json_of_number(value, single));
  if (predictions.classes.empty()) {
    object["value"] = values.size() == 1 ? values.front() : values;
    return object;
  }
  object["class"] = predictions.predicted[i] ? Json(predicted_name(predictions, i)) : Json();
  object["probabilities"] = std::move(values);
  return object;
}

}  // namespace

std::string text_of(const Predictions& predictions, const NeuronGraph& graph, TableFormat format,
                    bool single) {
  std::string text;
  if (format == TableFormat::JsonObject) {
    text = "{\n\"classes\": " + dump_json(Json(predictions.classes), -1) + ",\n\"predictions\": [";
    for (std::size_t i = 0; i < predictions.samples.size(); ++i) {
      text += (i > 0 ? ",\n" : "\n") + dump_json(json_of(predictions, graph, i, single), -1);
    }
    return text + "\n]\n}\n";
  }
  const Cells header = header_of(predictions);
  text = line_of(header, format);
  for (std::size_t i = 0; i < predictions.samples.size(); ++i) {
    text += line_of(cells_of(predictions, graph, i, header.size(), single), format);
  }
  return text;
}

}  // namespace vecc::tools
