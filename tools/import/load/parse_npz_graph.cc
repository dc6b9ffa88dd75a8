// NumPy's arrays as one graph.
#include <algorithm>
#include <cmath>
#include <set>

#include "tools/import/load/load_errors.h"
#include "tools/import/load/parse.h"
#include "tools/import/load/text_checks.h"
#include "tools/import/load/value_index.h"

namespace vecc::tools {
namespace {

constexpr double kMaxWhole = 9007199254740992.0;  // 2^53
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 33;

/// An array as rows of numbers: [n] is [n, 1].
struct NumberTable {
  std::uint64_t rows = 0;
  std::uint64_t columns = 1;
  std::vector<double> values;
};

class ArrayGraph {
 public:
  ArrayGraph(const WeightFile& file, const std::string& name, const std::string& place)
      : file_(file), place_(place) {
    set_.name = name;
    set_.has_node_samples = true;
  }

  Result<GraphSet> read();

 private:
  const WeightTensor* take(std::string_view name);
  [[nodiscard]] Errors bad(ErrorCode code, std::string_view array,
                           const std::string& message) const {
    return {code, place_ + ": array \"" + escape_terminal(array) + "\"", message};
  }
  Result<NumberTable> numbers(const WeightTensor& array) const;
  /// One number a row.
  Result<std::vector<std::int64_t>> whole(const WeightTensor& array) const;
  Result<std::vector<std::int64_t>> needed_whole(std::string_view name);
  Result<void> add_edges(const std::vector<std::int64_t>& source,
                         const std::vector<std::int64_t>& target, std::string_view name);
  Result<void> read_edges();
  Result<void> read_pairs(const WeightTensor& array);
  Result<void> read_compressed_edges();
  Result<NumberTable> read_compressed(const std::string& prefix, std::vector<std::int64_t>& begin,
                                      std::vector<std::int64_t>& columns);
  Result<void> read_features();
  Result<void> read_edge_features();
  Result<void> read_labels();
  Result<void> read_split(Split split, const char* mask, const char* rows);
  Result<void> refuse_others() const;

