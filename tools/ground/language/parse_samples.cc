// Examples and queries.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "tools/ground/language/parse.h"
#include "tools/ground/language/parser.h"
#include "tools/ground/language/term_types.h"

namespace vecc::tools::language {
namespace {

void move_to(std::vector<Atom>& to, std::vector<Atom>& from) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }
  from.clear();
}

class SampleParser {
 public:
  SampleParser(const Text& text, const Limits& limits)
      : source_(source_of(text.name, text.bytes)), parser_(source_, limits, errors_) {}

  /// `parse_one` reads up to the dot of one; `take` gets it, until there are errors.
  template <class One, class ParseOne>
  Result<bool> parse(ParseOne parse_one, const std::function<Result<void>(One&&)>& take,
                     std::string_view expected) {
    if (parser_.at(TokenKind::End)) {
      return Errors(ErrorCode::FileEmpty, source_.files.front(),
                    "expected " + std::string(expected));
    }
    while (!parser_.at(TokenKind::End)) {
      One one;
      if (!(this->*parse_one)(one)) {
        parser_.recover();
      } else if (errors_.empty()) {
        VECC_TRY_VOID(take(std::move(one)));
      }
    }
    if (parser_.saw_types() && errors_.empty()) check_types(source_, errors_);
    if (!errors_.empty()) return errors_.errors();
    return *labeled_;
  }

  bool parse_example(Example& example);
  bool parse_query(Query& query);

 private:
  bool parse_label(std::vector<Atom>& atoms, std::vector<Atom>& label, std::string_view what);
  bool parse_rule(Example& example, std::vector<Atom>& head);
  bool parse_atoms(std::vector<Atom>& atoms);

  Source source_;
  LoadErrors errors_;
  Parser parser_;
  std::optional<bool> labeled_;
  const char* begin_ = nullptr;  // of the atoms read last
};

// The first of a file tells whether all of them have a label and `:-`.
bool SampleParser::parse_label(std::vector<Atom>& atoms, std::vector<Atom>& label,
                               std::string_view what) {
  if (!parser_.begins_atom()) return parser_.fail("an atom");
  if (!parse_atoms(atoms)) return false;
  if (!labeled_) labeled_ = parser_.at(TokenKind::Implies);
  if (!*labeled_) return true;
  if (!parser_.accept(TokenKind::Implies)) {
    return parser_.fail("\":-\" after the " + std::string(what) + ", as in the first of the file");
  }
  label = std::move(atoms);
  atoms.clear();
  if (!parser_.begins_atom()) return parser_.fail("an atom");
  return parse_atoms(atoms);
}

bool SampleParser::parse_example(Example& example) {
  example.at = parser_.peek().at;
  std::vector<Atom> atoms;
  if (!parse_label(atoms, example.queries, "queries")) return false;
  for (;;) {
    if (parser_.accept(TokenKind::Dot)) {
      move_to(example.facts, atoms);
      return true;
    }
    if (parser_.at(TokenKind::Implies) && atoms.size() == 1) {
      parser_.take();
      if (!parse_rule(example, atoms)) return false;
      if (parser_.accept(TokenKind::Dot)) return true;
      if (!parser_.begins_atom()) return parser_.fail("an atom, or \".\" that ends the example");
    } else {
      move_to(example.facts, atoms);
      if (!parser_.begins_atom()) return parser_.fail("\",\", \".\" or an atom");
    }
    if (!parse_atoms(atoms)) return false;
  }
}

// NeuraLogic shares weights of one name between facts.
bool SampleParser::parse_atoms(std::vector<Atom>& atoms) {
  begin_ = parser_.peek().text.data();
  if (!parser_.parse_atoms(atoms)) return false;
  const auto named = std::ranges::find_if(
      atoms, [](const Atom& atom) { return atom.weight && !atom.weight->name.empty(); });
  if (named == atoms.end()) return true;
  return parser_.fail_at(named->weight->at, ErrorCode::BadTable,
                         "found weight " + quote(named->weight->name) +
                             ", expected a value: a shared weight stands in the template");
}

bool SampleParser::parse_rule(Example& example, std::vector<Atom>& head) {
  Rule rule;
  rule.at = head.front().at;
  rule.head = std::move(head.front());
  head.clear();
  if (!parser_.parse_rule_tail(rule, begin_)) return false;
  example.rules.push_back(std::move(rule));
  return true;
}

bool SampleParser::parse_query(Query& query) {
  query.at = parser_.peek().at;
  std::vector<Atom> id;
  if (!parse_label(query.atoms, id, "example's name")) return false;
  if (id.size() > 1) {
    return parser_.fail_at(
        id[1].at, ErrorCode::BadTable,
        found_expected(id[1].predicate.name, "\":-\": one atom names the example"));
  }
  if (!id.empty()) query.id = std::move(id.front());
  return parser_.expect(TokenKind::Dot, "\",\" or \".\"");
}

}  // namespace

Result<bool> read_examples(const Text& text, const std::function<Result<void>(Example&&)>& take,
                           const Limits& limits) {
  return SampleParser(text, limits).parse(&SampleParser::parse_example, take, "an example");
}

Result<bool> read_queries(const Text& text, const std::function<Result<void>(Query&&)>& take,
                          const Limits& limits) {
  return SampleParser(text, limits).parse(&SampleParser::parse_query, take, "a query");
}

Result<Examples> parse_examples(const Text& text, const Limits& limits) {
  Examples result;
  result.file = text.name;
  const auto take = [&](Example&& example) -> Result<void> {
    result.examples.push_back(std::move(example));
    return {};
  };
  VECC_TRY(result.labeled, read_examples(text, take, limits));
  return result;
}

Result<Queries> parse_queries(const Text& text, const Limits& limits) {
  Queries result;
  result.file = text.name;
  const auto take = [&](Query&& query) -> Result<void> {
    result.queries.push_back(std::move(query));
    return {};
  };
  VECC_TRY(result.named, read_queries(text, take, limits));
  return result;
}

}  // namespace vecc::tools::language
