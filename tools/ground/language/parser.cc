#include "tools/ground/language/parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "tools/ground/language/term_types.h"

namespace vecc::tools::language {

std::optional<std::uint32_t> parse_count(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return count;
}

Parser::Parser(const Source& source, const Limits& limits, LoadErrors& errors)
    : lexer_(source), source_(source), limits_(limits), errors_(errors) {}

const Token& Parser::peek(std::size_t ahead) {
  VECC_CHECK(ahead < kLookahead, "the parser looks too far ahead");
  while (count_ <= ahead) {
    Token& next = ring_[(first_ + count_) % kLookahead];
    next = lexer_.next();
    check_word(next);
    ++count_;
  }
  return ring_[(first_ + ahead) % kLookahead];
}

Token Parser::take() {
  const Token token = peek();
  first_ = (first_ + 1) % kLookahead;
  --count_;
  end_ = token.text.data() + token.text.size();
  return token;
}

bool Parser::accept(TokenKind kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

bool Parser::expect(TokenKind kind, std::string_view expected) {
  return accept(kind) || fail(expected);
}

bool Parser::fail(std::string_view expected) {
  const Token& found = peek();
  std::string message;
  if (found.kind == TokenKind::End) {
    message = "found the end of the file, expected " + std::string(expected);
  } else if (found.kind == TokenKind::OpenComment) {
    message = "found a comment without its end, expected \"*/\"";
  } else {
    message = found_expected(found.text, expected);
    // `predict:- x.`: the longest word that fits is a type.
    const Token& next = peek(1);
    if (found.kind == TokenKind::Type && next.kind == TokenKind::Other && next.text == "-") {
      message += "; before \":-\" stands a blank";
    }
  }
  return fail_at(found.at, ErrorCode::BadTable, std::move(message));
}

bool Parser::fail_at(const Position& at, ErrorCode code, std::string message) {
  errors_.add(code, {source_.files[at.file], at.line, at.column}, [&] { return message; });
  return false;
}

void Parser::recover() {
  while (!at(TokenKind::End) && !at(TokenKind::Dot)) take();
  accept(TokenKind::Dot);
}

void Parser::check_word(const Token& token) {
  if (token.text.size() <= limits_.max_word) return;
  fail_at(token.at, ErrorCode::LimitBytes,
          "a word of " + std::to_string(token.text.size()) + " bytes, the limit is " +
              std::to_string(limits_.max_word));
}

bool begins_weight(TokenKind kind) {
  constexpr std::array kKinds = {TokenKind::Dollar,  TokenKind::Less,        TokenKind::Integer,
                                 TokenKind::Decimal, TokenKind::LeftBracket, TokenKind::LeftBrace};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

bool Parser::begins_atom() {
  constexpr std::array kKinds = {TokenKind::Bang, TokenKind::Tilde, TokenKind::Caret,
                                 TokenKind::Star, TokenKind::At,    TokenKind::Name};
  return begins_weight() || std::ranges::find(kKinds, peek().kind) != kKinds.end();
}

bool Parser::begins_metadata(std::size_t ahead) {
  if (peek(ahead).kind != TokenKind::LeftBracket) return false;
  const TokenKind next = peek(ahead + 1).kind;
  return next == TokenKind::Name || next == TokenKind::RightBracket;
}

bool Parser::parse_predicate(Predicate& predicate, bool& has_arity) {
  predicate.at = peek().at;
  predicate.hidden = accept(TokenKind::Star);
  predicate.special = accept(TokenKind::At);
  if (!at(TokenKind::Name)) return fail("a predicate");
  predicate.name = take().text;
  has_arity = accept(TokenKind::Slash);
  if (!has_arity) return true;
  const std::optional<std::uint32_t> arity = parse_count(peek().text);
  if (!at(TokenKind::Integer) || !arity) return fail("the number of terms");
  predicate.arity = *arity;
  take();
  return true;
}

bool Parser::parse_atom(Atom& atom) {
  atom.at = peek().at;
  if (begins_weight() && !parse_weight(atom.weight.emplace())) return false;
  return after_weight(atom);
}

bool Parser::after_weight(Atom& atom) {
  if (accept(TokenKind::Bang)) {
    atom.negation = Negation::Hard;
  } else if (accept(TokenKind::Tilde)) {
    atom.negation = Negation::Soft;
  } else if (accept(TokenKind::Caret)) {
    if (!at(TokenKind::Name)) return fail("a function");
    if (!parse_call(atom.function.emplace())) return false;
  }
  bool has_arity = false;
  if (!parse_predicate(atom.predicate, has_arity)) return false;
  if (accept(TokenKind::LeftParen) && !parse_terms(atom)) return false;
  const auto terms = static_cast<std::uint32_t>(atom.terms.size());
  if (has_arity && atom.predicate.arity != terms) {
    return fail_at(atom.predicate.at, ErrorCode::BadTable,
                   "found " + quote(atom.predicate.name) + " with " + count_of(terms, "term") +
                       ", expected " + std::to_string(atom.predicate.arity) +
                       " as it stands after \"/\"");
  }
  atom.predicate.arity = terms;
  return true;
}

bool Parser::parse_terms(Atom& atom) {
  if (accept(TokenKind::RightParen)) return true;
  for (;;) {
    if (atom.terms.size() == limits_.max_terms) {
      return fail_at(peek().at, ErrorCode::LimitRows,
                     "an atom of more than " + count_of(limits_.max_terms, "term"));
    }
    if (!parse_term(atom.terms.emplace_back())) return false;
    if (accept(TokenKind::RightParen)) return true;
    if (!expect(TokenKind::Comma, "\",\" or \")\"")) return false;
  }
}

bool Parser::parse_term(Term& term) {
  term.at = peek().at;
  const bool typed = at(TokenKind::Type);
  if (typed) {
    const Token type = take();
    term.type = type.text.substr(0, type.text.size() - 1);
  }
  constexpr std::array kKinds = {std::pair{TokenKind::Variable, Term::Kind::Variable},
                                 std::pair{TokenKind::Name, Term::Kind::Name},
                                 std::pair{TokenKind::Quoted, Term::Kind::Name},
                                 std::pair{TokenKind::Integer, Term::Kind::Integer},
                                 std::pair{TokenKind::Decimal, Term::Kind::Decimal}};
  const auto found =
      std::ranges::find(kKinds, peek().kind, &std::pair<TokenKind, Term::Kind>::first);
  if (found == kKinds.end()) {
    return fail(typed ? "a variable or a constant after its type" : "a variable or a constant");
  }
  term.kind = found->second;
  saw_types_ |= typed && !term.is_variable();
  const Token word = take();
  term.text = word.kind == TokenKind::Quoted ? unquote(word.text) : std::string(word.text);
  return true;
}

bool Parser::parse_atoms(std::vector<Atom>& atoms) {
  do {
    if (atoms.size() >= limits_.max_atoms) {
      return fail_at(peek().at, ErrorCode::LimitRows,
                     "more than " + count_of(limits_.max_atoms, "atom"));
    }
    if (!parse_atom(atoms.emplace_back())) return false;
  } while (accept(TokenKind::Comma));
  return true;
}

// All tokens from there to the one taken last.
std::string Parser::compact_text(const char* begin) {
  const Source part = source_of("", {begin, static_cast<std::size_t>(end_ - begin)});
  Lexer lexer(part);
  std::string text;
  for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
    text += token.text;
  }
  return text;
}

bool Parser::parse_rule_tail(Rule& rule, const char* begin) {
  for (;;) {
    Atom& atom = rule.body.emplace_back();
    atom.at = peek().at;
    if (begins_weight() && !parse_weight(atom.weight.emplace())) return false;
    if (atom.weight && rule.body.size() > 1 && at(TokenKind::Dot)) {
      rule.offset = std::move(atom.weight);
      rule.body.pop_back();
      break;
    }
    if (rule.body.size() > limits_.max_atoms) {
      return fail_at(atom.at, ErrorCode::LimitRows,
                     "a body of more than " + count_of(limits_.max_atoms, "atom"));
    }
    if (!after_weight(atom)) return false;
    if (accept(TokenKind::Comma)) continue;
    if (!at(TokenKind::Dot)) return fail("\",\" or \".\"");
    break;
  }
  if (!expect(TokenKind::Dot, "\".\"")) return false;
  if (begins_metadata() && !parse_metadata(rule.metadata)) return false;
  rule.text = compact_text(begin);
  return spread_types(rule, source_, errors_);
}

// The arguments are a text of their own, which functions.cc reads.
bool Parser::parse_call(FunctionCall& call) {
  const Token name = take();
  call.text = name.text;
  call.at = name.at;
  std::size_t depth = 0;
  for (bool open = true; open;) {
    const TokenKind kind = peek().kind;
    const bool opens = kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket;
    if (depth == 0 && !opens) return true;
    if (kind == TokenKind::End || kind == TokenKind::OpenComment) return fail("\")\"");
    if (opens) ++depth;
    if (kind == TokenKind::RightParen || kind == TokenKind::RightBracket) --depth;
    open = depth > 0 || kind != TokenKind::RightParen;
    call.arguments += take().text;
    if (call.arguments.size() > limits_.max_word) {
      return fail_at(call.at, ErrorCode::LimitBytes,
                     "a function of more than " + std::to_string(limits_.max_word) + " bytes");
    }
  }
  return true;
}

bool Parser::parse_metadata(Metadata& metadata) {
  if (!expect(TokenKind::LeftBracket, "\"[\"")) return false;
  if (accept(TokenKind::RightBracket)) return true;
  do {
    if (!parse_entry(metadata.emplace_back())) return false;
  } while (accept(TokenKind::Comma));
  return expect(TokenKind::RightBracket, "\",\" or \"]\"");
}

bool Parser::parse_entry(MetadataEntry& entry) {
  if (!at(TokenKind::Name)) return fail("a key");
  const Token key = take();
  entry.key = {std::string(key.text), key.at};
  if (!expect(TokenKind::Assign, "\"=\"")) return false;
  entry.word.at = peek().at;
  const bool is_weight = accept(TokenKind::Dollar);
  if (at(TokenKind::Name)) {
    entry.kind = is_weight ? MetadataEntry::Kind::WeightName : MetadataEntry::Kind::Word;
    if (!is_weight) return parse_call(entry.word);
    entry.word.text = take().text;
    return true;
  }
  if (is_weight) return fail("the name of a weight");
  entry.kind = MetadataEntry::Kind::Value;
  if (!begins_weight() || at(TokenKind::Less))
    return fail("a word, \"$\" and a weight, or a value");
  return parse_value(entry.value);
}

}  // namespace vecc::tools::language
