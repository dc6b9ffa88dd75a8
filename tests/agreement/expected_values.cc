#include "tests/agreement/expected_values.h"

#include <stdexcept>
#include <string_view>

#include "tests/agreement/tsv_fields.h"

namespace vecc::test {
namespace {

void parse_line(std::string_view line, ExpectedValues& out) {
  const std::string_view kind = take_field(line, '\t');
  const std::string_view first = take_field(line, '\t');
  const std::string_view second = take_field(line, '\t');
  const std::uint64_t begin = out.values.size();
  const Shape shape = parse_value(line, out.values);
  if (kind == "neuron") {
    out.neurons.push_back(
        {parse_number<std::uint64_t>(first), parse_number<std::int64_t>(second), shape, begin});
  } else if (kind == "sample") {
    out.samples.push_back({std::string(first), parse_number<std::uint64_t>(second), shape, begin});
  } else {
    throw std::runtime_error("unknown line");
  }
}

}  // namespace

ExpectedValues read_expected_values(const std::string& path) {
  ExpectedValues out;
  read_lines(path, [&](std::string_view line) { parse_line(line, out); });
  return out;
}

}  // namespace vecc::test
