// Triples of names: head TAB relation TAB tail.
#include <array>

#include "tools/import/load/line_reader.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/load/name_table.h"
#include "tools/import/load/parse.h"
#include "tools/import/load/repeated_edges.h"
#include "tools/import/load/text_checks.h"

namespace vecc::tools {
namespace {

constexpr std::array<std::string_view, 3> kColumns = {"head", "relation", "tail"};

class TriplesParser {
 public:
  explicit TriplesParser(const TripleTexts& texts) : texts_(texts) { graph_.name = texts.name; }

  Result<TypedGraph> parse() {
    read_part(texts_.whole, Split::Unspecified);
    read_part(texts_.train, Split::Train);
    read_part(texts_.valid, Split::Validation);
    read_part(texts_.test, Split::Test);
    if (!errors_.empty()) return errors_.errors();
    graph_.node_count = static_cast<std::uint32_t>(entities_.size());
    graph_.node_names = entities_.take_names();
    graph_.relation_names = relations_.take_names();
    graph_.node_type_names.push_back("entity");
    drop_repeated_edges(graph_);
    return std::move(graph_);
  }

 private:
  void read_part(const std::optional<Text>& text, Split split) {
    if (!text || !check_names_text(*text, "a triple a line", errors_)) return;
    LineReader lines(text->bytes);
    const std::uint64_t rows = graph_.source.size() + lines.count_rest();
    if (!check_row_limit(*text, rows, ErrorCode::LimitEdges, errors_)) return;
    graph_.source.reserve(rows);
    graph_.target.reserve(rows);
    graph_.relation.reserve(rows);
    while (lines.next()) {
      read_triple(*text, lines);
      // Every line adds two entities at most.
      if (entities_.size() + 2 > kMaxRows) {
        check_row_limit(*text, entities_.size() + 2, ErrorCode::LimitNeurons, errors_);
        return;
      }
    }
    if (split != Split::Unspecified) graph_.edge_split.resize(graph_.source.size(), split);
  }

  void read_triple(const Text& text, const LineReader& lines) {
    std::array<std::string_view, 3> names;
    FieldReader fields(lines.line(), '\t');
    std::size_t count = 0;
    for (; fields.next(); ++count) {
      if (count < names.size()) names[count] = fields.field();
    }
    const Place place{text.name, lines.number()};
    if (count != names.size()) {
      errors_.add(ErrorCode::BadTable, place, [&] {
        return count_of(count, "column") +
               ", expected 3 with tabs between them: head, relation, tail";
      });
      return;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!names[i].empty()) continue;
      errors_.add(ErrorCode::BadTable, place,
                  [&] { return "the " + std::string(kColumns[i]) + " has no name"; });
      return;
    }
    graph_.source.push_back(entities_.add(names[0]));
    graph_.relation.push_back(relations_.add(names[1]));
    graph_.target.push_back(entities_.add(names[2]));
  }

  const TripleTexts& texts_;
  TypedGraph graph_;
  NameTable entities_;
  NameTable relations_;
  LoadErrors errors_;
};

}  // namespace

Result<TypedGraph> parse_triples(const TripleTexts& texts) {
  return TriplesParser(texts).parse();
}

}  // namespace vecc::tools
