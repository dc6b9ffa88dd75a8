#include "src/weights/safetensors_json.h"

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>

#include "src/weights/element_type.h"
#include "vecc/escape.h"

namespace vecc::weights {
namespace {

using HeaderJson = nlohmann::ordered_json;  // as all of vecc: one kind is compiled

/// What the parser stands in; a header is no deeper.
enum class Within : std::uint8_t { Nothing, Header, Metadata, Tensor, Shape, Offsets };

/// Events that do not fit end the parse with an error.
class HeaderHandler : public nlohmann::json_sax<HeaderJson> {
 public:
  [[nodiscard]] SafetensorsHeader& header() { return header_; }
  [[nodiscard]] const Errors& errors() const { return errors_; }

  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("a truth value"); }
  bool number_integer(number_integer_t value) override { return refuse(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return refuse(text); }
  bool binary(binary_t&) override { return refuse("bytes"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (within_ == Within::Shape && tensor().shape.size() < kMaxDimensions) {
      tensor().shape.push_back(value);
      return true;
    }
    if (within_ == Within::Offsets && offset_count_ < 2) {
      (offset_count_++ == 0 ? tensor().begin : tensor().end) = value;
      return true;
    }
    return refuse(std::to_string(value));
  }

  bool string(string_t& text) override {
    if (within_ == Within::Metadata) {
      header_.metadata.emplace_back(key_, text);
      return true;
    }
    if (within_ != Within::Tensor || key_ != "dtype") return refuse("a string");
    const std::optional<ElementType> type = parse_element_type(text);
    if (!type) {
      return fail(ErrorCode::UnreadWeights, "has dtype \"" + escape_terminal(text) +
                                                "\", expected F16, BF16, F32, F64, BOOL or an "
                                                "integer type");
    }
    tensor().type = *type;
    return true;
  }

  bool start_object(std::size_t) override {
    if (within_ == Within::Nothing) {
      within_ = Within::Header;
    } else if (within_ == Within::Header && key_ == kMetadataKey) {
      within_ = Within::Metadata;
    } else if (within_ == Within::Header) {
      within_ = Within::Tensor;
      header_.tensors.push_back({});
      tensor().name = key_;
    } else {
      return refuse("an object");
    }
    return true;
  }

  bool key(string_t& text) override {
    key_ = text;
    if (within_ == Within::Tensor) {
      if (text != "dtype" && text != "shape" && text != "data_offsets") {
        return fail(ErrorCode::BadWeightFile,
                    "has the field \"" + escape_terminal(text) +
                        "\", expected dtype, shape and data_offsets only");
      }
      return fields_.insert(text).second || repeat("field", text);
    }
    auto& known = within_ == Within::Metadata ? metadata_keys_ : names_;
    return known.insert(text).second ||
           repeat(within_ == Within::Metadata ? "metadata key" : "tensor", text);
  }

  bool end_object() override {
    if (within_ == Within::Tensor) {
      if (fields_.size() != 3 || offset_count_ != 2) {
        return fail(ErrorCode::BadWeightFile, "expected dtype, shape and two data_offsets");
      }
      fields_.clear();
      offset_count_ = 0;
    }
    within_ = within_ == Within::Header ? Within::Nothing : Within::Header;
    return true;
  }

  bool start_array(std::size_t) override {
    if (within_ != Within::Tensor || key_ == "dtype") return refuse("a list");
    within_ = key_ == "shape" ? Within::Shape : Within::Offsets;
    return true;
  }

  bool end_array() override {
    within_ = Within::Tensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    errors_.add(ErrorCode::BadWeightFile, "",
                "header is no JSON at its byte " + std::to_string(position) +
                    " (is this a safetensors file?)");
    return false;
  }

 private:
  HeaderTensor& tensor() { return header_.tensors.back(); }

  bool fail(ErrorCode code, std::string message) {
    const bool in_tensor = within_ > Within::Metadata;
    errors_.add(code, in_tensor ? describe_tensor(tensor().name) : "header", std::move(message));
    return false;
  }

  bool repeat(std::string_view what, std::string_view name) {
    return fail(ErrorCode::DuplicateName, std::string(what) + " \"" + escape_terminal(name) +
                                              "\" comes twice, expected unique names");
  }

  bool refuse(const std::string& found) {
    switch (within_) {
      case Within::Nothing: return unexpected(found, "an object of tensors");
      case Within::Header:
        return unexpected(found, "an object for \"" + escape_terminal(key_) + "\"");
      case Within::Metadata: return unexpected(found, "a string for each key of __metadata__");
      case Within::Tensor:
        return unexpected(found, key_ == "dtype" ? "a string for dtype" : "a list for " + key_);
      case Within::Shape:
        return unexpected(found, "a shape of at most " + std::to_string(kMaxDimensions) +
                                     " numbers from 0 to 2^64-1");
      case Within::Offsets: return unexpected(found, "two data_offsets from 0 to 2^64-1");
    }
    VECC_CHECK(false, "a place in the header");
  }

  bool unexpected(const std::string& found, const std::string& expected) {
    return fail(ErrorCode::BadWeightFile, "found " + found + ", expected " + expected);
  }

  SafetensorsHeader header_;
  Errors errors_;
  Within within_ = Within::Nothing;
  std::string key_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> metadata_keys_;
  std::unordered_set<std::string> fields_;
  int offset_count_ = 0;
};

}  // namespace

Result<SafetensorsHeader> parse_safetensors_json(std::string_view json) {
  HeaderHandler handler;
  const bool parsed = HeaderJson::sax_parse(json.begin(), json.end(), &handler);
  VECC_CHECK(parsed == handler.errors().empty(), "a failed parse has an error");
  if (!parsed) return handler.errors();
  return std::move(handler.header());
}

}  // namespace vecc::weights
