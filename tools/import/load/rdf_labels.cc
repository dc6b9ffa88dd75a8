#include "tools/import/load/rdf_labels.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "tools/import/load/line_reader.h"
#include "tools/import/load/text_checks.h"

namespace vecc::tools {
namespace {

struct TsvRow {
  std::uint64_t line = 0;
  std::vector<std::string_view> fields;
};

TsvRow read_row(const LineReader& lines) {
  TsvRow row{lines.number(), {}};
  FieldReader fields(lines.line(), '\t');
  while (fields.next()) row.fields.push_back(trim(fields.field()));
  return row;
}

class LabelReader {
 public:
  LabelReader(const NameTable& nodes, TypedGraph& graph, LoadErrors& errors)
      : nodes_(nodes), graph_(graph), errors_(errors) {}

  void read(const Text& text, Split split);
  // Classes were numbered as they came.
  void sort_classes();

 private:
  std::optional<std::size_t> find_class_column(const Text& text, const TsvRow& header);
  std::optional<std::size_t> find_instance_column(const std::vector<TsvRow>& rows,
                                                  std::size_t class_column) const;
  void add(const Text& text, const TsvRow& row, std::string_view instance, std::string_view label,
           Split split);

  const NameTable& nodes_;
  TypedGraph& graph_;
  LoadErrors& errors_;
  NameTable classes_;
  boost::unordered_flat_map<std::uint32_t, std::string> place_of_label_;  // by node
};

std::optional<std::size_t> LabelReader::find_class_column(const Text& text, const TsvRow& header) {
  std::optional<std::size_t> column;
  std::size_t count = 0;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    if (!header.fields[i].starts_with("label")) continue;
    column = i;
    ++count;
  }
  if (count == 1) return column;
  errors_.add(ErrorCode::BadTable, {text.name, header.line}, [&] {
    return "the header has " + (count == 0 ? "no column" : count_of(count, "column")) +
           " whose name begins with label, expected one";
  });
  return std::nullopt;
}

// The first one that names nodes of the graph.
std::optional<std::size_t> LabelReader::find_instance_column(const std::vector<TsvRow>& rows,
                                                             std::size_t class_column) const {
  const std::size_t width = rows.front().fields.size();
  for (std::size_t column = 0; column < width; ++column) {
    if (column == class_column) continue;
    const auto names_a_node = [&](const TsvRow& row) {
      return nodes_.find(row.fields[column]).has_value();
    };
    if (std::ranges::any_of(rows, names_a_node)) return column;
  }
  return std::nullopt;
}

void LabelReader::add(const Text& text, const TsvRow& row, std::string_view instance,
                      std::string_view label, Split split) {
  const Place place{text.name, row.line};
  const std::optional<std::uint32_t> node = nodes_.find(instance);
  if (!node) {
    errors_.add(ErrorCode::DanglingReference, place,
                [&] { return "found " + quote(instance) + ", which no triple names"; });
    return;
  }
  if (label.empty()) {
    errors_.add(ErrorCode::BadTable, place, [&] { return quote(instance) + " has no class"; });
    return;
  }
  const auto [entry, is_new] = place_of_label_.try_emplace(*node, place.text());
  if (!is_new) {
    errors_.add(ErrorCode::DuplicateId, place, [&, &first = entry->second] {
      return quote(instance) + " has a class in " + first + ", expected one class";
    });
    return;
  }
  graph_.labels.push_back({*node, classes_.add(label), split});
}

void LabelReader::read(const Text& text, Split split) {
  if (!check_names_text(text, "a header and an instance a line", errors_)) return;
  LineReader lines(text.bytes);
  if (!lines.next()) return;
  const TsvRow header = read_row(lines);
  const std::optional<std::size_t> class_column = find_class_column(text, header);
  if (!class_column) return;
  std::vector<TsvRow> rows;
  while (lines.next()) {
    TsvRow row = read_row(lines);
    if (row.fields.size() == header.fields.size()) {
      rows.push_back(std::move(row));
      continue;
    }
    errors_.add(ErrorCode::BadTable, {text.name, row.line}, [&] {
      return count_of(row.fields.size(), "column") + ", but the header has " +
             std::to_string(header.fields.size());
    });
  }
  if (rows.empty()) {
    errors_.add(ErrorCode::FileEmpty, {text.name},
                [] { return std::string("has no rows below its header"); });
    return;
  }
  const std::optional<std::size_t> instances = find_instance_column(rows, *class_column);
  if (!instances) {
    errors_.add(ErrorCode::DanglingReference, {text.name}, [] {
      return std::string("no column has names of the graph's nodes, expected one of instances");
    });
    return;
  }
  for (const TsvRow& row : rows) {
    add(text, row, row.fields[*instances], row.fields[*class_column], split);
  }
}

void LabelReader::sort_classes() {
  const StringColumn& names = classes_.names();
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return names[i]; });
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
    graph_.label_names.push_back(names[order[i]]);
  }
  for (NodeLabel& label : graph_.labels) label.label = rank[label.label];
}

}  // namespace

void read_rdf_labels(const RdfTexts& texts, const NameTable& nodes, TypedGraph& graph,
                     LoadErrors& errors) {
  LabelReader reader(nodes, graph, errors);
  if (texts.train_labels) reader.read(*texts.train_labels, Split::Train);
  if (texts.test_labels) reader.read(*texts.test_labels, Split::Test);
  reader.sort_classes();
}

}  // namespace vecc::tools
