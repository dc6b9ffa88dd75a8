// The JSON of a safetensors header, and nothing else that JSON may be.
//
//   {"__metadata__": {"k": "v"}, "w": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]}}
#include <set>

#include "src/emit/native/runtime/failure.h"
#include "src/emit/native/runtime/tensor_file.h"

namespace vecc::emitted {
namespace {

constexpr std::size_t kMaxDimensions = 32;

class HeaderParser {
 public:
  HeaderParser(std::string_view json, const std::string& path) : json_(json), path_(path) {}

  TensorHeader parse() {
    object([&](const std::string& key) {
      if (key == "__metadata__") {
        object([&](const std::string& name) { header_.metadata[name] = string(); });
      } else {
        tensor(key);
      }
    });
    skip_space();
    if (at_ != json_.size()) fail();
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& message = "is not what safetensors has there") const {
    throw Failure(ExitCode::BadInput, path_,
                  "byte " + std::to_string(at_) + " of the header " + message +
                      " (is this a safetensors file?)");
  }

  void skip_space() {
    while (at_ < json_.size() &&
           (json_[at_] == ' ' || json_[at_] == '\n' || json_[at_] == '\t' || json_[at_] == '\r')) {
      ++at_;
    }
  }
  bool take(char c) {
    skip_space();
    if (at_ == json_.size() || json_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }

  /// Calls member(key) where each value stands.
  template <class Member>
  void object(const Member& member) {
    std::set<std::string> keys;
    expect('{');
    if (take('}')) return;
    do {
      const std::string key = string();
      if (!keys.insert(key).second) fail("repeats " + quote(key));
      expect(':');
      member(key);
    } while (take(','));
    expect('}');
  }

  void tensor(const std::string& name) {
    Tensor tensor;
    tensor.name = name;
    int fields = 0;
    object([&](const std::string& key) {
      ++fields;
      if (key == "dtype") {
        tensor.type = string();
      } else if (key == "shape") {
        tensor.shape = numbers(kMaxDimensions);
      } else if (key == "data_offsets") {
        const std::vector<std::uint64_t> offsets = numbers(2);
        if (offsets.size() != 2) fail();
        tensor.begin = offsets[0];
        tensor.end = offsets[1];
      } else {
        fail();
      }
    });
    if (fields != 3) fail();
    header_.tensors.push_back(std::move(tensor));
  }

  std::vector<std::uint64_t> numbers(std::size_t most) {
    std::vector<std::uint64_t> list;
    expect('[');
    if (take(']')) return list;
    do {
      if (list.size() == most) fail();
      list.push_back(number());
    } while (take(','));
    expect(']');
    return list;
  }

  std::uint64_t number() {
    skip_space();
    const std::size_t first = at_;
    std::uint64_t value = 0;
    for (; at_ < json_.size() && json_[at_] >= '0' && json_[at_] <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<std::uint64_t>(json_[at_] - '0'), &value)) {
        fail();
      }
    }
    const bool leading_zero = at_ - first > 1 && json_[first] == '0';
    if (at_ == first || leading_zero) fail();
    return value;
  }

  std::string string() {
    expect('"');
    std::string text;
    for (;; ++at_) {
      if (at_ >= json_.size() || static_cast<unsigned char>(json_[at_]) < 0x20) fail();
      if (json_[at_] == '"') break;
      if (json_[at_] == '\\') {
        escape(text);
      } else {
        text += json_[at_];
      }
    }
    ++at_;
    return text;
  }

  // At the backslash; leaves `at_` at the last character.
  void escape(std::string& text) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    ++at_;
    if (at_ >= json_.size()) fail();
    if (json_[at_] != 'u') {
      const std::size_t letter = kLetters.find(json_[at_]);
      if (letter == std::string_view::npos) fail();
      text += kMeanings[letter];
      return;
    }
    std::uint32_t code = four_digits();
    if (code >= 0xD800 && code < 0xDC00) {  // the first of two halves
      if (json_.substr(at_ + 1, 2) != "\\u") fail();
      at_ += 2;
      const std::uint32_t low = four_digits();
      if (low < 0xDC00 || low > 0xDFFF) fail();
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code < 0xE000) {
      fail();
    }
    append_utf8(text, code);
  }

  // Behind the `u`; leaves `at_` at the last digit.
  std::uint32_t four_digits() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      constexpr std::string_view kDigits = "0123456789abcdef0123456789ABCDEF";
      ++at_;
      const std::size_t digit = at_ < json_.size() ? kDigits.find(json_[at_]) : kDigits.npos;
      if (digit == std::string_view::npos) fail();
      code = code * 16 + static_cast<std::uint32_t>(digit % 16);
    }
    return code;
  }

  static void append_utf8(std::string& text, std::uint32_t code) {
    const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) return put(code);
    if (code < 0x800) {
      put(0xC0 | code >> 6);
    } else {
      if (code >= 0x10000) {
        put(0xF0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3F));
      } else {
        put(0xE0 | code >> 12);
      }
      put(0x80 | (code >> 6 & 0x3F));
    }
    put(0x80 | (code & 0x3F));
  }

  std::string_view json_;
  const std::string& path_;
  std::size_t at_ = 0;
  TensorHeader header_;
};

}  // namespace

TensorHeader parse_header(std::string_view json, const std::string& path) {
  return HeaderParser(json, path).parse();
}

}  // namespace vecc::emitted
