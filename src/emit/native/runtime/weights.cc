#include "src/emit/native/runtime/weights.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "src/emit/native/runtime/digest.h"
#include "src/emit/native/runtime/failure.h"
#include "src/emit/native/runtime/tables.h"

namespace vecc::emitted {
namespace {

constexpr std::size_t kMaxErrors = 20;

std::vector<std::uint64_t> tensor_shape(const WeightRow& row) {
  if (row.rows == 0) return {row.count};
  return {row.count, row.rows, row.cols};
}

/// Matches one file with its weights.
class WeightReader {
 public:
  WeightReader(const DataFile& data, const std::string& path, bool facts)
      : data_(data), rows_(data.rows<WeightRow>("weights")), facts_(facts), file_(path) {}

  void read(std::vector<std::vector<double>>& values) {
    const std::string_view ours = data_.metadata("vocabularies");
    const std::string_view theirs = file_.metadata("vocabularies");
    if (!facts_ && !ours.empty() && !theirs.empty() && ours != theirs) {
      failure_.add(file_.path(),
                   "labels, relations or classes have other numbers than in the program; vecc "
                   "--load-weights takes weights by name");
    }
    std::set<std::string_view> names;
    for (std::size_t w = 0; w < rows_.size(); ++w) {
      if ((rows_[w].is_fact == 1) != facts_) continue;
      const std::string_view name = data_.metadata("weight " + std::to_string(w));
      names.insert(name);
      place_ = file_.path() + ": " + (facts_ ? "facts " : "weight table ") + quote(name);
      read_weight(w, name, values[w]);
    }
    for (const Tensor& tensor : file_.tensors()) {
      if (names.contains(tensor.name)) continue;
      failure_.add(file_.path() + ": tensor " + quote(tensor.name),
                   std::string("is none of the program's ") + (facts_ ? "facts" : "weights"));
    }
    if (failure_.lines.size() > kMaxErrors) {
      const std::size_t more = failure_.lines.size() - kMaxErrors;
      failure_.lines.resize(kMaxErrors);
      failure_.lines.push_back(std::to_string(more) + " more errors");
    }
    if (!failure_.lines.empty()) throw std::move(failure_);
  }

 private:
  void differ(const std::string& message) { failure_.add(place_, message); }

  void read_weight(std::size_t w, std::string_view name, std::vector<double>& values) {
    const WeightRow& row = rows_[w];
    const Tensor* const tensor = file_.find(name);
    if (tensor == nullptr) {
      if (row.is_fixed == 0) differ("is not in the file");
      return;
    }
    if (tensor->shape != tensor_shape(row)) {
      return differ("has shape " + text_of_shape(tensor->shape) + " in the file, expected " +
                    text_of_shape(tensor_shape(row)));
    }
    const std::string_view names = data_.metadata("rows " + std::to_string(w));
    const std::string_view theirs = file_.metadata("rows of " + std::string(name));
    if (!names.empty() && !theirs.empty() && names != theirs) {
      return differ("has rows of other names, or in another order, than in the file");
    }
    if (!read_values(*tensor, values)) {
      return differ("is " + tensor->type + " in the file, expected F16, BF16, F32 or F64");
    }
    check_numbers(row, values);
  }

  void check_numbers(const WeightRow& row, const std::vector<double>& values) {
    const auto bad = std::find_if_not(values.begin(), values.end(),
                                      [](double value) { return std::isfinite(value); });
    if (bad != values.end()) {
      const auto size = values.size() / std::max<std::uint64_t>(row.count, 1);
      return differ("row " + std::to_string(static_cast<std::size_t>(bad - values.begin()) / size) +
                    " is not finite in the file");
    }
    if (row.is_fixed == 0) return;
    Digest digest;
    digest.add(values.data(), values.size() * sizeof(double));
    if (digest.value() != row.digest) {
      differ("is fixed, and has other values in the file: the program was computed with its own");
    }
  }

  const DataFile& data_;
  std::span<const WeightRow> rows_;
  bool facts_;
  TensorFile file_;
  std::string place_;
  Failure failure_;
};

}  // namespace

bool has_facts(const DataFile& data) {
  const auto rows = data.rows<WeightRow>("weights");
  return std::any_of(rows.begin(), rows.end(),
                     [](const WeightRow& row) { return row.is_fact == 1; });
}

std::vector<std::vector<double>> read_weights(const DataFile& data, const std::string& weights,
                                              const std::string& facts) {
  std::vector<std::vector<double>> values(data.rows<WeightRow>("weights").size());
  WeightReader(data, weights, /*facts=*/false).read(values);
  if (has_facts(data)) WeightReader(data, facts, /*facts=*/true).read(values);
  return values;
}

}  // namespace vecc::emitted
