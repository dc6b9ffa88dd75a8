// Program text: any bytes give an error or a program; a program prints, and its text reads back as
// the same text. The bytes behind the first NUL are the side file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "vecc/program_text.h"

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

vecc::PrintOptions full_options() {
  vecc::PrintOptions options;
  options.long_arrays = vecc::LongArrays::Full;
  options.parameter_values = true;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t end = bytes.find('\0');
  const std::string_view side =
      end == std::string_view::npos ? std::string_view() : bytes.substr(end + 1);
  const auto program = vecc::parse_program(bytes.substr(0, end), "fuzz", side);
  if (!program) {
    expect(!program.error().text().empty());
    return 0;
  }
  const std::string text = vecc::print(*program, full_options());
  const auto again = vecc::parse_program(text, "printed");
  expect(again.has_value());
  expect(vecc::print(*again, full_options()) == text);
  (void)vecc::verify(*program);
  (void)vecc::statistics(*program);
  (void)vecc::print_dot(*program);
  return 0;
}
