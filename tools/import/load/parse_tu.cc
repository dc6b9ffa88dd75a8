// The text format of the TUDataset collection.
#include <algorithm>
#include <cmath>
#include <span>

#include "tools/import/load/line_reader.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/load/parse.h"
#include "tools/import/load/repeated_edges.h"
#include "tools/import/load/text_checks.h"
#include "tools/import/load/value_index.h"

namespace vecc::tools {
namespace {

// Of data without labels: the largest number, unless that is above what its nodes can fill.
std::size_t count_graphs(std::span<const std::int64_t> graphs) {
  const auto most = static_cast<std::int64_t>(graphs.size());
  return static_cast<std::size_t>(std::clamp(std::ranges::max(graphs), std::int64_t{0}, most));
}

class TuParser {
 public:
  explicit TuParser(const TuTexts& texts) : texts_(texts) { set_.name = texts.name; }

  Result<GraphSet> parse() {
    read_graphs();
    // What follows refers to nodes and graphs: without them every line would be an error.
    if (!errors_.empty()) return errors_.errors();
    read_edges();
    read_node_labels();
    read_tables();
    if (!errors_.empty()) return errors_.errors();
    drop_repeated_edges(set_);
    return std::move(set_);
  }

 private:
  void read_graphs();
  void read_edges();
  void read_edge(const LineReader& lines);
  void read_edge_labels(std::uint64_t rows);
  void read_node_labels();
  void read_tables();
  // Numbers, as many on every line; returns how many.
  std::uint32_t read_table(const Text& text, std::string_view expected,
                           std::vector<double>& values);
  std::uint32_t read_numbers(const Text& text, const LineReader& lines,
                             std::vector<double>& values);

  void check_row_count(const Text& text, std::uint64_t found, std::uint64_t expected,
                       const Text& other) {
    if (found == expected) return;
    errors_.add(ErrorCode::BadTable, {text.name}, [&] {
      return "has " + count_of(found, "line") + ", but " + other.name + " has " +
             std::to_string(expected);
    });
  }
  // One integer a line.
  std::vector<std::int64_t> read_column(const Text& text, std::string_view expected);
  // A node's number in the file, 1 .. node_count; nothing (with an error) if it is not one.
  std::optional<std::uint32_t> read_node(const FieldReader& fields, std::uint64_t line);

