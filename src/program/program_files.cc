// A Program as a text file with a side file for its long arrays.
#include "src/support/whole_file.h"
#include "vecc/escape.h"
#include "vecc/program_text.h"

namespace vecc {
namespace {

std::string side_path(const std::string& path) {
  return path + ".arrays";
}

// The words behind which a header names the size of a side file.
bool names_side_file(std::string_view text) {
  return text.substr(0, text.find('\n')).find(" arrays ") != std::string_view::npos;
}

}  // namespace

Result<void> save_program(const Program& program, const std::string& path) {
  PrintOptions options;
  options.long_arrays = LongArrays::SideFile;
  options.parameter_values = true;
  options.checksum = true;
  std::string side;
  const std::string text = print(program, options, &side);
  // The side file first: a reader that finds the new text finds its arrays.
  if (!side.empty()) VECC_TRY_VOID(write_whole_file(side_path(path), side));
  return write_whole_file(path, text);
}

Result<Program> load_program(const std::string& path) {
  VECC_TRY(const std::string text, read_whole_file(path));
  std::string side;
  if (names_side_file(text)) {
    VECC_TRY(side, read_whole_file(side_path(path)));
  }
  VECC_TRY(Program program, parse_program(text, path, side));
  if (auto verified = verify(program); !verified)
    return verified.error().in(escape_terminal(path, 4096));
  return program;
}

}  // namespace vecc
