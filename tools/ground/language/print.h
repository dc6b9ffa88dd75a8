// The syntax tree as text: what it was parsed from, but for blanks, comments and spelling. Parsing
// it again gives the same tree, positions aside.
#pragma once

#include <string>

#include "tools/ground/language/template.h"

namespace vecc::tools::language {

/// `X`, `atom:c1`
[[nodiscard]] std::string text_of(const Term& term);
/// `0.5`, `[1,2]`, `[[1,2] [3,4]]`, `{2,3}`
[[nodiscard]] std::string text_of(const Value& value);
/// `$w=<0.5>`
[[nodiscard]] std::string text_of(const Weight& weight);
/// `*bond/2`, `@alldiff/3`: as a line of metadata begins, and as errors name it.
[[nodiscard]] std::string text_of(const Predicate& predicate);
/// `{3,3} !*bond(X, Y)`
[[nodiscard]] std::string text_of(const Atom& atom);
/// `[transformation=tanh, offset={3,1}]`
[[nodiscard]] std::string text_of(const Metadata& metadata);
/// `h(X) :- {3,3} a(X), 0.5. [aggregation=max]`
[[nodiscard]] std::string text_of(const Rule& rule);

/// All of it, one node a line.
[[nodiscard]] std::string text_of(const Template& parsed);
[[nodiscard]] std::string text_of(const Example& example);
[[nodiscard]] std::string text_of(const Query& query);

}  // namespace vecc::tools::language
