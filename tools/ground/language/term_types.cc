#include "tools/ground/language/term_types.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <string_view>

#include "tools/ground/language/lexer.h"

namespace vecc::tools::language {
namespace {

struct Typed {
  std::string_view type;
  Position at;
};

std::string text_of_type(std::string_view type) {
  return type.empty() ? "no type" : "type " + quote(type);
}

void add_error(std::string_view name, std::string_view type, const Position& at, const Typed& first,
               const Source& source, LoadErrors& errors) {
  errors.add(ErrorCode::BadTable, {source.files[at.file], at.line, at.column}, [&] {
    return "found " + quote(name) + " of " + text_of_type(type) + ", expected " +
           text_of_type(first.type) + " as in line " + std::to_string(first.at.line);
  });
}

template <class Use>
void for_each_variable(Rule& rule, Use&& use) {
  const auto of_atom = [&](Atom& atom) {
    for (Term& term : atom.terms) {
      if (term.is_variable()) use(term);
    }
  };
  of_atom(rule.head);
  for (Atom& atom : rule.body) of_atom(atom);
}

}  // namespace

bool spread_types(Rule& rule, const Source& source, LoadErrors& errors) {
  boost::unordered_flat_map<std::string, Typed> types;
  bool fits = true;
  for_each_variable(rule, [&](const Term& term) {
    if (term.type.empty()) return;
    const Typed& first = types.try_emplace(term.text, Typed{term.type, term.at}).first->second;
    if (first.type == term.type) return;
    add_error(term.text, term.type, term.at, first, source, errors);
    fits = false;
  });
  if (types.empty()) return true;
  for_each_variable(rule, [&](Term& term) {
    const auto known = types.find(term.text);
    // The first place of the type keeps it: `types` has a view of it.
    if (known != types.end() && term.type.empty()) term.type = known->second.type;
  });
  return fits;
}

void check_types(const Source& source, LoadErrors& errors) {
  boost::unordered_flat_map<std::string_view, Typed> types;
  Lexer lexer(source);
  std::string_view type;
  bool in_terms = false;
  std::size_t brackets = 0;  // values have parentheses, too
  for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
    const bool is_constant = token.kind == TokenKind::Name || token.kind == TokenKind::Integer ||
                             token.kind == TokenKind::Decimal;
    if (token.kind == TokenKind::LeftBracket) ++brackets;
    if (token.kind == TokenKind::RightBracket) --brackets;
    if (token.kind == TokenKind::LeftParen) in_terms = brackets == 0;
    if (token.kind == TokenKind::RightParen) in_terms = false;
    if (in_terms && is_constant) {
      const Typed& first = types.try_emplace(token.text, Typed{type, token.at}).first->second;
      if (first.type != type) {
        add_error(token.text, type, token.at, first, source, errors);
        return;
      }
    }
    type = token.kind == TokenKind::Type ? token.text.substr(0, token.text.size() - 1) : "";
  }
}

}  // namespace vecc::tools::language
