#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "src/support/quantity_text.h"
#include "src/support/value_text.h"
#include "tools/common/statistics.h"
#include "vecc/escape.h"
#include "weights_commands.h"

namespace vecc::tools {
namespace {

struct TensorDifference {
  std::string_view name;
  std::string words;  ///< empty: none
  bool compared = false;
  double absolute = 0;
  double relative = 0;
};

bool is_same_number(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Infinite where only one is a finite number.
double relative_difference(double a, double b) {
  const double difference = std::abs(a - b) / std::max(std::abs(a), std::abs(b));
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

/// Of the numbers of two tensors of one shape.
void compare_values(const WeightTensor& a, const WeightTensor& b, TensorDifference& result) {
  result.compared = true;
  if (a.type == b.type && a.data == b.data) return;
  const std::vector<double> left = values_of(a);
  const std::vector<double> right = values_of(b);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (is_same_number(left[i], right[i])) continue;
    ++count;
    const double absolute = std::abs(left[i] - right[i]);
    result.absolute = std::max(
        result.absolute, std::isnan(absolute) ? std::numeric_limits<double>::infinity() : absolute);
    result.relative = std::max(result.relative, relative_difference(left[i], right[i]));
  }
  // Integers beyond 2^53 may be one number as doubles.
  const bool only_bits = count == 0 && !is_float(a.type) && a.type == b.type;
  if (only_bits) result.words = "integers beyond 2^53";
  if (count > 0) {
    result.words = text_of_count(count) + " of " + text_of_count(left.size(), "value");
  }
}

std::vector<TensorDifference> compare_files(const WeightFile& a, const WeightFile& b) {
  std::unordered_map<std::string_view, const WeightTensor*> in_b;
  for (const WeightTensor& tensor : b.tensors) in_b.emplace(tensor.name, &tensor);
  std::vector<TensorDifference> result;
  for (const WeightTensor& tensor : a.tensors) {
    TensorDifference& difference = result.emplace_back();
    difference.name = tensor.name;
    const auto found = in_b.find(tensor.name);
    if (found == in_b.end()) {
      difference.words = "only in the first file";
      continue;
    }
    const WeightTensor& other = *found->second;
    if (tensor.shape == other.shape) {
      compare_values(tensor, other, difference);
    } else {
      difference.words =
          "shape " + text_of_shape(tensor.shape) + " and " + text_of_shape(other.shape);
    }
    in_b.erase(found);
  }
  for (const WeightTensor& tensor : b.tensors) {
    if (!in_b.contains(tensor.name)) continue;
    result.push_back({tensor.name, "only in the second file"});
  }
  return result;
}

std::string text_of_difference(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value)
                              : text_of_number(value, /*single=*/false);
}

Result<void> print_differences(const std::vector<TensorDifference>& differences) {
  std::vector<std::vector<std::string>> lines{{"name", "absolute", "relative", "different"}};
  for (const TensorDifference& d : differences) {
    lines.push_back({escape_terminal(d.name, std::numeric_limits<std::uint32_t>::max()),
                     d.compared ? text_of_difference(d.absolute) : "-",
                     d.compared ? text_of_difference(d.relative) : "-",
                     d.words.empty() ? "-" : d.words});
  }
  return print_table(lines);
}

nlohmann::ordered_json json_of_difference(double value) {
  if (std::isfinite(value)) return value;
  return text_of_number(value, /*single=*/false);
}

Result<void> write_differences(const std::vector<TensorDifference>& differences, bool equal) {
  nlohmann::ordered_json object{{"equal", equal}, {"tensors", nlohmann::ordered_json::array()}};
  for (const TensorDifference& d : differences) {
    nlohmann::ordered_json line{
        {"name", d.name}, {"absolute", nullptr}, {"relative", nullptr}, {"different", nullptr}};
    if (d.compared) {
      line["absolute"] = json_of_difference(d.absolute);
      line["relative"] = json_of_difference(d.relative);
    }
    if (!d.words.empty()) line["different"] = d.words;
    object["tensors"].push_back(std::move(line));
  }
  return write_data("", dump_json(object) + "\n");
}

}  // namespace

Result<bool> diff_weights(const WeightFile& a, const WeightFile& b, bool json) {
  const std::vector<TensorDifference> differences = compare_files(a, b);
  const bool equal = std::all_of(differences.begin(), differences.end(),
                                 [](const TensorDifference& d) { return d.words.empty(); });
  VECC_TRY_VOID(json ? write_differences(differences, equal) : print_differences(differences));
  return equal;
}

}  // namespace vecc::tools
