#include "src/program/print_arrays.h"

#include <charconv>
#include <cmath>

#include "src/program/array_bytes.h"

namespace vecc {
namespace {

constexpr std::size_t kShownOfLong = 3;

std::string element_text(std::uint32_t value) {
  return std::to_string(value);
}
std::string element_text(double value) {
  return double_text(value);
}

template <class Values>
std::string joined(const Values& values, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) result += ", ";
    result += element_text(values[i]);
  }
  return result;
}

template <class Values>
std::string bytes_of(const Values& values) {
  std::string bytes;
  for (std::size_t i = 0; i < values.size(); ++i) append_bytes(bytes, values[i]);
  return bytes;
}

template <class Values>
std::string shortened(const Values& values) {
  const std::size_t shown = std::min(kShownOfLong, values.size());
  return joined(values, shown) + (shown > 0 ? ", " : "") + "... " + std::to_string(values.size()) +
         " #" + digest_text(digest_bytes(bytes_of(values)), 8);
}

}  // namespace

std::string double_text(double value) {
  if (std::isnan(value)) return "nan";  // no sign, no payload
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

ArrayPrinter::ArrayPrinter(const PrintOptions& options, ArraySink* side)
    : options_(options), side_(side) {
  VECC_CHECK(options.long_arrays != LongArrays::SideFile || side, "print without a side file");
}

template <class Values>
std::string ArrayPrinter::print(const Values& values, char open, char close) const {
  if (values.size() <= options_.inline_limit) return open + joined(values, values.size()) + close;
  switch (options_.long_arrays) {
    case LongArrays::Digest: return open + shortened(values) + close;
    case LongArrays::Full: return open + joined(values, values.size()) + close;
    case LongArrays::SideFile: return side_->add(values);
  }
  fail_check("known form", __FILE__, __LINE__, "long arrays");
}

std::string ArrayPrinter::words(std::span<const std::uint32_t> values) const {
  return print(values, '[', ']');
}

std::string ArrayPrinter::numbers(const SharedNumbers& values) const {
  return print(values, '{', '}');
}

std::string ArrayPrinter::index(const Index& index) const {
  const std::uint64_t begin = index.begin();
  const std::uint64_t size = index.size();
  const std::uint64_t step = index.step();
  const auto text = [](std::uint64_t value) { return std::to_string(value); };
  switch (index.form()) {
    case Index::Form::Slice: return "[" + text(begin) + ":" + text(begin + size) + "]";
    case Index::Form::Stride:
      return "[" + text(begin) + ":" + text(begin + size * step) + ":" + text(step) + "]";
    case Index::Form::Repeat:
      return "[repeat " + text(step) + " x " + text(step == 0 ? 0 : size / step) + "]";
    case Index::Form::Interleave:
      return "[interleave " + text(step == 0 ? 0 : size / step) + " x " + text(step) + "]";
    case Index::Form::List: return words(index.array());
  }
  fail_check("known form", __FILE__, __LINE__, "index");
}

std::string ArrayPrinter::segments(const Segments& segments) const {
  if (!segments.is_fixed()) return words(segments.offsets());
  return "[fixed " + std::to_string(segments.members()) + " dim " +
         std::to_string(segments.dimension()) + "]";
}

}  // namespace vecc
