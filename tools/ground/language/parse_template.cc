#include "tools/ground/language/parse_template.h"

#include <utility>

#include "tools/ground/language/parser.h"
#include "tools/ground/language/term_types.h"
#include "tools/import/load/line_reader.h"

namespace vecc::tools::language {
namespace {

class TemplateParser {
 public:
  TemplateParser(const Source& source, const Limits& limits, LoadErrors& errors)
      : parser_(source, limits, errors) {}

  Template parse(const Source& source, LoadErrors& errors) {
    while (!parser_.at(TokenKind::End)) {
      if (!parse_line()) parser_.recover();
    }
    if (parser_.saw_types() && errors.empty()) check_types(source, errors);
    return std::move(result_);
  }

 private:
  bool parse_line();
  bool parse_clause();
  bool parse_of_predicate();
  bool parse_of_weight();
  // Whether a predicate is followed by an offset or metadata: no atom.
  bool begins_of_predicate();

  Parser parser_;
  Template result_;
};

bool TemplateParser::parse_line() {
  const Position at = parser_.peek().at;
  if (parser_.begins_metadata()) {
    TemplateMetadata& line = result_.metadata.emplace_back();
    line.at = at;
    return parser_.parse_metadata(line.metadata);
  }
  if (parser_.at(TokenKind::Dollar) && parser_.peek(1).kind == TokenKind::Name &&
      parser_.peek(2).kind == TokenKind::LeftBracket) {
    return parse_of_weight();
  }
  return begins_of_predicate() ? parse_of_predicate() : parse_clause();
}

bool TemplateParser::parse_of_weight() {
  WeightMetadata& line = result_.weights.emplace_back();
  line.at = parser_.take().at;
  const Token name = parser_.take();
  line.weight = {std::string(name.text), name.at};
  return parser_.parse_metadata(line.metadata);
}

bool TemplateParser::begins_of_predicate() {
  std::size_t ahead = 0;
  if (parser_.peek(ahead).kind == TokenKind::Star) ++ahead;
  if (parser_.peek(ahead).kind == TokenKind::At) ++ahead;
  if (parser_.peek(ahead).kind != TokenKind::Name) return false;
  ++ahead;
  if (parser_.peek(ahead).kind == TokenKind::Slash) ahead += 2;
  return begins_weight(parser_.peek(ahead).kind);
}

bool TemplateParser::parse_of_predicate() {
  Predicate predicate;
  bool has_arity = false;
  if (!parser_.parse_predicate(predicate, has_arity)) return false;
  if (!has_arity) return parser_.fail("\":-\", \",\", \".\", or \"/\" and the number of terms");
  if (parser_.begins_metadata()) {
    PredicateMetadata& line = result_.predicates.emplace_back();
    line.at = predicate.at;
    line.predicate = std::move(predicate);
    return parser_.parse_metadata(line.metadata);
  }
  PredicateOffset& line = result_.offsets.emplace_back();
  line.at = predicate.at;
  line.predicate = std::move(predicate);
  return parser_.parse_weight(line.weight);
}

bool TemplateParser::parse_clause() {
  std::vector<Atom> atoms;
  const Position at = parser_.peek().at;
  const char* const begin = parser_.peek().text.data();
  if (!parser_.begins_atom()) return parser_.fail("a rule, a fact or metadata");
  if (!parser_.parse_atoms(atoms)) return false;
  if (atoms.size() == 1 && parser_.accept(TokenKind::Implies)) {
    Rule rule;
    rule.at = at;
    rule.head = std::move(atoms.front());
    if (!parser_.parse_rule_tail(rule, begin)) return false;
    result_.rules.push_back(std::move(rule));
    return true;
  }
  if (!parser_.expect(TokenKind::Dot,
                      atoms.size() == 1 ? "\":-\", \",\" or \".\"" : "\",\" or \".\"")) {
    return false;
  }
  if (atoms.size() == 1) {
    result_.facts.push_back(std::move(atoms.front()));
  } else {
    result_.constraints.push_back({std::move(atoms), at});
  }
  return true;
}

}  // namespace

Template parse_template(const Source& source, const Limits& limits, LoadErrors& errors) {
  Template result = TemplateParser(source, limits, errors).parse(source, errors);
  result.files = source.files;
  return result;
}

Result<Template> parse_template(const Text& text, const Limits& limits) {
  LoadErrors errors;
  const Source source = source_of(text.name, text.bytes);
  LineReader lines(source.bytes);
  while (lines.next()) {
    if (!lines.line().starts_with(kImport)) continue;
    errors.add(ErrorCode::BadTable, {text.name, lines.number(), 1}, [] {
      return std::string("found an import, expected rules and facts: a text has no folder");
    });
  }
  if (!errors.empty()) return errors.errors();
  Template result = parse_template(source, limits, errors);
  if (!errors.empty()) return errors.errors();
  return result;
}

}  // namespace vecc::tools::language
