#include "peers_compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "vecc/escape.h"

namespace vecc::tools {
namespace {

// Where numbers have no difference: infinity, which JSON does not have.
constexpr double kApart = std::numeric_limits<double>::max();

void append_numbers(const nlohmann::json& value, std::vector<double>& numbers) {
  if (value.is_array()) {
    for (const auto& entry : value) append_numbers(entry, numbers);
  } else {
    numbers.push_back(value.is_string() ? std::stod(value.get<std::string>())
                                        : value.get<double>());
  }
}

// |a - b| / scale; kApart where only one is NaN, or an infinity.
double difference_of(double found, double expected, double scale) {
  if (found == expected || (std::isnan(found) && std::isnan(expected))) return 0;
  const double difference = std::abs(found - expected) / scale;
  return std::isfinite(difference) ? difference : kApart;
}

// "1.5 -2 nan"
std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  const char* at = text.c_str();
  for (char* end = nullptr;; at = end) {
    const double number = std::strtod(at, &end);
    if (end == at) return numbers;
    numbers.push_back(number);
  }
}

// A row of a table.
double row_difference(const std::vector<double>* found, std::size_t row,
                      const std::vector<double>& expected) {
  double scale = 1;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  const std::size_t begin = row * expected.size();
  if (found != nullptr && found->size() < begin + expected.size()) return kApart;
  double worst = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double value = found == nullptr ? 0 : (*found)[begin + k];
    worst = std::max(worst, difference_of(value, expected[k], scale));
  }
  return worst;
}

}  // namespace

Result<double> output_difference(const std::vector<Executable::Output>& outputs,
                                 const std::string& path) {
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("outputs") || json["outputs"].size() != outputs.size()) {
    return Errors(ErrorCode::FileUnreadable, path, "not the outputs of this graph");
  }
  double worst = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::vector<double> expected;
    append_numbers(json["outputs"][i].at("value"), expected);
    const auto& found = outputs[i].value;
    if (found.size() != expected.size()) return kApart;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double scale = std::max(1.0, std::abs(expected[k]));
      worst = std::max(worst, difference_of(found[k], expected[k], scale));
    }
  }
  return worst;
}

Result<double> gradient_difference(const TableGradients& found, const std::string& path) {
  TableGradients printed;  // by the name that the file has
  for (const auto& [name, rows] : found) {
    printed[escape_terminal(name, std::numeric_limits<std::uint32_t>::max())] = rows;
  }
  std::ifstream file(path);
  double worst = 0;
  std::string table;
  std::string row;
  std::string values;
  bool has_rows = false;
  while (std::getline(file, table, '\t') && std::getline(file, row, '\t') &&
         std::getline(file, values)) {
    const auto of_table = printed.find(table);
    const auto* rows = of_table == printed.end() ? nullptr : &of_table->second;
    const std::size_t number = std::strtoull(row.c_str(), nullptr, 10);
    worst = std::max(worst, row_difference(rows, number, numbers_of(values)));
    has_rows = true;
  }
  if (!has_rows) return Errors(ErrorCode::FileUnreadable, path, "not the gradients of a graph");
  return worst;
}

}  // namespace vecc::tools
