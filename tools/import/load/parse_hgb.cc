// The text format of the heterogeneous graph benchmark.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tools/import/load/hgb_info.h"
#include "tools/import/load/line_reader.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/load/parse.h"
#include "tools/import/load/repeated_edges.h"
#include "tools/import/load/text_checks.h"
#include "tools/import/load/value_index.h"

namespace vecc::tools {
namespace {

// A row of node.dat, by the node's id.
struct NodeRow {
  std::uint64_t line = 0;     ///< 0: none yet
  std::string_view features;  ///< of the text
  std::uint64_t column = 0;   ///< where they begin
};

class HgbParser {
 public:
  explicit HgbParser(const HgbTexts& texts) : texts_(texts) { graph_.name = texts.name; }

  Result<TypedGraph> parse();

 private:
  /// A line's fields, with where they stand.
  struct Field {
    std::string_view text;
    std::uint64_t column = 0;
  };
  struct Row {
    std::uint64_t line = 0;
    std::vector<Field> fields;
  };

  bool read_row(const Text& text, const LineReader& lines, std::size_t least, std::size_t most,
                std::string_view expected);
  std::optional<std::int64_t> read_integer(const Text& text, const Field& field,
                                           std::string_view expected);
  std::optional<std::uint32_t> read_node(const Text& text, const Field& field);
  void read_nodes();
  void read_node();
  void read_features();
  void read_node_features(std::uint32_t node, NodeFeatures& features);
  void read_links();
  void read_link();
  void read_labels(const std::optional<Text>& text, Split split);
  void read_label(const Text& text, Split split);
  void finish_labels();

