#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <utility>

#include "src/graph_io/error_list.h"
#include "src/weights/safetensors_header.h"
#include "src/weights/table_rows.h"
#include "src/weights/vocabulary_match.h"

namespace vecc::weights {
namespace {

std::string text_of_value(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// A table's values out of a tensor, or errors that say why not.
class TableCheck {
 public:
  /// `rows`: the file's digest of the table's row names; empty: it has none. `places`: where the
  /// table's weights are in the file; null: at the same places.
  TableCheck(const WeightTable& table, std::string_view rows, const TablePlaces* places,
             graph_io::ErrorList& errors)
      : table_(table), rows_(rows), places_(places), errors_(errors) {}

  /// None after an error, and for a fixed table, which keeps its own. Takes the tensor's data.
  SharedNumbers values_from(WeightTensor& tensor) {
    if (!is_float(tensor.type)) {
      differ("is " + std::string(text_of(tensor.type)) +
             " in the file, expected F16, BF16, F32 or F64");
      return {};
    }
    if (const auto expected = shape_in_file(table_, places_); tensor.shape != expected) {
      differ("has shape " + text_of_shape(tensor.shape) + " in the file, expected " +
             text_of_shape(expected) + ": " + std::to_string(table_.count) + " of shape " +
             table_.shape.text());
      return {};
    }
    const bool knows_rows = places_ != nullptr && places_->names_entries;
    if (!knows_rows && !rows_.empty() && table_.row_names.size() > 0 &&
        digest_of_rows(table_.row_names) != rows_) {
      differ("has rows of other names, or in another order, than in the file");
      return {};
    }
    SharedNumbers values = numbers_of({"", tensor.type, {}, std::move(tensor.data)});
    if (places_ != nullptr && places_->differ())
      values = rearrange(values, tensor.shape, table_, *places_);
    if (!check_finite(values) || !check_fixed(values) || !table_.learnable) return {};
    return values;
  }

 private:
  bool check_finite(const SharedNumbers& values) {
    const std::size_t bad = values.visit([](auto all) {
      const auto found = std::ranges::find_if_not(all, [](auto v) { return std::isfinite(v); });
      return static_cast<std::size_t>(found - all.begin());
    });
    if (bad == values.size()) return true;
    errors_.add(ErrorCode::NotFinite, place_of(bad),
                "is " + text_of_value(values[bad]) + " in the file, expected a finite number");
    return false;
  }

  bool check_fixed(const SharedNumbers& values) {
    if (table_.learnable) return true;
    std::size_t i = 0;
    while (i < values.size() && table_.values[i] == values[i]) ++i;
    if (i == values.size()) return true;
    errors_.add(ErrorCode::WeightsDiffer, place_of(i),
                "is fixed at " + text_of_value(table_.values[i]) + " in the graph, and " +
                    text_of_value(values[i]) + " in the file, expected the same");
    return false;
  }

  [[nodiscard]] std::string place_of(std::size_t value) const {
    const std::uint64_t row = value / table_.shape.size();
    return describe_weights(table_) + ", row " + std::to_string(row);
  }

  void differ(std::string message) {
    errors_.add(ErrorCode::WeightsDiffer, describe_weights(table_), std::move(message));
  }

  const WeightTable& table_;
  std::string_view rows_;
  const TablePlaces* places_;
  graph_io::ErrorList& errors_;
};

/// What a file has under each name.
struct FileIndex {
  std::unordered_map<std::string_view, WeightTensor*> tensors;
  std::unordered_map<std::string_view, std::string_view> metadata;

  explicit FileIndex(WeightFile& file) : metadata(file.metadata.begin(), file.metadata.end()) {
    for (WeightTensor& tensor : file.tensors) tensors.emplace(tensor.name, &tensor);
  }
  [[nodiscard]] std::string_view text_of(std::string_view key) const {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string_view() : found->second;
  }
};

/// The new values by table; none where a table keeps its own. Takes the tensors that it finds out
/// of the index.
std::vector<SharedNumbers> match_tables(const NeuronGraph& graph, LoadMode mode, FileIndex& index,
                                        const VocabularyMatch& match, LoadReport& report,
                                        graph_io::ErrorList& errors) {
  std::vector<SharedNumbers> values(graph.weight_tables.size());
  for (std::uint32_t t = 0; t < graph.weight_tables.size(); ++t) {
    const WeightTable& table = graph.weight_tables[t];
    const auto found = index.tensors.find(table.name);
    if (found != index.tensors.end()) {
      const TablePlaces* const places = match.find(table.name);
      if (places == nullptr || !places->refused) {
        TableCheck check(table, index.text_of(rows_key(table)), places, errors);
        values[t] = check.values_from(*found->second);
      }
      found->second->data = {};  // half the memory for a large model
      index.tensors.erase(found);
      ++report.loaded;
    } else if (table.learnable) {
      report.not_in_file.push_back(t);
      if (mode == LoadMode::ByName) continue;
      errors.add(ErrorCode::WeightsDiffer, describe_weights(table), "is not in the file");
    }
  }
  return values;
}

}  // namespace

}  // namespace vecc::weights

namespace vecc {

Result<LoadReport> load_weights(NeuronGraph& graph, WeightFile file, LoadMode mode,
                                std::uint64_t max_errors) {
  weights::FileIndex index(file);
  LoadReport report;
  graph_io::ErrorList errors(max_errors);
  const weights::VocabularyMatch match(graph, index.text_of(weights::kVocabulariesKey), errors);
  report.mapped = match.mapped();
  auto values = weights::match_tables(graph, mode, index, match, report, errors);
  for (const WeightTensor& tensor : file.tensors) {
    if (!index.tensors.contains(tensor.name)) continue;
    report.unused.push_back(tensor.name);
    if (mode == LoadMode::ByName) continue;
    errors.add(ErrorCode::WeightsDiffer, weights::describe_tensor(tensor.name),
               "fits no weight table of the graph");
  }
  if (!errors.empty()) return errors.errors();
  for (std::size_t t = 0; t < values.size(); ++t) {
    WeightTable& table = graph.weight_tables[t];
    if (!values[t]) continue;
    table.values = std::move(values[t]);
    table.has_values = true;
  }
  return report;
}

}  // namespace vecc
