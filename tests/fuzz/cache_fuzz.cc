// Entries of the program cache: any bytes behind good digests give an error, or a Program and an
// outline that can be used; any bytes as a file give an error. The bytes up to the first NUL are
// the Program's text; then come how many numbers there are, a size and as many bytes of names, and
// words, which the numbers are made of as well.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/graph_outline.h"
#include "src/program/program_columns.h"
#include "vecc/program_text.h"
#include "vecc/shared_numbers.h"

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

const std::string& path() {
  static const std::string path = "/tmp/vecc-cache-fuzz-" + std::to_string(::getpid());
  return path;
}

std::vector<std::uint32_t> words_of(std::string_view bytes) {
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::copy_n(bytes.data(), words.size() * sizeof(std::uint32_t),
              reinterpret_cast<char*>(words.data()));
  return words;
}

// The next byte, no more than `most`.
std::size_t take_size(std::string_view& bytes, std::size_t most) {
  const std::size_t size = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(bytes.empty() ? 0 : 1);
  return std::min(size, most);
}

void read_as_columns(std::string_view text, std::string_view rest) {
  const std::size_t number_count = take_size(rest, 255);
  const std::size_t names = take_size(rest, rest.size() > 1 ? rest.size() - 1 : 0);
  const std::vector<std::uint32_t> words = words_of(rest.substr(names));
  std::vector<double> numbers(words.begin(), words.end());
  numbers.resize(number_count);
  auto writer = vecc::ColumnWriter::create(path(), std::uint64_t{1} << 30);
  expect(writer.has_value());
  writer->add(std::span<const std::uint32_t>(words));
  writer->add(rest.substr(0, names));
  writer->add(vecc::SharedNumbers::of(numbers));
  writer->add(text);
  expect(writer->commit("fuzz"));
  const auto file = vecc::ColumnFile::read(path(), "fuzz", 1);
  expect(file && *file);
  const auto outline = vecc::read_outline(**file, 0);
  if (outline) {
    for (const vecc::Sample& sample : outline->graph.samples) {
      expect(sample.output < outline->sizes.neurons);
      expect(!sample.has_target || sample.target_begin + sample.target_shape.size() <=
                                       outline->graph.target_values.size());
    }
    (void)outline->graph.bytes();
  }
  const auto program = vecc::read_program(**file, 3);
  if (!program) return;
  vecc::PrintOptions options;
  options.long_arrays = vecc::LongArrays::Full;
  (void)vecc::print(*program, options);
  (void)vecc::statistics(*program);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes;
  const auto raw = vecc::ColumnFile::read(path(), "fuzz", 1);
  expect(!raw || !*raw || size > 0);
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  read_as_columns(bytes.substr(0, end), bytes.substr(std::min(end + 1, bytes.size())));
  ::unlink(path().c_str());
  return 0;
}
