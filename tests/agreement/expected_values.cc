#include "tests/agreement/expected_values.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace vecc::test {
namespace {

/// Takes the text up to the next separator (or the end) off the front.
std::string_view take(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return field;
}

template <class Number>
Number parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || last != end) {
    throw std::runtime_error("not a number: " + std::string(text));
  }
  return number;
}

Shape parse_shape(std::string_view text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return Shape::scalar();
  return {parse_number<std::uint32_t>(text.substr(0, cross)),
          parse_number<std::uint32_t>(text.substr(cross + 1))};
}

void parse_line(std::string_view line, ExpectedValues& out) {
  const std::string_view kind = take(line, '\t');
  const std::string_view first = take(line, '\t');
  const std::string_view second = take(line, '\t');
  const Shape shape = parse_shape(take(line, '\t'));
  const std::uint64_t begin = out.values.size();
  while (!line.empty()) out.values.push_back(parse_number<double>(take(line, ' ')));
  if (out.values.size() - begin != shape.size()) {
    throw std::runtime_error("shape and values disagree");
  }
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
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  ExpectedValues out;
  std::string_view rest = text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take(rest, '\n');
    if (line.empty() || line.front() == '#') continue;
    try {
      parse_line(line, out);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return out;
}

}  // namespace vecc::test
