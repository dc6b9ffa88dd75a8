// What the parsers of templates, examples and queries share: tokens, atoms, weights, rules.
// Private to this folder.
//
// Every parse function returns false after it has added an error.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "tools/ground/language/lexer.h"
#include "tools/ground/language/parse.h"
#include "tools/ground/language/source.h"
#include "tools/ground/language/template.h"
#include "tools/import/load/load_errors.h"

namespace vecc::tools::language {

/// What a weight may begin with.
[[nodiscard]] bool begins_weight(TokenKind kind);

class Parser {
 public:
  Parser(const Source& source, const Limits& limits, LoadErrors& errors);

  /// The token `ahead` of the current one, at most kLookahead - 1.
  [[nodiscard]] const Token& peek(std::size_t ahead = 0);
  [[nodiscard]] bool at(TokenKind kind) { return peek().kind == kind; }
  Token take();
  bool accept(TokenKind kind);
  bool expect(TokenKind kind, std::string_view expected);
  /// Adds `found X, expected Y` at the current token; false.
  bool fail(std::string_view expected);
  /// Adds an error at a place; false.
  bool fail_at(const Position& at, ErrorCode code, std::string message);
  /// Goes on after the next dot.
  void recover();

  [[nodiscard]] bool begins_weight() { return language::begins_weight(peek().kind); }
  [[nodiscard]] bool begins_atom();
  /// Whether a `[` here begins metadata, not a vector.
  [[nodiscard]] bool begins_metadata(std::size_t ahead = 0);

  bool parse_atom(Atom& atom);
  /// `a, b, c`: at least one is appended.
  bool parse_atoms(std::vector<Atom>& atoms);
  /// All of a rule whose head was read: body, offset, dot, metadata. `begin`: of the head.
  bool parse_rule_tail(Rule& rule, const char* begin);
  bool parse_predicate(Predicate& predicate, bool& has_arity);
  bool parse_weight(Weight& weight);
  bool parse_metadata(Metadata& metadata);
  /// Whether a constant with a type was read.
  [[nodiscard]] bool saw_types() const { return saw_types_; }

 private:
  static constexpr std::size_t kLookahead = 8;

  void check_word(const Token& token);
  std::string compact_text(const char* begin);
  bool after_weight(Atom& atom);
  bool parse_terms(Atom& atom);
  bool parse_term(Term& term);
  bool parse_entry(MetadataEntry& entry);
  bool parse_call(FunctionCall& call);
  bool parse_value(Value& value);
  bool parse_sizes(Value& value);
  bool parse_brackets(Value& value);
  bool parse_matrix(Value& value);
  bool parse_numbers(Value& value, std::vector<Token>& numbers);
  bool parse_sparse(Value& value, std::span<const Token> sizes);
  bool parse_element(Value& value, std::size_t sides);
  bool parse_index(std::uint32_t limit, std::uint32_t& index);
  bool number_of(const Token& token, double& number);
  bool size_of(const Token& token, std::uint32_t& size);
  bool check_size(const Value& value);

  Lexer lexer_;
  const Source& source_;
  const Limits& limits_;
  LoadErrors& errors_;
  std::array<Token, kLookahead> ring_;
  std::size_t first_ = 0;  ///< of the ring
  std::size_t count_ = 0;
  bool saw_types_ = false;
  const char* end_ = nullptr;  ///< of the token taken last
};

/// A whole number as a decimal text without a sign; nothing where it does not fit.
[[nodiscard]] std::optional<std::uint32_t> parse_count(std::string_view text);

}  // namespace vecc::tools::language