  const TuTexts& texts_;
  GraphSet set_;
  std::uint64_t edge_rows_ = 0;
  std::vector<std::uint32_t> graph_of_node_;
  LoadErrors errors_;
};

std::vector<std::int64_t> TuParser::read_column(const Text& text, std::string_view expected) {
  std::vector<std::int64_t> column;
  if (!check_not_empty(text, std::string(expected) + " a line", errors_)) return column;
  LineReader lines(text.bytes);
  column.reserve(lines.count_rest());
  while (lines.next()) {
    const std::optional<std::int64_t> value = parse_integer(lines.line());
    column.push_back(value.value_or(0));
    if (value) continue;
    errors_.add(ErrorCode::BadTable, {text.name, lines.number()},
                [&] { return found_expected(lines.line(), expected); });
  }
  return column;
}

void TuParser::read_graphs() {
  std::vector<std::int64_t> labels;
  if (texts_.graph_labels) {
    labels = read_column(*texts_.graph_labels, "a graph's label");
    check_row_limit(*texts_.graph_labels, labels.size(), ErrorCode::LimitRows, errors_);
  }
  const std::vector<std::int64_t> graphs = read_column(texts_.graph_indicator, "a graph's number");
  check_row_limit(texts_.graph_indicator, graphs.size(), ErrorCode::LimitNeurons, errors_);
  if (!errors_.empty()) return;
  set_.graph_labels = index_values(labels, set_.graph_label_values);
  const auto graph_count =
      static_cast<std::int64_t>(texts_.graph_labels ? labels.size() : count_graphs(graphs));
  std::int64_t last = 1;
  for (std::size_t node = 0; node < graphs.size(); ++node) {
    const std::int64_t graph = graphs[node];
    const Place place{texts_.graph_indicator.name, node + 1};
    if (graph < 1 || graph > graph_count) {
      errors_.add(ErrorCode::DanglingReference, place, [&] {
        const Text& counted = texts_.graph_labels ? *texts_.graph_labels : texts_.graph_indicator;
        return "graph " + std::to_string(graph) + ", but " + counted.name +
               " has the graphs 1 to " + std::to_string(graph_count);
      });
      continue;
    }
    if (graph < last) {
      errors_.add(ErrorCode::BadTable, place, [&] {
        return "graph " + std::to_string(graph) + " after graph " + std::to_string(last) +
               ", expected the nodes of a graph together and graphs ascending";
      });
      continue;
    }
    last = graph;
    graph_of_node_.push_back(static_cast<std::uint32_t>(graph - 1));
  }
  if (!errors_.empty()) return;
  set_.node_begin.assign(static_cast<std::size_t>(graph_count) + 1, 0);
  for (const std::uint32_t graph : graph_of_node_) ++set_.node_begin[graph + 1];
  for (std::size_t g = 1; g < set_.node_begin.size(); ++g) {
    set_.node_begin[g] += set_.node_begin[g - 1];
  }
}

std::optional<std::uint32_t> TuParser::read_node(const FieldReader& fields, std::uint64_t line) {
  const std::optional<std::int64_t> node = parse_integer(fields.field());
  const auto count = static_cast<std::int64_t>(graph_of_node_.size());
  if (node && *node >= 1 && *node <= count) return static_cast<std::uint32_t>(*node - 1);
  const Place place{texts_.edges.name, line, fields.column()};
  if (!node) {
    errors_.add(ErrorCode::BadTable, place,
                [&] { return found_expected(trim(fields.field()), "a node's number"); });
  } else {
    errors_.add(ErrorCode::DanglingReference, place, [&] {
      return "node " + std::to_string(*node) + ", but " + texts_.graph_indicator.name +
             " has the nodes 1 to " + std::to_string(count);
    });
  }
  return std::nullopt;
}

void TuParser::read_edge(const LineReader& lines) {
  FieldReader fields(lines.line(), ',');
  std::optional<std::uint32_t> ends[2];
  for (std::optional<std::uint32_t>& end : ends) {
    if (!fields.next()) break;
    if (!(end = read_node(fields, lines.number()))) return;
  }
  const Place place{texts_.edges.name, lines.number()};
  if (!ends[1] || fields.next()) {
    errors_.add(ErrorCode::BadTable, place, [&] {
      return count_of(count_fields(lines.line(), ','), "column") + ", expected 2: source, target";
    });
    return;
  }
  const std::uint32_t source_graph = graph_of_node_[*ends[0]];
  const std::uint32_t target_graph = graph_of_node_[*ends[1]];
  if (source_graph != target_graph) {
    errors_.add(ErrorCode::DanglingReference, place, [&] {
      return "an edge from node " + std::to_string(*ends[0] + 1) + " of graph " +
             std::to_string(source_graph + 1) + " to node " + std::to_string(*ends[1] + 1) +
             " of graph " + std::to_string(target_graph + 1) + ", expected both in one graph";
    });
    return;
  }
  set_.source.push_back(*ends[0]);
  set_.target.push_back(*ends[1]);
}

void TuParser::read_edges() {
  if (!check_not_empty(texts_.edges, "an edge a line", errors_)) return;
  LineReader lines(texts_.edges.bytes);
  const std::uint64_t rows = lines.count_rest();
  if (!check_row_limit(texts_.edges, rows, ErrorCode::LimitEdges, errors_)) return;
  set_.source.reserve(rows);
  set_.target.reserve(rows);
  while (lines.next()) read_edge(lines);
  edge_rows_ = rows;
  read_edge_labels(rows);
}

void TuParser::read_edge_labels(std::uint64_t rows) {
  if (!texts_.edge_labels) return;
  const std::vector<std::int64_t> labels = read_column(*texts_.edge_labels, "an edge's label");
  check_row_count(*texts_.edge_labels, labels.size(), rows, texts_.edges);
  set_.edge_labels = index_values(labels, set_.edge_label_values);
}

void TuParser::read_node_labels() {
  if (!texts_.node_labels) return;
  const std::vector<std::int64_t> labels = read_column(*texts_.node_labels, "a node's label");
  check_row_count(*texts_.node_labels, labels.size(), graph_of_node_.size(),
                  texts_.graph_indicator);
  set_.node_labels = index_values(labels, set_.node_label_values);
}

std::uint32_t TuParser::read_numbers(const Text& text, const LineReader& lines,
                                     std::vector<double>& values) {
  FieldReader fields(lines.line(), ',');
  std::uint32_t count = 0;
  for (; fields.next(); ++count) {
    const std::optional<double> value = parse_real(fields.field());
    values.push_back(value.value_or(0));
    if (value && std::isfinite(*value)) continue;
    errors_.add(value ? ErrorCode::NotFinite : ErrorCode::BadTable,
                {text.name, lines.number(), fields.column()}, [&] {
                  return found_expected(trim(fields.field()),
                                        value ? "a finite number" : "a number");
                });
  }
  return count;
}

std::uint32_t TuParser::read_table(const Text& text, std::string_view expected,
                                   std::vector<double>& values) {
  std::uint32_t columns = 0;
  if (!check_not_empty(text, std::string(expected) + " a line", errors_)) return columns;
  LineReader lines(text.bytes);
  while (lines.next()) {
    const std::uint32_t count = read_numbers(text, lines, values);
    if (columns == 0) columns = count;
    if (count == columns) continue;
    errors_.add(ErrorCode::BadTable, {text.name, lines.number()}, [&] {
      return count_of(count, "column") + ", but line 1 has " + std::to_string(columns);
    });
  }
  return columns;
}

void TuParser::read_tables() {
  const auto read = [&](const std::optional<Text>& text, std::string_view expected,
                        std::vector<double>& values, std::uint32_t& columns, std::uint64_t rows,
                        const Text& other) {
    if (!text) return;
    columns = read_table(*text, expected, values);
    if (columns == 0) return;
    LineReader lines(text->bytes);
    check_row_count(*text, lines.count_rest(), rows, other);
  };
  read(texts_.node_attributes, "a node's attributes", set_.node_attributes, set_.attribute_count,
       graph_of_node_.size(), texts_.graph_indicator);
  read(texts_.edge_attributes, "an edge's attributes", set_.edge_attributes,
       set_.edge_attribute_count, edge_rows_, texts_.edges);
  read(texts_.graph_attributes, "a graph's numbers", set_.graph_targets, set_.target_count,
       set_.graph_count(), texts_.graph_labels ? *texts_.graph_labels : texts_.graph_indicator);
}

}  // namespace

Result<GraphSet> parse_tu(const TuTexts& texts) {
  return TuParser(texts).parse();
}

}  // namespace vecc::tools
