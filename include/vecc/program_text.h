// The text form of a Program (one op a line; it round-trips) and its DOT picture.
//
//   vecc program 1 f32 samples 4
//   parameter "w0" [1, 3x3] = {0.5, ...}
//   %7 = gather %3 [0:12] : f32[12, 3x1]  # layer_1: rule
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vecc/error.h"
#include "vecc/program.h"

namespace vecc {

/// What happens to arrays (indices, offsets, words, facts, parameter values) longer than
/// `inline_limit`.
enum class LongArrays : std::uint8_t {
  Digest,    ///< `[0, 3, 7, ... 1000 #9f2c41d8]`: for people; does not parse
  Full,      ///< written out
  SideFile,  ///< `@128:1000`: byte offset and number of elements in a side file
};
struct PrintOptions {
  LongArrays long_arrays = LongArrays::Digest;
  std::uint32_t inline_limit = 16;
  bool parameter_values = false;
  /// The first line states the CRC-32 of the text: `vecc program 1 crc32 1a2b3c4d f32 ...`. For
  /// files: parse_program() refuses the text once it is changed.
  bool checksum = false;
};

/// Text of a whole Program. With LongArrays::SideFile, appends the arrays to `*side` (never null
/// then) and states its size and digest in the first line. Reading back gives the same Program if
/// arrays are not shortened and `parameter_values` is set. Grammar: docs/program.md.
[[nodiscard]] std::string print(const Program& program, const PrintOptions& options = {},
                                std::string* side = nullptr);
/// One op's line without the newline.
[[nodiscard]] std::string print_op(const Program& program, ValueId value,
                                   const PrintOptions& options = {});
/// Parses print()'s text. `name` stands for the file in errors (`p.vecc:3:14: ...`); `side` holds
/// the side file's bytes. Errors: ProgramSyntax with line, column, found and expected;
/// WrongChecksum (of the text, of the side file); those of Program::add, add_parameter and of
/// function texts. Does not verify().
[[nodiscard]] Result<Program> parse_program(std::string_view text, std::string_view name,
                                            std::string_view side = {});
/// Writes `path` with its CRC-32 and, if an array is long, `path` + ".arrays"; both by rename.
[[nodiscard]] Result<void> save_program(const Program& program, const std::string& path);
/// Reads and verifies. Errors: FileUnreadable; those of parse_program and verify.
[[nodiscard]] Result<Program> load_program(const std::string& path);

/// Graphviz DOT (through Boost.Graph): a box an op with its text, an edge an operand.
[[nodiscard]] std::string print_dot(const Program& program);

}  // namespace vecc
