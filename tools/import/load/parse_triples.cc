// Triples of names, in any format, and types of entities.
#include <array>
#include <limits>

#include "tools/import/load/line_reader.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/load/name_rows.h"
#include "tools/import/load/name_table.h"
#include "tools/import/load/parse.h"
#include "tools/import/load/repeated_edges.h"
#include "tools/import/load/text_checks.h"

namespace vecc::tools {
namespace {

constexpr std::array<std::string_view, 3> kColumns = {"head", "relation", "tail"};
constexpr std::array<std::string_view, 2> kTypeColumns = {"entity", "type"};
constexpr std::string_view kUntyped = "entity";

class TriplesParser {
 public:
  TriplesParser(const TripleTexts& texts, const TripleLayout& layout)
      : texts_(texts), layout_(layout) {
    graph_.name = texts.name;
  }

  Result<TypedGraph> parse() {
    read_part(texts_.whole, Split::Unspecified);
    read_part(texts_.train, Split::Train);
    read_part(texts_.valid, Split::Validation);
    read_part(texts_.test, Split::Test);
    if (!errors_.empty()) return errors_.errors();
    read_types();
    if (!errors_.empty()) return errors_.errors();
    graph_.node_count = static_cast<std::uint32_t>(entities_.size());
    graph_.node_names = entities_.take_names();
    graph_.relation_names = relations_.take_names();
    if (graph_.node_type_names.size() == 0) graph_.node_type_names.push_back(kUntyped);
    if (!layout_.keeps_repeated) drop_repeated_edges(graph_);
    graph_.dropped_edges += dropped_;
    return std::move(graph_);
  }

 private:
  void read_part(const std::optional<Text>& text, Split split) {
    if (!text || !check_names_text(*text, "a triple a line", errors_)) return;
    const std::size_t before = graph_.source.size();
    const std::uint64_t rows = before + LineReader(text->bytes).count_rest();
    if (!check_row_limit(*text, rows, ErrorCode::LimitEdges, errors_)) return;
    graph_.source.reserve(rows);
    graph_.target.reserve(rows);
    graph_.relation.reserve(rows);
    if (layout_.format == TripleFormat::NTriples) {
      read_rdf(*text);
    } else {
      const bool in_order = layout_.columns[0] == 0;
      const NameRows wanted{layout_.format, layout_.has_header, kColumns,
                            in_order ? std::span<const std::uint32_t>() : layout_.columns};
      read_name_rows(*text, wanted, errors_, [&](const Place&, auto names) {
        return add_triple(*text, names[0], names[1], names[2]);
      });
    }
    if (graph_.source.size() == before && errors_.empty()) {
      errors_.add(ErrorCode::FileEmpty, {text->name}, [] { return std::string("has no triples"); });
    }
    if (split != Split::Unspecified) graph_.edge_split.resize(graph_.source.size(), split);
  }

  void read_rdf(const Text& text) {
    if (layout_.has_header || layout_.columns[0] != 0) {
      errors_.add(ErrorCode::Usage, {text.name}, [] {
        return std::string("is N-Triples, which have no header and no other columns");
      });
      return;
    }
    const Result<TypedGraph> part = parse_rdf({texts_.name, text, {}, {}});
    if (!part) {
      errors_.add(part.error());
      return;
    }
    dropped_ += part->dropped_edges;
    for (std::size_t e = 0; e < part->edge_count(); ++e) {
      const bool goes_on =
          add_triple(text, part->node_names[part->source[e]],
                     part->relation_names[part->relation[e]], part->node_names[part->target[e]]);
      if (!goes_on) return;
    }
  }

  // Whether more fit. A triple adds two entities at most.
  bool add_triple(const Text& text, std::string_view head, std::string_view relation,
                  std::string_view tail) {
    graph_.source.push_back(entities_.add(head));
    graph_.relation.push_back(relations_.add(relation));
    graph_.target.push_back(entities_.add(tail));
    if (entities_.size() + 2 <= kMaxRows) return true;
    check_row_limit(text, entities_.size() + 2, ErrorCode::LimitNeurons, errors_);
    return false;
  }

  void read_types() {
    if (!texts_.types ||
        !check_names_text(*texts_.types, "an entity and its type a line", errors_)) {
      return;
    }
    constexpr std::uint16_t kNone = std::numeric_limits<std::uint16_t>::max();
    NameTable types;
    graph_.node_type.assign(entities_.size(), kNone);
    read_name_rows(*texts_.types, {texts_.types_format, layout_.has_header, kTypeColumns, {}},
                   errors_, [&](const Place& place, auto names) {
                     add_type(place, names[0], names[1], types, kNone);
                     return types.size() < kNone;
                   });
    if (types.size() == kNone) {
      errors_.add(ErrorCode::LimitRows, {texts_.types->name},
                  [] { return "has more than " + std::to_string(kNone - 1) + " types"; });
      return;
    }
    for (std::uint16_t& type : graph_.node_type) {
      if (type == kNone) type = static_cast<std::uint16_t>(types.add(kUntyped));
    }
    graph_.node_type_names = types.take_names();
  }

  void add_type(const Place& place, std::string_view entity, std::string_view type,
                NameTable& types, std::uint16_t none) {
    const auto number = entities_.find(entity);
    if (!number) {
      errors_.add(ErrorCode::DanglingReference, place,
                  [&] { return "no triple has the entity " + quote(entity); });
      return;
    }
    const auto given = static_cast<std::uint16_t>(types.add(type));
    std::uint16_t& of = graph_.node_type[*number];
    if (of != none && of != given) {
      errors_.add(ErrorCode::DuplicateId, place, [&] {
        return "the entity " + quote(entity) + " has the type " + quote(types.names()[of]) +
               " already";
      });
    }
    of = given;
  }

  const TripleTexts& texts_;
  const TripleLayout& layout_;
  TypedGraph graph_;
  NameTable entities_;
  NameTable relations_;
  std::uint64_t dropped_ = 0;  // within a text of RDF
  LoadErrors errors_;
};

}  // namespace

Result<TypedGraph> parse_triples(const TripleTexts& texts, const TripleLayout& layout) {
  return TriplesParser(texts, layout).parse();
}

}  // namespace vecc::tools
