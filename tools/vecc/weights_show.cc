#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "src/support/value_text.h"
#include "tools/common/statistics.h"
#include "vecc/escape.h"
#include "weights_commands.h"

namespace vecc::tools {
namespace {

using ShowJson = nlohmann::ordered_json;

struct TensorStatistics {
  double min = 0;
  double max = 0;
  double mean = 0;
  double norm = 0;
};

/// None of an empty tensor; all NaN if one element is.
std::optional<TensorStatistics> statistics_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  if (std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    return TensorStatistics{kNaN, kNaN, kNaN, kNaN};
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  TensorStatistics result{*least, *most, 0, 0};
  // Of values between -1 and 1: no sum or square of a finite one overflows.
  const double largest = std::max(std::abs(*least), std::abs(*most));
  const double scale = std::isfinite(largest) && largest > 0 ? largest : 1;
  for (const double value : values) {
    const double scaled = value / scale;
    result.mean += scaled;
    result.norm += scaled * scaled;
  }
  result.mean = result.mean / static_cast<double>(values.size()) * scale;
  result.norm = std::sqrt(result.norm) * scale;
  return result;
}

ShowJson json_of_statistic(double value) {
  if (std::isfinite(value)) return value;
  return text_of_number(value, /*single=*/false);
}

ShowJson json_of_tensor(const WeightTensor& tensor) {
  ShowJson object{{"name", tensor.name},
                  {"dtype", text_of(tensor.type)},
                  {"shape", tensor.shape},
                  {"elements", tensor.element_count()}};
  const auto found = statistics_of(values_of(tensor));
  object["min"] = found ? json_of_statistic(found->min) : ShowJson();
  object["max"] = found ? json_of_statistic(found->max) : ShowJson();
  object["mean"] = found ? json_of_statistic(found->mean) : ShowJson();
  object["norm"] = found ? json_of_statistic(found->norm) : ShowJson();
  return object;
}

std::vector<std::string> line_of_tensor(const WeightTensor& tensor) {
  std::vector<std::string> line{
      escape_terminal(tensor.name, std::numeric_limits<std::uint32_t>::max()),
      std::string(text_of(tensor.type)), text_of_shape(tensor.shape)};
  const auto found = statistics_of(values_of(tensor));
  if (!found) {
    line.insert(line.end(), 4, "-");
    return line;
  }
  for (const double value : {found->min, found->max, found->mean, found->norm}) {
    line.push_back(std::isfinite(value) ? fmt::format("{:.6g}", value)
                                        : text_of_number(value, /*single=*/false));
  }
  return line;
}

}  // namespace

Result<void> show_weights(const WeightFile& file, bool json) {
  if (!json) {
    std::vector<std::vector<std::string>> lines{
        {"name", "dtype", "shape", "min", "max", "mean", "norm"}};
    for (const WeightTensor& tensor : file.tensors) lines.push_back(line_of_tensor(tensor));
    return print_table(lines);
  }
  ShowJson object{{"metadata", ShowJson::object()}, {"tensors", ShowJson::array()}};
  for (const auto& [key, value] : file.metadata) object["metadata"][key] = value;
  for (const WeightTensor& tensor : file.tensors) {
    object["tensors"].push_back(json_of_tensor(tensor));
  }
  return write_data("", dump_json(object) + "\n");
}

}  // namespace vecc::tools
