#include <algorithm>
#include <cstring>
#include <utility>

#include "src/bind/group_match.h"
#include "src/weights/table_rows.h"

namespace vecc::binding {
namespace {

constexpr std::size_t kMostMaps = 16;

bool are_equal(const StringColumn& a, const StringColumn& b) {
  return a.bytes == b.bytes && a.begin == b.begin;
}

// Whether the tables of two graphs are at the same places of a template's.
bool are_alike(const WeightTable& a, const WeightTable& b) {
  if (a.name != b.name || a.shape != b.shape || a.count != b.count || a.learnable != b.learnable) {
    return false;
  }
  return are_equal(a.row_names, b.row_names) && (a.learnable || a.values == b.values);
}

bool are_alike(const Vocabulary& a, const Vocabulary& b) {
  return a.name == b.name && are_equal(a.names, b.names) && a.uses == b.uses;
}

bool are_same(std::span<const WeightTable> a, std::span<const WeightTable> b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return are_alike(x, y); });
}

bool are_same(std::span<const Vocabulary> a, std::span<const Vocabulary> b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return are_alike(x, y); });
}

Errors differs(const WeightTable& table, const std::string& message) {
  return Errors(ErrorCode::WeightsDiffer, weights::describe_weights(table), message);
}

Result<void> check_table(const WeightTable& table, const WeightTable& expected) {
  if (table.shape != expected.shape || table.count != expected.count) {
    return differs(table, "has " + std::to_string(table.count) + " of shape " + table.shape.text() +
                              ", expected " + std::to_string(expected.count) + " of shape " +
                              expected.shape.text() + " as in the template");
  }
  if (table.learnable != expected.learnable) {
    return differs(table, table.learnable ? "is learnable, but fixed in the template"
                                          : "is fixed, but learnable in the template");
  }
  if (!table.learnable && table.has_values && table.values != expected.values) {
    return differs(table, "is fixed at other values than in the template");
  }
  return {};
}

}  // namespace

WeightRows::WeightRows(const TemplateData& data, DType dtype) : data_(data), dtype_(dtype) {
  std::vector<std::byte> block;
  for (const WeightTable& table : data.weights.weight_tables) {
    tables_.emplace(table.name, static_cast<std::uint32_t>(first_.size()));
    first_.push_back(append(block, table.values, table.shape));
  }
  own_ = std::make_shared<const std::vector<std::byte>>(std::move(block));
  block_ = own_;
}

std::uint32_t WeightRows::append(std::vector<std::byte>& block, const SharedNumbers& values,
                                 Shape shape) const {
  const std::uint64_t bytes = byte_size(dtype_);
  const std::uint64_t row = shape.size() * bytes;
  const std::uint64_t first = (block.size() + row - 1) / row;
  block.resize(first * row + values.size() * bytes);
  std::byte* to = block.data() + first * row;
  if (dtype_ == DType::F64) {
    values.copy_to(0, std::span(reinterpret_cast<double*>(to), values.size()));
  } else {
    values.copy_to(0, std::span(reinterpret_cast<float*>(to), values.size()));
  }
  return static_cast<std::uint32_t>(first);
}

Result<void> WeightRows::match(const NeuronGraph& graph) {
  for (std::size_t m = maps_.size(); m-- > 0;) {
    map_ = m;
    if (are_same(maps_[m].tables, graph.weight_tables) &&
        are_same(maps_[m].vocabularies, graph.vocabularies)) {
      return {};
    }
  }
  VECC_TRY(Map map, make_map(graph));
  map.tables = graph.weight_tables;
  for (WeightTable& table : map.tables) {
    if (table.learnable) table.values = {};
  }
  map.vocabularies = graph.vocabularies;
  map_ = maps_.size();
  maps_.push_back(std::move(map));
  return {};
}

Result<WeightRows::Map> WeightRows::make_map(const NeuronGraph& graph) {
  Map map;
  for (const WeightTable& table : graph.weight_tables) {
    const auto found = tables_.find(table.name);
    if (found == tables_.end()) return differs(table, "is no weight table of the template");
    map.first.push_back(first_[found->second]);
  }
  if (vocabulary_metadata(graph) != vocabulary_metadata(data_.weights)) {
    VECC_TRY_VOID(add_copies(graph, map));
    return map;
  }
  for (const WeightTable& table : graph.weight_tables) {
    VECC_TRY_VOID(
        check_table(table, data_.weights.weight_tables[tables_.find(table.name)->second]));
  }
  return map;
}

Result<void> WeightRows::add_copies(const NeuronGraph& graph, Map& map) {
  NeuronGraph tables;
  tables.weight_tables = graph.weight_tables;
  tables.vocabularies = graph.vocabularies;
  tables.groups = graph.groups;
  for (WeightTable& table : tables.weight_tables) {
    const WeightTable& expected = data_.weights.weight_tables[tables_.find(table.name)->second];
    if (table.learnable != expected.learnable) return check_table(table, expected);
  }
  VECC_TRY(WeightFile file, weights_of(data_.weights));
  VECC_TRY([[maybe_unused]] const LoadReport report,
           load_weights(tables, std::move(file), LoadMode::ByName));
  std::vector<std::byte> block = *block_;
  for (std::size_t t = 0; t < map.first.size(); ++t) {
    const WeightTable& table = tables.weight_tables[t];
    map.first[t] = append(block, table.values, table.shape);
  }
  block_ = std::make_shared<const std::vector<std::byte>>(std::move(block));
  return {};
}

void WeightRows::trim() {
  if (maps_.size() < kMostMaps) return;
  maps_.clear();
  map_ = 0;
  block_ = own_;
}

}  // namespace vecc::binding
