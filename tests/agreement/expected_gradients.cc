#include "tests/agreement/expected_gradients.h"

#include <stdexcept>
#include <string_view>

#include "tests/agreement/tsv_fields.h"

namespace vecc::test {
namespace {

void parse_line(std::string_view line, ExpectedGradients& out) {
  const std::string_view kind = take_field(line, '\t');
  const std::string_view id = take_field(line, '\t');
  ExpectedGradient gradient;
  gradient.begin = out.values.size();
  gradient.shape = parse_value(line, out.values);
  if (kind == "sample") {
    out.samples.push_back({std::string(id), gradient, {}, {}});
    return;
  }
  if (out.samples.empty()) throw std::runtime_error("no sample before it");
  gradient.id = parse_number<std::uint64_t>(id);
  if (kind == "neuron") {
    out.samples.back().neurons.push_back(gradient);
  } else if (kind == "weight") {
    out.samples.back().weights.push_back(gradient);
  } else {
    throw std::runtime_error("unknown line");
  }
}

}  // namespace

ExpectedGradients read_expected_gradients(const std::string& path) {
  ExpectedGradients out;
  read_lines(path, [&](std::string_view line) { parse_line(line, out); });
  return out;
}

}  // namespace vecc::test
