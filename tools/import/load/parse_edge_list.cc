// A list of edges, and one of nodes' classes.
#include <algorithm>
#include <cmath>

#include "tools/import/load/line_reader.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/load/parse.h"
#include "tools/import/load/text_checks.h"
#include "tools/import/load/value_index.h"

namespace vecc::tools {
namespace {

constexpr std::string_view kBetween = " \t,;";

bool is_comment(std::string_view line) {
  const std::string_view text = trim(line);
  return text.empty() || text[0] == '#' || text[0] == '%';
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; (begin = line.find_first_not_of(kBetween, begin)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

class EdgeListParser {
 public:
  explicit EdgeListParser(const EdgeListTexts& texts) : texts_(texts) {
    set_.name = texts.name;
    set_.has_node_samples = true;
  }

  Result<GraphSet> parse() {
    read_edges();
    if (!errors_.empty()) return errors_.errors();
    check_node_count();
    if (!errors_.empty()) return errors_.errors();
    set_.node_begin = {0, node_count_};
    read_labels();
    if (!errors_.empty()) return errors_.errors();
    return std::move(set_);
  }

 private:
  void read_edges();
  void read_edge(const LineReader& lines);
  void check_node_count();
  void read_labels();
  void read_label(const LineReader& lines, std::vector<std::int64_t>& labels);
  void bad(ErrorCode code, const Text& text, const LineReader& lines, const std::string& message) {
    errors_.add(code, {text.name, lines.number()}, [&] { return message; });
  }
  std::optional<std::uint32_t> read_node(const Text& text, const LineReader& lines,
                                         std::string_view word);

  const EdgeListTexts& texts_;
  GraphSet set_;
  std::uint32_t node_count_ = 0;
  std::uint64_t largest_line_ = 0;  // of the largest number
  std::size_t width_ = 0;           // words a line
  LoadErrors errors_;
};

std::optional<std::uint32_t> EdgeListParser::read_node(const Text& text, const LineReader& lines,
                                                       std::string_view word) {
  const std::optional<std::int64_t> node = parse_integer(word);
  if (node && *node >= 0 && *node < static_cast<std::int64_t>(kMaxRows)) {
    return static_cast<std::uint32_t>(*node);
  }
  bad(ErrorCode::BadTable, text, lines, found_expected(word, "a node's number, from 0"));
  return std::nullopt;
}

void EdgeListParser::read_edge(const LineReader& lines) {
  const std::vector<std::string_view> words = words_of(lines.line());
  if (width_ == 0) width_ = words.size();
  if (words.size() != width_ || width_ < 2 || width_ > 3) {
    const bool other = width_ == 2 || width_ == 3;
    bad(ErrorCode::BadTable, texts_.edges, lines,
        count_of(words.size(), "column") + ", expected " +
            (other ? std::to_string(width_) + ", as the lines before" : "source target [weight]"));
    return;
  }
  const auto source = read_node(texts_.edges, lines, words[0]);
  const auto target = source ? read_node(texts_.edges, lines, words[1]) : std::nullopt;
  if (!target) return;
  set_.source.push_back(*source);
  set_.target.push_back(*target);
  const std::uint32_t count = std::max(*source, *target) + 1;
  if (count > node_count_) largest_line_ = lines.number();
  node_count_ = std::max(node_count_, count);
  if (width_ == 2) return;
  const std::optional<double> weight = parse_real(words[2]);
  set_.edge_attributes.push_back(weight.value_or(0));
  if (weight && std::isfinite(*weight)) return;
  bad(weight ? ErrorCode::NotFinite : ErrorCode::BadTable, texts_.edges, lines,
      found_expected(words[2], weight ? "a finite number" : "a weight"));
}

void EdgeListParser::read_edges() {
  if (!check_not_empty(texts_.edges, "an edge a line", errors_)) return;
  LineReader lines(texts_.edges.bytes);
  if (!check_row_limit(texts_.edges, lines.count_rest(), ErrorCode::LimitEdges, errors_)) return;
  while (lines.next()) {
    if (!is_comment(lines.line())) read_edge(lines);
  }
  set_.edge_attribute_count = width_ == 3 ? 1 : 0;
}

void EdgeListParser::check_node_count() {
  const auto bad_count = [&](ErrorCode code, const std::string& message) {
    errors_.add(code, {texts_.edges.name, largest_line_}, [&] {
      return "found node " + std::to_string(node_count_ - 1) + ", expected " + message;
    });
  };
  if (texts_.nodes > 0) {
    if (node_count_ > texts_.nodes) {
      bad_count(ErrorCode::DanglingReference,
                "numbers from 0 to " + std::to_string(texts_.nodes - 1) + ", as --nodes says");
    }
    node_count_ = texts_.nodes;
    return;
  }
  const std::uint64_t most = most_unstated_nodes(set_.edge_count());
  if (node_count_ <= most) return;
  bad_count(ErrorCode::LimitRows,
            "numbers below " + std::to_string(most) + " of " + count_of(set_.edge_count(), "edge") +
                ": every number up to the largest is a node; number them without gaps, or say "
                "--nodes=" +
                std::to_string(node_count_));
}

void EdgeListParser::read_label(const LineReader& lines, std::vector<std::int64_t>& labels) {
  const Text& text = *texts_.labels;
  const std::vector<std::string_view> words = words_of(lines.line());
  if (words.size() < 2 || words.size() > 3) {
    bad(ErrorCode::BadTable, text, lines,
        count_of(words.size(), "column") + ", expected node class [train|validation|test]");
    return;
  }
  const auto node = read_node(text, lines, words[0]);
  if (!node) return;
  if (*node >= node_count_) {
    bad(ErrorCode::DanglingReference, text, lines,
        "node " + std::to_string(*node) + ", but " + texts_.edges.name + " has the nodes 0 to " +
            std::to_string(node_count_ - 1));
    return;
  }
  const std::optional<std::int64_t> label = parse_integer(words[1]);
  if (!label || *label < 0) {
    bad(ErrorCode::BadTable, text, lines, found_expected(words[1], "a class, from 0"));
    return;
  }
  if (labels[*node] >= 0) {
    bad(ErrorCode::DuplicateId, text, lines,
        "node " + std::to_string(*node) + " has a class already");
    return;
  }
  labels[*node] = *label;
  if (words.size() == 2) return;
  constexpr std::string_view kSplits[] = {"", "train", "validation", "test"};
  const auto* const split = std::find(std::begin(kSplits) + 1, std::end(kSplits), words[2]);
  if (split == std::end(kSplits)) {
    bad(ErrorCode::BadTable, text, lines, found_expected(words[2], "train, validation or test"));
    return;
  }
  set_.node_splits.resize(node_count_, Split::Unspecified);
  set_.node_splits[*node] = static_cast<Split>(split - std::begin(kSplits));
}

void EdgeListParser::read_labels() {
  if (!texts_.labels) return;
  if (!check_not_empty(*texts_.labels, "a node and its class a line", errors_)) return;
  std::vector<std::int64_t> labels(node_count_, -1);
  LineReader lines(texts_.labels->bytes);
  while (lines.next()) {
    if (!is_comment(lines.line())) read_label(lines, labels);
  }
  index_classes(labels, set_);
}

}  // namespace

void index_classes(const std::vector<std::int64_t>& labels, GraphSet& set) {
  std::vector<std::int64_t> known;
  std::ranges::copy_if(labels, std::back_inserter(known), [](std::int64_t y) { return y >= 0; });
  const std::vector<std::uint32_t> numbers = index_values(known, set.graph_label_values);
  set.node_classes.assign(labels.size(), kUnknownLabel);
  std::size_t next = 0;
  for (std::size_t node = 0; node < labels.size(); ++node) {
    if (labels[node] >= 0) set.node_classes[node] = numbers[next++];
  }
}

Result<GraphSet> parse_edge_list(const EdgeListTexts& texts) {
  return EdgeListParser(texts).parse();
}

}  // namespace vecc::tools
