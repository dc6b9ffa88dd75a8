#include "src/weights/element_type.h"

#include <array>

#include "src/support/half_float.h"

namespace vecc {
namespace {

struct ElementInfo {
  ElementType type;
  std::string_view name;
  std::string_view numpy;  // BF16 has none
  std::uint64_t size;
};

constexpr std::array<ElementInfo, 13> kElements{{
    {ElementType::F64, "F64", "f8", 8},
    {ElementType::F32, "F32", "f4", 4},
    {ElementType::F16, "F16", "f2", 2},
    {ElementType::BF16, "BF16", "", 2},
    {ElementType::I64, "I64", "i8", 8},
    {ElementType::I32, "I32", "i4", 4},
    {ElementType::I16, "I16", "i2", 2},
    {ElementType::I8, "I8", "i1", 1},
    {ElementType::U64, "U64", "u8", 8},
    {ElementType::U32, "U32", "u4", 4},
    {ElementType::U16, "U16", "u2", 2},
    {ElementType::U8, "U8", "u1", 1},
    {ElementType::Bool, "BOOL", "b1", 1},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kElements.size(); ++i) {
    if (kElements[i].type != static_cast<ElementType>(i)) return false;
  }
  return true;
}
static_assert(is_in_order());

const ElementInfo& element_info(ElementType type) {
  return kElements[static_cast<std::size_t>(type)];
}

template <class T, class Convert>
void convert_elements(std::string_view data, std::vector<double>& to, Convert convert) {
  for (std::size_t i = 0; i + sizeof(T) <= data.size(); i += sizeof(T)) {
    to.push_back(convert(weights::load_little_endian<T>(data.data() + i)));
  }
}

template <class T>
void cast_elements(std::string_view data, std::vector<double>& to) {
  convert_elements<T>(data, to, [](T value) { return static_cast<double>(value); });
}

}  // namespace

std::string_view text_of(ElementType type) {
  return element_info(type).name;
}

std::uint64_t size_of(ElementType type) {
  return element_info(type).size;
}

bool is_float(ElementType type) {
  return type <= ElementType::BF16;
}

}  // namespace vecc

namespace vecc::weights {

std::optional<ElementType> parse_element_type(std::string_view text) {
  for (const ElementInfo& info : kElements) {
    if (info.name == text) return info.type;
  }
  return std::nullopt;
}

std::optional<ElementType> parse_numpy_type(std::string_view text) {
  for (const ElementInfo& info : kElements) {
    if (info.numpy == text && !text.empty()) return info.type;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> checked_bytes(ElementType type,
                                           const std::vector<std::uint64_t>& shape) {
  // An empty dimension makes all empty, however large the others.
  for (const std::uint64_t dimension : shape) {
    if (dimension == 0) return 0;
  }
  std::uint64_t bytes = size_of(type);
  for (const std::uint64_t dimension : shape) {
    if (__builtin_mul_overflow(bytes, dimension, &bytes)) return std::nullopt;
  }
  return bytes;
}

void append_values(ElementType type, std::string_view data, std::vector<double>& to) {
  switch (type) {
    case ElementType::F64: return cast_elements<double>(data, to);
    case ElementType::F32: return cast_elements<float>(data, to);
    case ElementType::F16: return convert_elements<std::uint16_t>(data, to, half_value);
    case ElementType::BF16: return convert_elements<std::uint16_t>(data, to, bfloat_value);
    case ElementType::I64: return cast_elements<std::int64_t>(data, to);
    case ElementType::I32: return cast_elements<std::int32_t>(data, to);
    case ElementType::I16: return cast_elements<std::int16_t>(data, to);
    case ElementType::I8: return cast_elements<std::int8_t>(data, to);
    case ElementType::U64: return cast_elements<std::uint64_t>(data, to);
    case ElementType::U32: return cast_elements<std::uint32_t>(data, to);
    case ElementType::U16: return cast_elements<std::uint16_t>(data, to);
    case ElementType::U8:
    case ElementType::Bool: return cast_elements<std::uint8_t>(data, to);
  }
  VECC_CHECK(false, "an element type without numbers");
}

}  // namespace vecc::weights

namespace vecc {

std::vector<double> values_of(const WeightTensor& tensor) {
  std::vector<double> values;
  values.reserve(tensor.element_count());
  weights::append_values(tensor.type, tensor.data, values);
  return values;
}

template <class T>
static SharedNumbers share_elements(WeightTensor& tensor) {
  const auto owner = std::make_shared<const std::string>(std::move(tensor.data));
  const auto* const first = reinterpret_cast<const T*>(owner->data());
  return SharedNumbers::shared(owner, std::span(first, owner->size() / sizeof(T)));
}

SharedNumbers numbers_of(WeightTensor tensor) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(tensor.data.data()) % sizeof(double) == 0;
  if (tensor.type == ElementType::F32 && aligned) return share_elements<float>(tensor);
  if (tensor.type != ElementType::F64 || !aligned) return SharedNumbers::of(values_of(tensor));
  const SharedNumbers doubles = share_elements<double>(tensor);
  return doubles.visit([&](auto values) {
    if constexpr (std::is_same_v<decltype(values), std::span<const double>>) {
      if (are_exact_floats(values)) return SharedNumbers::of(values);
    }
    return doubles;
  });
}

std::string text_of_shape(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t dimension : shape) {
    text += (text.empty() ? "" : ", ") + std::to_string(dimension);
  }
  return "[" + text + "]";
}

}  // namespace vecc