  const WeightFile& file_;
  const std::string& place_;
  GraphSet set_;
  std::set<std::string_view> taken_;
  std::optional<std::uint64_t> nodes_;  // stated by num_nodes, a matrix or x
  std::uint64_t nodes_of_edges_ = 0;
};

const WeightTensor* ArrayGraph::take(std::string_view name) {
  const auto found = std::ranges::find(file_.tensors, name, &WeightTensor::name);
  if (found == file_.tensors.end()) return nullptr;
  taken_.insert(found->name);
  return &*found;
}

Result<NumberTable> ArrayGraph::numbers(const WeightTensor& array) const {
  if (array.shape.empty() || array.shape.size() > 2 || array.shape.back() == 0) {
    return bad(ErrorCode::BadTable, array.name,
               "has shape " + text_of_shape(array.shape) + ", expected [n] or [n, k]");
  }
  NumberTable table{array.shape[0], array.shape.size() == 2 ? array.shape[1] : 1, values_of(array)};
  if (table.columns > kMaxRows) return bad(ErrorCode::LimitRows, array.name, "is too wide");
  const auto found =
      std::ranges::find_if_not(table.values, [](double v) { return std::isfinite(v); });
  if (found != table.values.end()) {
    const auto row = static_cast<std::uint64_t>(found - table.values.begin()) / table.columns;
    return bad(ErrorCode::NotFinite, array.name,
               "row " + std::to_string(row) + " has a number that is not finite");
  }
  return table;
}

Result<std::vector<std::int64_t>> ArrayGraph::whole(const WeightTensor& array) const {
  const bool is_column = array.shape.size() == 2 && array.shape[1] == 1;
  if ((array.shape.size() != 1 && !is_column) || is_float(array.type)) {
    return bad(ErrorCode::BadTable, array.name,
               "is " + std::string(text_of(array.type)) + " " + text_of_shape(array.shape) +
                   ", expected whole numbers, one a row");
  }
  const std::vector<double> values = values_of(array);
  const auto found = std::ranges::find_if(values, [](double v) { return std::abs(v) > kMaxWhole; });
  if (found != values.end()) return bad(ErrorCode::BadTable, array.name, "has numbers above 2^53");
  return std::vector<std::int64_t>(values.begin(), values.end());
}

Result<std::vector<std::int64_t>> ArrayGraph::needed_whole(std::string_view name) {
  const WeightTensor* const array = take(name);
  if (array == nullptr) return bad(ErrorCode::BadTable, name, "is not there");
  return whole(*array);
}

Result<void> ArrayGraph::add_edges(const std::vector<std::int64_t>& source,
                                   const std::vector<std::int64_t>& target, std::string_view name) {
  if (source.size() != target.size()) {
    return bad(ErrorCode::BadTable, name,
               "has " + std::to_string(target.size()) + " entries, but there are " +
                   std::to_string(source.size()) + " sources");
  }
  if (source.size() > kMaxRows) return bad(ErrorCode::LimitEdges, name, "more edges than 32 bits");
  for (const auto* ends : {&source, &target}) {
    std::vector<std::uint32_t>& column = ends == &source ? set_.source : set_.target;
    column.reserve(ends->size());
    for (const std::int64_t node : *ends) {
      if (node < 0 || node >= static_cast<std::int64_t>(kMaxRows)) {
        return bad(ErrorCode::DanglingReference, name,
                   "has node " + std::to_string(node) + ", expected numbers from 0");
      }
      column.push_back(static_cast<std::uint32_t>(node));
      nodes_of_edges_ = std::max(nodes_of_edges_, static_cast<std::uint64_t>(node) + 1);
    }
  }
  return {};
}

Result<void> ArrayGraph::read_pairs(const WeightTensor& array) {
  if (array.shape.size() != 2 || array.shape[0] != 2 || is_float(array.type)) {
    return bad(ErrorCode::BadTable, array.name,
               "is " + std::string(text_of(array.type)) + " " + text_of_shape(array.shape) +
                   ", expected whole numbers [2, edges]");
  }
  const std::vector<double> values = values_of(array);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(array.shape[1]);
  return add_edges({values.begin(), middle}, {middle, values.end()}, array.name);
}

/// Entries of a matrix in compressed rows: where each row begins, columns; their values are [n, 1].
Result<NumberTable> ArrayGraph::read_compressed(const std::string& prefix,
                                                std::vector<std::int64_t>& begin,
                                                std::vector<std::int64_t>& columns) {
  VECC_TRY(begin, needed_whole(prefix + "_indptr"));
  VECC_TRY(columns, needed_whole(prefix + "_indices"));
  VECC_TRY(const std::vector<std::int64_t> shape, needed_whole(prefix + "_shape"));
  const WeightTensor* const data = take(prefix + "_data");
  if (data == nullptr) return bad(ErrorCode::BadTable, prefix + "_data", "is not there");
  VECC_TRY(NumberTable values, numbers(*data));
  const auto count = static_cast<std::int64_t>(columns.size());
  const bool fits =
      shape.size() == 2 && shape[0] >= 0 && shape[1] >= 1 && !begin.empty() &&
      static_cast<std::int64_t>(begin.size()) - 1 == shape[0] && begin[0] == 0 &&
      std::ranges::is_sorted(begin) && begin.back() == count && values.columns == 1 &&
      values.rows == columns.size() &&
      std::ranges::all_of(columns, [&](std::int64_t c) { return c >= 0 && c < shape[1]; });
  if (!fits) {
    return bad(ErrorCode::BadTable, prefix + "_indptr",
               "does not fit " + prefix + "_indices, " + prefix + "_data and " + prefix + "_shape");
  }
  values.rows = static_cast<std::uint64_t>(shape[0]);
  values.columns = static_cast<std::uint64_t>(shape[1]);
  return values;
}

Result<void> ArrayGraph::read_compressed_edges() {
  std::vector<std::int64_t> begin, target, source;
  VECC_TRY(NumberTable values, read_compressed("adj", begin, target));
  if (values.rows != values.columns) {
    return bad(ErrorCode::BadTable, "adj_shape", "is no square matrix");
  }
  source.reserve(target.size());
  for (std::size_t row = 0; row + 1 < begin.size(); ++row) {
    source.insert(source.end(), static_cast<std::size_t>(begin[row + 1] - begin[row]),
                  static_cast<std::int64_t>(row));
  }
  nodes_ = values.rows;
  if (std::ranges::any_of(values.values, [](double weight) { return weight != 1; })) {
    set_.edge_attributes = std::move(values.values);
    set_.edge_attribute_count = 1;
  }
  return add_edges(source, target, "adj_indices");
}

Result<void> ArrayGraph::read_edges() {
  if (const WeightTensor* const pairs = take("edge_index")) return read_pairs(*pairs);
  if (const WeightTensor* const source = take("src")) {
    VECC_TRY(const std::vector<std::int64_t> sources, whole(*source));
    VECC_TRY(const std::vector<std::int64_t> targets, needed_whole("dst"));
    return add_edges(sources, targets, "dst");
  }
  if (take("adj_indptr") != nullptr) return read_compressed_edges();
  return Errors(ErrorCode::BadTable, place_,
                "has no edges: expected edge_index, src and dst, or adj_indptr");
}

Result<void> ArrayGraph::read_features() {
  NumberTable x;
  if (const WeightTensor* const array = take("x")) {
    VECC_TRY(x, numbers(*array));
  } else if (take("attr_indptr") != nullptr) {
    std::vector<std::int64_t> begin, columns;
    VECC_TRY(const NumberTable entries, read_compressed("attr", begin, columns));
    if (entries.columns > kMaxElements / std::max<std::uint64_t>(entries.rows, 1)) {
      return bad(ErrorCode::LimitRows, "attr_shape", "is too large");
    }
    x = {entries.rows, entries.columns, std::vector<double>(entries.rows * entries.columns)};
    for (std::size_t row = 0; row < entries.rows; ++row) {
      for (std::int64_t i = begin[row]; i < begin[row + 1]; ++i) {
        const auto at = static_cast<std::size_t>(i);
        x.values[row * x.columns + static_cast<std::size_t>(columns[at])] = entries.values[at];
      }
    }
  } else {
    return {};
  }
  if (nodes_ && *nodes_ != x.rows) {
    return bad(ErrorCode::BadTable, "x",
               "has " + std::to_string(x.rows) + " rows, but there are " + std::to_string(*nodes_) +
                   " nodes");
  }
  nodes_ = x.rows;
  set_.attribute_count = static_cast<std::uint32_t>(x.columns);
  set_.node_attributes = std::move(x.values);
  return {};
}

Result<void> ArrayGraph::read_edge_features() {
  const std::uint64_t edges = set_.edge_count();
  const auto check = [&](const WeightTensor& array, std::uint64_t rows) -> Result<void> {
    if (rows == edges) return {};
    return bad(ErrorCode::BadTable, array.name,
               "has " + std::to_string(rows) + " rows, but there are " + count_of(edges, "edge"));
  };
  for (const char* name : {"edge_attr", "edge_weight"}) {
    const WeightTensor* const array = take(name);
    if (array == nullptr) continue;
    VECC_TRY(NumberTable table, numbers(*array));
    VECC_TRY_VOID(check(*array, table.rows));
    if (set_.edge_attribute_count > 0) {
      return bad(ErrorCode::BadTable, name, "is there beside other numbers of the edges");
    }
    set_.edge_attributes = std::move(table.values);
    set_.edge_attribute_count = static_cast<std::uint32_t>(table.columns);
  }
  if (const WeightTensor* const array = take("edge_type")) {
    VECC_TRY(const std::vector<std::int64_t> labels, whole(*array));
    VECC_TRY_VOID(check(*array, labels.size()));
    set_.edge_labels = index_values(labels, set_.edge_label_values);
  }
  return {};
}

Result<void> ArrayGraph::read_split(Split split, const char* mask, const char* rows) {
  const WeightTensor* array = take(mask);
  if (array == nullptr) array = take(rows);
  if (array == nullptr) return {};
  VECC_TRY(const std::vector<std::int64_t> values, whole(*array));
  set_.node_splits.resize(set_.node_count(), Split::Unspecified);
  const bool is_mask = array->type == ElementType::Bool;
  if (is_mask && values.size() != set_.node_count()) {
    return bad(ErrorCode::BadTable, array->name,
               "has " + std::to_string(values.size()) + " rows, but there are " +
                   count_of(set_.node_count(), "node"));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_mask && values[i] == 0) continue;
    const std::int64_t node = is_mask ? static_cast<std::int64_t>(i) : values[i];
    if (node < 0 || node >= static_cast<std::int64_t>(set_.node_count())) {
      return bad(ErrorCode::DanglingReference, array->name,
                 "has node " + std::to_string(node) + ", but there are " +
                     count_of(set_.node_count(), "node"));
    }
    Split& own = set_.node_splits[static_cast<std::size_t>(node)];
    if (own != Split::Unspecified && own != split) {
      return bad(ErrorCode::BadTable, array->name,
                 "node " + std::to_string(node) + " is in another split already");
    }
    own = split;
  }
  return {};
}

Result<void> ArrayGraph::read_labels() {
  const WeightTensor* labels = nullptr;
  for (const char* name : {"y", "labels", "label"}) {
    if (labels == nullptr) labels = take(name);
  }
  if (labels == nullptr) return {};
  VECC_TRY(const std::vector<std::int64_t> classes, whole(*labels));
  if (classes.size() != set_.node_count()) {
    return bad(ErrorCode::BadTable, labels->name,
               "has " + std::to_string(classes.size()) + " rows, but there are " +
                   count_of(set_.node_count(), "node"));
  }
  index_classes(classes, set_);
  VECC_TRY_VOID(read_split(Split::Train, "train_mask", "idx_train"));
  VECC_TRY_VOID(read_split(Split::Validation, "val_mask", "idx_val"));
  return read_split(Split::Test, "test_mask", "idx_test");
}

Result<void> ArrayGraph::refuse_others() const {
  for (const WeightTensor& array : file_.tensors) {
    if (taken_.contains(array.name)) continue;
    return bad(ErrorCode::BadTable, array.name,
               "has no use here: expected edge_index, x, y, train_mask, edge_attr, edge_type, ... "
               "(docs/import.md)");
  }
  return {};
}

Result<GraphSet> ArrayGraph::read() {
  if (const WeightTensor* const count = take("num_nodes")) {
    const std::vector<double> values = values_of(*count);
    if (values.size() != 1 || is_float(count->type) || values[0] < 0 || values[0] > kMaxWhole) {
      return bad(ErrorCode::BadTable, "num_nodes", "is no whole number");
    }
    nodes_ = static_cast<std::uint64_t>(values[0]);
  }
  VECC_TRY_VOID(read_edges());
  VECC_TRY_VOID(read_features());
  VECC_TRY_VOID(read_edge_features());
  const std::uint64_t nodes = nodes_.value_or(nodes_of_edges_);
  if (nodes_of_edges_ > nodes) {
    return Errors(ErrorCode::DanglingReference, place_,
                  "an edge has node " + std::to_string(nodes_of_edges_ - 1) + ", but there are " +
                      count_of(nodes, "node"));
  }
  if (!nodes_ && nodes > most_unstated_nodes(set_.edge_count())) {
    return Errors(ErrorCode::LimitRows, place_,
                  "an edge has node " + std::to_string(nodes - 1) + ", expected numbers below " +
                      std::to_string(most_unstated_nodes(set_.edge_count())) + " of " +
                      count_of(set_.edge_count(), "edge") +
                      ": every number up to the largest is a node; number them without gaps, or "
                      "add num_nodes");
  }
  if (nodes > kMaxRows) return Errors(ErrorCode::LimitNeurons, place_, "more nodes than 32 bits");
  set_.node_begin = {0, static_cast<std::uint32_t>(nodes)};
  VECC_TRY_VOID(read_labels());
  VECC_TRY_VOID(refuse_others());
  return std::move(set_);
}

}  // namespace

Result<GraphSet> graph_of_arrays(const WeightFile& file, const std::string& name,
                                 const std::string& place) {
  return ArrayGraph(file, name, place).read();
}

}  // namespace vecc::tools
