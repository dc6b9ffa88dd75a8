#include "tools/kg/answer_names.h"

#include <algorithm>

#include "src/kg/ranks.h"
#include "src/support/utf8.h"
#include "src/support/value_text.h"
#include "tools/import/load/csv_reader.h"
#include "tools/import/load/load_errors.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::string_view kAsked = "?";

Errors bad_query(const std::string& text, const std::string& message) {
  return Errors(ErrorCode::Usage, "--query=" + escape_terminal(text), message);
}

bool is_single(const KgModel& model) {
  return std::holds_alternative<kg::EmbeddingTables<float>>(model.embeddings.tables);
}

// A ? without quotes; `field` is a part of the text.
bool is_asked(std::string_view field, const std::string& text) {
  return field == kAsked && (field.data() == text.data() || field.data()[-1] != '"');
}

std::string cell(std::string_view name) {
  return escape_terminal(name, std::string::npos);
}

}  // namespace

Result<kg::Query> parse_query(const KgModel& model, const std::string& text) {
  if (!is_utf8(text)) return bad_query(text, "is no UTF-8");
  LoadErrors errors;
  const Text source{"--query", text};
  CsvReader reader(source, errors);
  const bool has_record = reader.next();
  if (!errors.empty()) return errors.errors();
  if (!has_record || reader.fields().size() != 3) {
    return bad_query(text, "expected head,relation,? or ?,relation,tail");
  }
  QueryNames names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!is_asked(reader.fields()[i], text)) names[i] = std::string(reader.fields()[i]);
  }
  const bool quotes_it = std::ranges::any_of(names, [](const auto& n) { return n == kAsked; });
  if (quotes_it && names[0] && names[2]) {
    return bad_query(text, "expected one ? without quotes: \"?\" is a name");
  }
  if (reader.next() || !errors.empty()) return bad_query(text, "expected one line");
  return query_of_names(model, names, "--query=" + escape_terminal(text));
}

Result<kg::Query> query_of_names(const KgModel& model, const QueryNames& names,
                                 const std::string& place) {
  const auto& [head, relation, tail] = names;
  if (head.has_value() == tail.has_value() || !relation) {
    return Errors(ErrorCode::Usage, place,
                  "expected one ?, in the place of the head or of the tail");
  }
  kg::Query query;
  query.asked = tail ? kg::Side::Head : kg::Side::Tail;
  VECC_TRY(query.anchor, find_entity(model, tail ? *tail : *head, place));
  VECC_TRY(query.relation, find_relation(model, *relation, place));
  return query;
}

Result<std::vector<std::vector<kg::Answer>>> answer_by_names(const KgModel& model,
                                                             std::span<const kg::Query> queries,
                                                             std::vector<kg::Triple> triples,
                                                             kg::AnswerOptions options,
                                                             bool asks_inverse) {
  options.inverse.clear();
  if (asks_inverse) {
    std::vector<std::uint32_t> for_heads;
    for (const kg::Query& query : queries) {
      if (query.asked == kg::Side::Head) for_heads.push_back(query.relation);
    }
    VECC_TRY(options.inverse, choose_inverse(model.relations, for_heads, "predict"));
  }
  const std::vector<std::uint32_t> inverse = inverse_relations(model.relations);
  const std::size_t given = triples.size();
  for (std::size_t i = 0; i < given; ++i) {
    const kg::Triple t = triples[i];
    const std::uint32_t turned = inverse[t.relation];
    if (turned != kg::kNoInverse) triples.push_back({t.tail, turned, t.head});
  }
  return kg::answer_queries(model.embeddings, queries, kg::KnownTriples(triples), options);
}

std::string lines_of(const KgModel& model, const kg::Query& query,
                     const std::vector<kg::Answer>& answers) {
  const std::string anchor = cell(model.entities.names()[query.anchor]);
  const std::string relation = cell(model.relations.names()[query.relation]);
  std::string text;
  for (const kg::Answer& answer : answers) {
    const std::string found = cell(model.entities.names()[answer.entity]);
    const bool tail = query.asked == kg::Side::Tail;
    text += (tail ? anchor : found) + "\t" + relation + "\t" + (tail ? found : anchor) + "\t" +
            text_of_number(answer.score, is_single(model)) + "\t" + (answer.known ? "known" : "") +
            "\n";
  }
  return text;
}

}  // namespace vecc::tools
