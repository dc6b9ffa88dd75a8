// The parser: bytes to the syntax tree. The grammar is docs/templates.md's.
//
// Errors BadTable (`found "x", expected a term`) and LimitBytes..LimitValueSize, with places
// `FILE: line 3, column 14`; the parser goes on after the next dot, up to 20 errors are listed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tools/ground/language/template.h"
#include "tools/import/load/text_file.h"
#include "vecc/error.h"

namespace vecc::tools::language {

/// What a text may be at most; beyond it, an error of its own at the place.
struct Limits {
  std::uint64_t max_terms = 65'536;           ///< of an atom
  std::uint64_t max_atoms = 1ull << 32;       ///< of a body or an example
  std::uint64_t max_value_size = 1ull << 24;  ///< elements of one value
  std::uint64_t max_word = 65'536;            ///< bytes of one name or number
  std::uint32_t max_files = 256;              ///< imports, the template itself among them
  bool double_scalars =
      false;  ///< not NeuraLogic's 32-bit floats: values of PyNeuraLogic are doubles
};

/// A template without imports (an `import` line is an error).
[[nodiscard]] Result<Template> parse_template(const Text& text, const Limits& limits = {});
/// A template and what its `import FILE[, FILE]` lines name, relative to the folder of the file
/// that they are in. Errors, too: FileUnreadable, FileEmpty, LimitBytes; an import of itself.
[[nodiscard]] Result<Template> read_template(const std::string& path, const Limits& limits = {});

[[nodiscard]] Result<Examples> parse_examples(const Text& text, const Limits& limits = {});
[[nodiscard]] Result<Queries> parse_queries(const Text& text, const Limits& limits = {});

/// The same, one at a time and without keeping them: `take` may stop the reading with its errors.
/// `labeled` and `named` are told from the first.
[[nodiscard]] Result<bool> read_examples(const Text& text,
                                         const std::function<Result<void>(Example&&)>& take,
                                         const Limits& limits = {});
[[nodiscard]] Result<bool> read_queries(const Text& text,
                                        const std::function<Result<void>(Query&&)>& take,
                                        const Limits& limits = {});

}  // namespace vecc::tools::language
