// A Program's text, line by line.
#include "src/program/parse_program.h"

#include <utility>

#include "src/program/array_bytes.h"
#include "src/program/op_parser.h"
#include "src/support/checksum.h"
#include "vecc/escape.h"
#include "vecc/program_text.h"

namespace vecc {
namespace {

struct Header {
  DType dtype = DType::F32;
  std::uint32_t samples = 0;
};

Result<DType> parse_dtype(TextCursor& cursor) {
  const std::size_t begin = cursor.position();
  const std::string_view word = cursor.take_word();
  for (const DType dtype : {DType::F32, DType::F64}) {
    if (text_of(dtype) == word) return dtype;
  }
  return cursor.error_at(begin, "\"f32\" or \"f64\"");
}

// `crc32 1a2b3c4d`, behind `crc32`: of the whole text.
Result<void> check_text(TextCursor& cursor, std::string_view text) {
  const std::size_t begin = cursor.position();
  if (text.size() - begin < kChecksumDigits) return cursor.error("the CRC-32 of the text");
  const std::string_view stated = text.substr(begin, kChecksumDigits);
  const std::string wrong =
      compare_checksum(crc32_without_digits(text, begin), stated,
                       "write it again (a text that is changed by hand goes without \"crc32 " +
                           escape_terminal(stated) + "\")");
  if (!wrong.empty()) return Errors(ErrorCode::WrongChecksum, cursor.place_at(begin), wrong);
  (void)cursor.take_word();
  return {};
}

// `arrays 4096 digest 0123456789abcdef`, behind `arrays`.
Result<void> check_side(TextCursor& cursor, std::string_view side) {
  const std::size_t begin = cursor.position();
  VECC_TRY(const std::uint64_t size, cursor.read_u64("the side file's size"));
  VECC_TRY_VOID(cursor.expect("digest"));
  const std::string_view stated = cursor.take_word();
  const std::string found = digest_text(digest_bytes(side), 16);
  if (size == side.size() && stated == found) return {};
  return Errors(ErrorCode::WrongChecksum, cursor.place_at(begin),
                "the side file has " + std::to_string(side.size()) + " bytes and the digest " +
                    found + ", expected " + std::to_string(size) + " and " +
                    escape_terminal(stated) +
                    ": it is damaged, or another program's; write both again");
}

Result<void> end_line(TextCursor& cursor) {
  if (cursor.is_next("#")) (void)cursor.take_line();
  return cursor.expect_line_end();
}

Result<void> skip_blank_lines(TextCursor& cursor) {
  while (!cursor.at_end() && (cursor.is_next("#") || cursor.at_line_end()) && !cursor.at_end()) {
    VECC_TRY_VOID(end_line(cursor));
  }
  return {};
}

Result<Header> parse_header(TextCursor& cursor, std::string_view text, std::string_view side) {
  Header header;
  for (const std::string_view word : {"vecc", "program", "1"}) {
    const std::size_t begin = cursor.position();
    if (cursor.take_word() != word) {
      return cursor.error_at(begin, "\"vecc program 1\" at the beginning");
    }
  }
  if (cursor.accept("crc32")) VECC_TRY_VOID(check_text(cursor, text));
  VECC_TRY(header.dtype, parse_dtype(cursor));
  VECC_TRY_VOID(cursor.expect("samples"));
  VECC_TRY(header.samples, cursor.read_u32("a number of samples"));
  if (cursor.accept("arrays")) VECC_TRY_VOID(check_side(cursor, side));
  VECC_TRY_VOID(end_line(cursor));
  return header;
}

// `parameter "w0" [1, 3x3] = {0.5, ...}`
Result<void> parse_parameter(TextCursor& cursor, ArrayParser& arrays, ParameterNames& names,
                             Program& program) {
  const std::size_t begin = cursor.position();
  VECC_TRY_VOID(cursor.expect("parameter"));
  Parameter parameter;
  VECC_TRY(parameter.name, cursor.read_string("a parameter's name"));
  VECC_TRY_VOID(cursor.expect("["));
  VECC_TRY(parameter.rows, cursor.read_u32("a number of rows"));
  VECC_TRY_VOID(cursor.expect(","));
  VECC_TRY(parameter.shape, cursor.read_shape());
  VECC_TRY_VOID(cursor.expect("]"));
  if (cursor.accept("=")) {
    VECC_TRY(parameter.values, arrays.numbers());
  }
  std::string name = parameter.name;
  const auto added = program.add_parameter(std::move(parameter));
  if (!added) return added.error().in(cursor.place_at(begin));
  names.emplace(std::move(name), *added);
  return end_line(cursor);
}

}  // namespace

Result<Program> parse_program(std::string_view text, std::string_view name, std::string_view side) {
  SideFile source(side);
  return parse_program_of(text, name, side, source);
}

Result<Program> parse_program_of(std::string_view text, std::string_view name,
                                 std::string_view side, ArraySource& source) {
  TextCursor cursor(text, name);
  VECC_TRY_VOID(skip_blank_lines(cursor));
  VECC_TRY(const Header header, parse_header(cursor, text, side));
  Program program(header.dtype);
  program.set_sample_count(header.samples);
  ArrayParser arrays(cursor, source);
  ParameterNames names;
  OpParser ops(cursor, arrays, names, program);
  while (true) {
    VECC_TRY_VOID(skip_blank_lines(cursor));
    if (cursor.at_line_end()) return program;
    if (cursor.is_next("parameter")) {
      VECC_TRY_VOID(parse_parameter(cursor, arrays, names, program));
    } else if (cursor.is_next("%")) {
      VECC_TRY_VOID(ops.parse_line());
    } else {
      return cursor.error("\"%\" or \"parameter\"");
    }
  }
}

}  // namespace vecc
