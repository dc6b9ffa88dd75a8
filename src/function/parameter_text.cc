#include "src/function/parameter_text.h"

#include <charconv>
#include <cmath>

namespace vecc {
namespace {

// from_chars over the whole text; it knows neither spaces nor a leading plus.
template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string bounds_text(std::uint32_t begin, std::uint32_t end) {
  return std::to_string(begin) + ":" + (end == kToEnd ? "" : std::to_string(end));
}

bool parse_bounds(std::string_view text, std::uint32_t& begin, std::uint32_t& end) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto first = parse_unsigned(trim(text.substr(0, colon)));
  const std::string_view last = trim(text.substr(colon + 1));
  const auto second = last.empty() ? std::optional(kToEnd) : parse_unsigned(last);
  if (!first || !second) return false;
  begin = *first;
  end = *second;
  return true;
}

}  // namespace

std::string number_text(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

std::optional<double> parse_number(std::string_view text) {
  return parse_whole<double>(text);
}

std::optional<std::uint32_t> parse_unsigned(std::string_view text) {
  return parse_whole<std::uint32_t>(text);
}

std::optional<Shape> parse_shape(std::string_view text) {
  if (text == "1") return Shape::scalar();
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  const auto rows = parse_unsigned(text.substr(0, cross));
  const auto cols = parse_unsigned(text.substr(cross + 1));
  if (!rows || !cols || *rows == 0 || *cols == 0) return std::nullopt;
  if (std::uint64_t{*rows} * *cols > kMaxFunctionSize) return std::nullopt;
  return Shape(*rows, *cols);
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::string parameters_text(const TransformationSpec& spec) {
  switch (info(spec.id).parameters) {
    case FunctionParameters::None:
    case FunctionParameters::Index:
    case FunctionParameters::Bounds: return {};
    case FunctionParameters::Slope:
      return spec.slope == TransformationSpec().slope ? "" : number_text(spec.slope);
    case FunctionParameters::Target: return spec.target.text();
  }
  fail_check("known parameters", __FILE__, __LINE__, std::string(info(spec.id).text));
}

std::string words_text(Transformation t, const Words& words) {
  switch (word_count(t)) {
    case 1: return std::to_string(words[0]);
    case 4: return bounds_text(words[0], words[1]) + ", " + bounds_text(words[2], words[3]);
  }
  return {};
}

std::string spec_problem(const TransformationSpec& spec) {
  const std::string name(info(spec.id).text);
  if (info(spec.id).parameters == FunctionParameters::Slope && !std::isfinite(spec.slope)) {
    return name + " has slope " + number_text(spec.slope) + ", expected a finite number";
  }
  const std::uint64_t size = spec.target.size();
  if (info(spec.id).parameters == FunctionParameters::Target &&
      (size == 0 || size > kMaxFunctionSize)) {
    return name + " has target " + spec.target.text() + ", expected 1 to " +
           std::to_string(kMaxFunctionSize) + " elements";
  }
  return {};
}

std::string words_problem(Transformation t, const Words& words) {
  if (word_count(t) != 4) return {};
  if (words[0] < words[1] && words[2] < words[3]) return {};
  return std::string(info(t).text) + " [" + words_text(t, words) + "] takes nothing";
}

std::string parse_parameters(std::string_view text, TransformationSpec& spec) {
  const std::string name(info(spec.id).text);
  text = trim(text);
  switch (info(spec.id).parameters) {
    case FunctionParameters::None:
    case FunctionParameters::Index:
    case FunctionParameters::Bounds:
      return text.empty() ? "" : name + " has no parameter in its text";
    case FunctionParameters::Slope: {
      const auto slope =
          text.empty() ? std::optional(TransformationSpec().slope) : parse_number(text);
      if (!slope) return name + " expects a number";
      spec.slope = *slope;
      return spec_problem(spec);
    }
    case FunctionParameters::Target: {
      const auto target = parse_shape(text);
      if (!target) {
        return name + " expects a shape such as 2x3 of at most " +
               std::to_string(kMaxFunctionSize) + " elements";
      }
      spec.target = *target;
      return {};
    }
  }
  fail_check("known parameters", __FILE__, __LINE__, name);
}

std::string parse_words(std::string_view text, Transformation t, Words& words) {
  const std::string name(info(t).text);
  text = trim(text);
  if (word_count(t) == 1) {
    const auto index = parse_unsigned(text);
    if (!index) return name + " expects an index";
    words[0] = *index;
  } else if (word_count(t) == 4) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos ||
        !parse_bounds(text.substr(0, comma), words[0], words[1]) ||
        !parse_bounds(text.substr(comma + 1), words[2], words[3])) {
      return name + " expects bounds such as 1:3, 0:";
    }
  }
  return words_problem(t, words);
}

}  // namespace vecc
