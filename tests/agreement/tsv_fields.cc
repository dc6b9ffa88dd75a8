#include "tests/agreement/tsv_fields.h"

#include <cstdint>
#include <fstream>
#include <iterator>

namespace vecc::test {
namespace {

Shape parse_shape(std::string_view text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return Shape::scalar();
  return {parse_number<std::uint32_t>(text.substr(0, cross)),
          parse_number<std::uint32_t>(text.substr(cross + 1))};
}

}  // namespace

std::string_view take_field(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return field;
}

Shape parse_value(std::string_view rest, std::vector<double>& values) {
  const Shape shape = parse_shape(take_field(rest, '\t'));
  const std::size_t begin = values.size();
  while (!rest.empty()) values.push_back(parse_number<double>(take_field(rest, ' ')));
  if (values.size() - begin != shape.size()) {
    throw std::runtime_error("shape and values disagree");
  }
  return shape;
}

void read_lines(const std::string& path, const std::function<void(std::string_view)>& parse) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string_view rest = text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_field(rest, '\n');
    if (line.empty() || line.front() == '#') continue;
    try {
      parse(line);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
}

}  // namespace vecc::test
