#include "src/weights/npy_header.h"

#include <charconv>
#include <optional>
#include <set>
#include <string>

#include "src/weights/element_type.h"
#include "vecc/escape.h"

namespace vecc::weights {
namespace {

/// Reads the part of Python's literals that NumPy writes. No recursion: a value holds no value.
class NpyHeaderParser {
 public:
  explicit NpyHeaderParser(std::string_view text) : text_(text) {}

  Result<NpyHeader> parse() {
    VECC_TRY_VOID(expect('{'));
    std::set<std::string, std::less<>> keys;
    while (!take('}')) {
      VECC_TRY(std::string key, parse_string());
      VECC_TRY_VOID(expect(':'));
      VECC_TRY_VOID(parse_value(key));
      if (!keys.insert(key).second) {
        return Errors(ErrorCode::DuplicateName, "", "the array's header has '" + key + "' twice");
      }
      if (take(',')) continue;
      VECC_TRY_VOID(expect('}'));
      break;
    }
    skip_space();
    if (at_ < text_.size()) return unexpected("the end");
    if (keys.size() == 3) return header_;
    return Errors(ErrorCode::BadWeightFile, "",
                  "the array's header lacks one of 'descr', 'fortran_order', 'shape'");
  }

 private:
  Result<void> parse_value(const std::string& key) {
    if (key == "descr") return parse_type();
    if (key == "fortran_order") return parse_order();
    if (key == "shape") return parse_shape();
    return Errors(ErrorCode::BadWeightFile, "",
                  "the array's header has the key \"" + escape_terminal(key) +
                      "\", expected 'descr', 'fortran_order' and 'shape' only");
  }

  Result<void> parse_type() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[') {
      return Errors(ErrorCode::UnreadWeights, "",
                    "is an array of records, expected one number an element");
    }
    VECC_TRY(const std::string descr, parse_string());
    const std::string_view kind = std::string_view(descr).substr(descr.empty() ? 0 : 1);
    if (kind.starts_with('O')) {
      return Errors(ErrorCode::UnreadWeights, "",
                    "is an array of Python objects, which are pickled: pickles are never read");
    }
    const std::optional<ElementType> type = parse_numpy_type(kind);
    if (!type || std::string_view("<>=|").find(descr[0]) == std::string_view::npos) {
      return Errors(ErrorCode::UnreadWeights, "",
                    "has type \"" + escape_terminal(descr) +
                        "\", expected f2, f4, f8, b1 or an integer type");
    }
    header_.type = *type;
    header_.big_endian = descr[0] == '>';
    return {};
  }

  Result<void> parse_order() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      header_.fortran_order = value;
      return {};
    }
    return unexpected("True or False");
  }

  Result<void> parse_shape() {
    VECC_TRY_VOID(expect('('));
    while (!take(')')) {
      if (header_.shape.size() == kMaxDimensions) {
        return unexpected("at most " + std::to_string(kMaxDimensions) + " dimensions");
      }
      VECC_TRY(header_.shape.emplace_back(), parse_dimension());
      if (take(',')) continue;
      VECC_TRY_VOID(expect(')'));
      break;
    }
    return {};
  }

  Result<std::uint64_t> parse_dimension() {
    skip_space();
    std::uint64_t value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [last, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) return unexpected("a number from 0 to 2^64-1");
    at_ = static_cast<std::size_t>(last - text_.data());
    (void)take('L');  // Python 2's long numbers
    return value;
  }

  Result<std::string> parse_string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end =
        quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) return unexpected("a string");
    const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
    if (content.find('\\') != std::string_view::npos) return unexpected("a string without escapes");
    at_ = end + 1;
    return std::string(content);
  }

  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<void> expect(char c) {
    if (take(c)) return {};
    return unexpected(std::string("'") + c + "'");
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  [[nodiscard]] Errors unexpected(const std::string& expected) const {
    const std::string found =
        at_ == text_.size() ? "the end" : "\"" + escape_terminal(text_.substr(at_, 20)) + "\"";
    return Errors(ErrorCode::BadWeightFile, "",
                  "the array's header has " + found + " at its byte " + std::to_string(at_) +
                      ", expected " + expected);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  NpyHeader header_;
};

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view text) {
  return NpyHeaderParser(text).parse();
}

}  // namespace vecc::weights