  const HgbTexts& texts_;
  TypedGraph graph_;
  LoadErrors errors_;
  HgbInfo info_;
  Row row_;
  std::vector<NodeRow> nodes_;
  std::vector<std::int64_t> node_type_number_;  // by node
  std::vector<std::int64_t> link_type_number_;  // by link
  std::vector<std::int64_t> label_number_;      // by entry of graph_.labels
  std::vector<std::string> label_place_;        // by node
};

// Sets row_; an error where the line has other than `least` to `most` fields.
bool HgbParser::read_row(const Text& text, const LineReader& lines, std::size_t least,
                         std::size_t most, std::string_view expected) {
  row_.line = lines.number();
  row_.fields.clear();
  FieldReader fields(lines.line(), '\t');
  while (fields.next()) row_.fields.push_back({fields.field(), fields.column()});
  const std::size_t count = row_.fields.size();
  if (count >= least && count <= most) return true;
  errors_.add(ErrorCode::BadTable, {text.name, row_.line}, [&] {
    return count_of(count, "column") +
           ", expected with tabs between them: " + std::string(expected);
  });
  return false;
}

std::optional<std::int64_t> HgbParser::read_integer(const Text& text, const Field& field,
                                                    std::string_view expected) {
  const std::optional<std::int64_t> value = parse_integer(field.text);
  if (!value) {
    errors_.add(ErrorCode::BadTable, {text.name, row_.line, field.column},
                [&] { return found_expected(trim(field.text), expected); });
  }
  return value;
}

std::optional<std::uint32_t> HgbParser::read_node(const Text& text, const Field& field) {
  const auto id = read_integer(text, field, "a node's id");
  if (!id) return std::nullopt;
  const auto count = static_cast<std::int64_t>(nodes_.size());
  if (*id >= 0 && *id < count) return static_cast<std::uint32_t>(*id);
  errors_.add(ErrorCode::DanglingReference, {text.name, row_.line, field.column}, [&] {
    return "node " + std::to_string(*id) + ", but " + texts_.nodes.name + " has " +
           std::to_string(count) + " nodes, 0 to " + std::to_string(count - 1);
  });
  return std::nullopt;
}

void HgbParser::read_node() {
  const Text& text = texts_.nodes;
  const auto id = read_node(text, row_.fields[0]);
  const auto type = read_integer(text, row_.fields[2], "a node type's number");
  if (!id || !type) return;
  NodeRow& node = nodes_[*id];
  if (node.line > 0) {
    errors_.add(ErrorCode::DuplicateId, {text.name, row_.line}, [&] {
      return "node " + std::to_string(*id) + " stands in line " + std::to_string(node.line) +
             " too, expected each node once";
    });
    return;
  }
  node.line = row_.line;
  if (row_.fields.size() == 4) {
    node.features = trim(row_.fields[3].text);
    node.column = row_.fields[3].column;
  }
  node_type_number_[*id] = *type;
}

void HgbParser::read_nodes() {
  const Text& text = texts_.nodes;
  if (!check_names_text(text, "a node a line", errors_)) return;
  LineReader lines(text.bytes);
  const std::uint64_t rows = lines.count_rest();
  if (!check_row_limit(text, rows, ErrorCode::LimitNeurons, errors_)) return;
  nodes_.resize(rows);
  node_type_number_.resize(rows);
  while (lines.next()) {
    if (read_row(text, lines, 3, 4, "id, name, type, and features if it has any")) read_node();
  }
  if (!errors_.empty()) return;
  std::vector<std::int64_t> types = numbers_of(info_.node_types);
  const std::vector<std::uint32_t> index = index_values(node_type_number_, types);
  if (types.size() > std::numeric_limits<std::uint16_t>::max()) {
    errors_.add(ErrorCode::BadTable, {text.name},
                [&] { return std::to_string(types.size()) + " node types, the limit is 65535"; });
    return;
  }
  graph_.node_count = static_cast<std::uint32_t>(rows);
  graph_.node_type.assign(index.begin(), index.end());
  graph_.node_type_names = name_numbers(types, info_.node_types);
  for (std::uint64_t id = 0; id < rows; ++id) graph_.node_names.push_back(std::to_string(id));
}

// The first node of a type says how many features those of its type have.
void HgbParser::read_node_features(std::uint32_t node, NodeFeatures& features) {
  const NodeRow& row = nodes_[node];
  std::uint32_t count = 0;
  FieldReader fields(row.features, ',');
  while (!row.features.empty() && fields.next()) {
    const std::optional<double> value = parse_real(fields.field());
    features.values.push_back(value.value_or(0));
    ++count;
    if (value && std::isfinite(*value)) continue;
    errors_.add(value ? ErrorCode::NotFinite : ErrorCode::BadTable,
                {texts_.nodes.name, row.line, row.column + fields.column() - 1}, [&] {
                  return found_expected(trim(fields.field()),
                                        value ? "a finite number" : "a number");
                });
  }
  features.dim = count;
}

void HgbParser::read_features() {
  const bool none =
      std::ranges::all_of(nodes_, [](const NodeRow& n) { return n.features.empty(); });
  if (none) return;
  graph_.features.resize(graph_.node_type_names.size());
  std::vector<std::uint64_t> first_line(graph_.features.size());
  for (std::uint32_t node = 0; node < graph_.node_count; ++node) {
    const std::uint16_t type = graph_.node_type[node];
    NodeFeatures& features = graph_.features[type];
    const std::uint32_t dim = features.dim;
    read_node_features(node, features);
    if (first_line[type] == 0) {
      first_line[type] = nodes_[node].line;
    } else if (features.dim != dim) {
      errors_.add(ErrorCode::BadTable, {texts_.nodes.name, nodes_[node].line}, [&] {
        return count_of(features.dim, "feature") + ", but the first node of its type (line " +
               std::to_string(first_line[type]) + ") has " + std::to_string(dim);
      });
      features.dim = dim;
    }
  }
}

void HgbParser::read_link() {
  const Text& text = texts_.links;
  const auto source = read_node(text, row_.fields[0]);
  const auto target = read_node(text, row_.fields[1]);
  const auto type = read_integer(text, row_.fields[2], "a link type's number");
  const std::optional<double> weight = parse_real(row_.fields[3].text);
  if (!weight || *weight != 1) {
    errors_.add(ErrorCode::BadTable, {text.name, row_.line, row_.fields[3].column}, [&] {
      return found_expected(trim(row_.fields[3].text),
                            "the weight 1: vecc-import grounds links without weights");
    });
    return;
  }
  if (!source || !target || !type) return;
  graph_.source.push_back(*source);
  graph_.target.push_back(*target);
  link_type_number_.push_back(*type);
}

void HgbParser::read_links() {
  const Text& text = texts_.links;
  if (!check_not_empty(text, "a link a line", errors_)) return;
  LineReader lines(text.bytes);
  const std::uint64_t rows = lines.count_rest();
  if (!check_row_limit(text, rows, ErrorCode::LimitEdges, errors_)) return;
  graph_.source.reserve(rows);
  graph_.target.reserve(rows);
  link_type_number_.reserve(rows);
  while (lines.next()) {
    if (read_row(text, lines, 4, 4, "source, target, type, weight")) read_link();
  }
  std::vector<std::int64_t> types = numbers_of(info_.link_types);
  graph_.relation = index_values(link_type_number_, types);
  graph_.relation_names = name_numbers(types, info_.link_types);
}

void HgbParser::read_label(const Text& text, Split split) {
  const auto node = read_node(text, row_.fields[0]);
  const auto type = read_integer(text, row_.fields[2], "a node type's number");
  if (!node || !type) return;
  const Place place{text.name, row_.line};
  if (*type != node_type_number_[*node]) {
    errors_.add(ErrorCode::BadTable, place, [&] {
      return "node " + std::to_string(*node) + " has type " + std::to_string(*type) +
             " here, but type " + std::to_string(node_type_number_[*node]) + " in " +
             texts_.nodes.name;
    });
    return;
  }
  if (!label_place_[*node].empty()) {
    errors_.add(ErrorCode::DuplicateId, place, [&] {
      return "node " + std::to_string(*node) + " has its labels in " + label_place_[*node] +
             ", expected one line for all of them";
    });
    return;
  }
  label_place_[*node] = place.text();
  const auto first = static_cast<std::ptrdiff_t>(label_number_.size());
  FieldReader labels(row_.fields[3].text, ',');
  while (labels.next()) {
    const Field field{labels.field(), row_.fields[3].column + labels.column() - 1};
    const auto label = read_integer(text, field, "a label's number");
    if (!label) return;
    if (std::find(label_number_.begin() + first, label_number_.end(), *label) !=
        label_number_.end()) {
      errors_.add(ErrorCode::DuplicateId, {text.name, row_.line, field.column}, [&] {
        return "label " + std::to_string(*label) + " twice, expected each label once";
      });
      return;
    }
    label_number_.push_back(*label);
    graph_.labels.push_back({*node, 0, split});
  }
}

void HgbParser::read_labels(const std::optional<Text>& text, Split split) {
  if (!text || !check_not_empty(*text, "a labelled node a line", errors_)) return;
  LineReader lines(text->bytes);
  while (lines.next()) {
    if (read_row(*text, lines, 4, 4, "id, name, type, labels")) read_label(*text, split);
  }
}

void HgbParser::finish_labels() {
  if (graph_.labels.empty()) return;
  std::vector<std::int64_t> numbers = numbers_of(info_.labels);
  const std::vector<std::uint32_t> index = index_values(label_number_, numbers);
  for (std::size_t i = 0; i < index.size(); ++i) graph_.labels[i].label = index[i];
  graph_.label_names = name_numbers(numbers, info_.labels);
}

Result<TypedGraph> HgbParser::parse() {
  if (texts_.info) info_ = parse_hgb_info(*texts_.info, errors_);
  read_nodes();
  // The other files refer to nodes.
  if (!errors_.empty()) return errors_.errors();
  read_features();
  read_links();
  label_place_.resize(nodes_.size());
  read_labels(texts_.train_labels, Split::Train);
  read_labels(texts_.test_labels, Split::Test);
  if (!errors_.empty()) return errors_.errors();
  finish_labels();
  drop_repeated_edges(graph_);
  return std::move(graph_);
}

}  // namespace

Result<TypedGraph> parse_hgb(const HgbTexts& texts) {
  return HgbParser(texts).parse();
}

}  // namespace vecc::tools
