// What the tests of the template language share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tools/ground/language/check.h"
#include "tools/ground/language/parse.h"
#include "tools/ground/language/print.h"

namespace vecc::test {

/// The template as text again, or its errors.
inline std::string read_template_text(std::string_view bytes,
                                      const tools::language::Limits& limits = {}) {
  const auto parsed = tools::language::parse_template({"t.txt", bytes}, limits);
  return parsed ? text_of(*parsed) : parsed.error().text();
}

inline std::string read_examples_text(std::string_view bytes) {
  const auto parsed = tools::language::parse_examples({"e.txt", bytes});
  if (!parsed) return parsed.error().text();
  std::string text;
  for (const auto& example : parsed->examples) text += text_of(example) + "\n";
  return text;
}

inline std::string read_queries_text(std::string_view bytes) {
  const auto parsed = tools::language::parse_queries({"q.txt", bytes});
  if (!parsed) return parsed.error().text();
  std::string text;
  for (const auto& query : parsed->queries) text += text_of(query) + "\n";
  return text;
}

}  // namespace vecc::test
