// Numbers and names of tensors.
#include <cstring>

#include "src/emit/native/runtime/tensor_file.h"
#include "src/support/half_float.h"

namespace vecc::emitted {
namespace {

template <class T, class Convert>
void append(const Tensor& tensor, std::vector<double>& values, Convert convert) {
  const std::uint64_t count = tensor.bytes() / sizeof(T);
  values.reserve(values.size() + count);
  for (std::uint64_t i = 0; i < count; ++i) {
    T element{};
    std::memcpy(&element, tensor.data + i * sizeof(T), sizeof(T));  // in files, nothing is aligned
    values.push_back(static_cast<double>(convert(element)));
  }
}

}  // namespace

bool read_values(const Tensor& tensor, std::vector<double>& values) {
  const auto same = [](auto value) { return value; };
  if (tensor.type == "F64") {
    append<double>(tensor, values, same);
  } else if (tensor.type == "F32") {
    append<float>(tensor, values, same);
  } else if (tensor.type == "F16") {
    append<std::uint16_t>(tensor, values, half_value);
  } else if (tensor.type == "BF16") {
    append<std::uint16_t>(tensor, values, bfloat_value);
  } else {
    return false;
  }
  return true;
}

std::string text_of_shape(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t dimension : shape) {
    text += (text.empty() ? "" : ", ") + std::to_string(dimension);
  }
  return "[" + text + "]";
}

std::string quote(std::string_view text) {
  constexpr std::size_t kMost = 120;
  std::string quoted = "\"";
  for (const char c : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) {
      quoted += {'\\', 'x', "0123456789abcdef"[byte / 16], "0123456789abcdef"[byte % 16]};
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + (text.size() > kMost ? "...\"" : "\"");
}

}  // namespace vecc::emitted
