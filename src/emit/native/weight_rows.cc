#include "src/emit/native/weight_rows.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "src/emit/native/runtime/digest.h"
#include "vecc/escape.h"

namespace vecc::emit {
namespace {

constexpr std::string_view kRowsOf = "rows of ";  // in a weight file's metadata

}  // namespace

void WeightRows::add(const WeightFile& file, bool is_fact, const std::vector<std::string>& fixed) {
  for (const WeightTensor& tensor : file.tensors) {
    const std::string number = std::to_string(rows.size());
    const auto& shape = tensor.shape;
    VECC_CHECK(shape.size() == 1 || shape.size() == 3, "a weight table of another form");
    emitted::WeightRow row{is_fact, shape[0], 0, 0, 0, 0};
    if (shape.size() == 3) {
      row.rows = shape[1];
      row.cols = shape[2];
    }
    if (std::ranges::find(fixed, tensor.name) != fixed.end()) {
      const std::vector<double> values = values_of(tensor);
      emitted::Digest digest;
      digest.add(values.data(), values.size() * sizeof values[0]);
      row.is_fixed = 1;
      row.digest = digest.value();
    }
    rows.push_back(row);
    names_.push_back(tensor.name);
    metadata.emplace_back("weight " + number, tensor.name);
    const std::string key = std::string(kRowsOf) + tensor.name;
    for (const auto& [name, value] : file.metadata) {
      if (name == key) metadata.emplace_back("rows " + number, value);
    }
  }
}

std::vector<std::uint64_t> WeightRows::of_parameters(const Program& program) const {
  std::unordered_map<std::string_view, std::uint64_t> numbers;
  for (std::uint64_t w = 0; w < names_.size(); ++w) numbers.emplace(names_[w], w);
  std::vector<std::uint64_t> result;
  for (const Parameter& parameter : program.parameters()) {
    const auto found = numbers.find(parameter.name);
    VECC_CHECK(found != numbers.end(),
               "no weight table for parameter \"" + escape_terminal(parameter.name) + "\"");
    const emitted::WeightRow& row = rows[found->second];
    const Shape shape = row.rows == 0 ? Shape::scalar()
                                      : Shape(static_cast<std::uint32_t>(row.rows),
                                              static_cast<std::uint32_t>(row.cols));
    VECC_CHECK(
        row.count == parameter.rows && shape == parameter.shape,
        "another shape than the weight table's: \"" + escape_terminal(parameter.name) + "\"");
    result.push_back(found->second);
  }
  return result;
}

}  // namespace vecc::emit
