// safetensors that lie: each is refused with these words.
#include <gtest/gtest.h>

#include "tests/support/weight_bytes.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

std::string safetensors_error(const std::string& bytes, const WeightLimits& limits = {}) {
  const auto file = read_weights_bytes(bytes, "w", limits);
  return file ? "no error" : file.error().text();
}

/// The error of a header over `data_bytes` bytes.
std::string json_header_error(const std::string& header, std::size_t data_bytes = 8) {
  return safetensors_error(safetensors_file(header, std::string(data_bytes, '\0')));
}

/// A tensor of two floats with another part.
std::string one_entry(const std::string& dtype = "\"F32\"", const std::string& shape = "[2]",
                      const std::string& offsets = "[0,8]") {
  return "{\"a\":{\"dtype\":" + dtype + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets +
         "}}";
}

TEST(BadSafetensors, control_is_good) {
  EXPECT_EQ(json_header_error(one_entry()), "no error");
  EXPECT_EQ(json_header_error(one_entry() + "   "), "no error");
}

TEST(BadSafetensors, too_short) {
  EXPECT_EQ(safetensors_error(""), "w: error: is empty [E002]");
  EXPECT_EQ(safetensors_error("12345678"),
            "w: error: has 8 bytes, expected the 8 of the header's length and the header [E003]");
  EXPECT_EQ(safetensors_error(little_endian(9, 8) + "{}"),
            "w: error: has 2 bytes behind the header's length, expected a header of 9 [E003]");
}

TEST(BadSafetensors, other_file) {
  const char* const message =
      "w: error: is neither safetensors nor .npz nor .npy: it begins with none of their marks "
      "[E025]";
  EXPECT_EQ(safetensors_error("\x80\x01}q\x01(X\x04weight"), message);  // no such protocol
  EXPECT_EQ(safetensors_error(little_endian(100'000'001, 8) + "{}"), message);
  EXPECT_EQ(safetensors_error(little_endian(~0ull, 8) + "{}"), message);
  EXPECT_EQ(safetensors_error(little_endian(3, 8) + " {}"), message);
}

TEST(BadSafetensors, a_pickle_is_named) {
  for (const char* start : {"\x80\x02}q\x01(X\x04weight", "\x80\x05\x95weights!"}) {
    EXPECT_EQ(
        safetensors_error(start),
        "w: error: is a pickle, as PyTorch's own files hold, and pickles are never read: save "
        "with safetensors.torch.save_file [E026]");
  }
}

TEST(BadSafetensors, no_json) {
  EXPECT_EQ(json_header_error("{\"a\":"),
            "w: error: header is no JSON at its byte 6 (is this a safetensors file?) [E025]");
  EXPECT_EQ(json_header_error(one_entry() + "{}"),
            "w: error: header is no JSON at its byte 55 (is this a safetensors file?) [E025]");
  EXPECT_EQ(json_header_error("{\"\xff\":1}"),
            "w: error: header is no JSON at its byte 3 (is this a safetensors file?) [E025]");
}

TEST(BadSafetensors, deep_json_ends_at_its_first_level) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(json_header_error("{\"a\":" + deep),
            "w: header: error: found a list, expected an object for \"a\" [E025]");
  EXPECT_EQ(json_header_error(one_entry("\"F32\"", deep)),
            "w: tensor \"a\": error: found a list, expected a shape of at most 64 numbers from 0 "
            "to 2^64-1 [E025]");
}

TEST(BadSafetensors, another_structure) {
  EXPECT_EQ(json_header_error("{\"a\":1}"),
            "w: header: error: found 1, expected an object for \"a\" [E025]");
  EXPECT_EQ(json_header_error("{\"a\":{\"dtype\":{}}}"),
            "w: tensor \"a\": error: found an object, expected a string for dtype [E025]");
  EXPECT_EQ(json_header_error("{\"__metadata__\":{\"k\":7}}"),
            "w: header: error: found 7, expected a string for each key of __metadata__ [E025]");
  EXPECT_EQ(json_header_error("{\"a\":{\"color\":1}}"),
            "w: tensor \"a\": error: has the field \"color\", expected dtype, shape and "
            "data_offsets only [E025]");
  EXPECT_EQ(json_header_error("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}"),
            "w: tensor \"a\": error: expected dtype, shape and two data_offsets [E025]");
  EXPECT_EQ(json_header_error(one_entry("\"F32\"", "[2]", "[0]")),
            "w: tensor \"a\": error: expected dtype, shape and two data_offsets [E025]");
  EXPECT_EQ(json_header_error(one_entry("\"F32\"", "[2]", "[0,8,8]")),
            "w: tensor \"a\": error: found 8, expected two data_offsets from 0 to 2^64-1 [E025]");
  EXPECT_EQ(json_header_error(one_entry("null")),
            "w: tensor \"a\": error: found null, expected a string for dtype [E025]");
}

TEST(BadSafetensors, unknown_type) {
  EXPECT_EQ(json_header_error(one_entry("\"F8_E5M2\\n\"")),
            "w: tensor \"a\": error: has dtype \"F8_E5M2\\n\", expected F16, BF16, F32, F64, BOOL "
            "or an integer type [E026]");
}

TEST(BadSafetensors, names_that_come_twice) {
  const std::string part = "{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}";
  EXPECT_EQ(json_header_error("{\"a\\n\":" + part + ",\"a\\n\":" + part + "}", 0),
            "w: header: error: tensor \"a\\n\" comes twice, expected unique names [E015]");
  EXPECT_EQ(json_header_error("{\"__metadata__\":{\"k\":\"\",\"k\":\"\"}}", 0),
            "w: header: error: metadata key \"k\" comes twice, expected unique names [E015]");
  EXPECT_EQ(json_header_error("{\"a\":{\"shape\":[2],\"shape\":[2]}}"),
            "w: tensor \"a\": error: field \"shape\" comes twice, expected unique names [E015]");
}

TEST(BadSafetensors, shapes_that_are_none) {
  for (const char* number : {"-1", "1.5", "1e30", "18446744073709551616", "true", "\"2\""}) {
    const std::string error =
        json_header_error(one_entry("\"F32\"", "[" + std::string(number) + "]"));
    EXPECT_NE(error.find("expected a shape of at most 64 numbers from 0 to 2^64-1 [E025]"),
              std::string::npos)
        << error;
  }
  std::string long_shape = "[1";
  for (int i = 0; i < 64; ++i) long_shape += ",1";
  EXPECT_EQ(json_header_error(one_entry("\"F32\"", long_shape + "]")),
            "w: tensor \"a\": error: found 1, expected a shape of at most 64 numbers from 0 to "
            "2^64-1 [E025]");
}

TEST(BadSafetensors, sizes_that_disagree) {
  EXPECT_EQ(json_header_error(one_entry("\"F32\"", "[3]")),
            "w: tensor \"a\": error: has data offsets 0 to 8, but F32 [3] takes 12 bytes [E025]");
  EXPECT_EQ(json_header_error(one_entry("\"F32\"", "[4294967296,4294967296]")),
            "w: tensor \"a\": error: has data offsets 0 to 8, but F32 [4294967296, 4294967296] "
            "takes more than 2^64 bytes [E025]");
  EXPECT_EQ(json_header_error(one_entry("\"F32\"", "[2]", "[8,0]")),
            "w: tensor \"a\": error: has data offsets 8 to 0, but F32 [2] takes 8 bytes [E025]");
  EXPECT_EQ(
      json_header_error(one_entry("\"F64\"", "[2305843009213693952]", "[0,18446744073709551615]")),
      "w: tensor \"a\": error: has data offsets 0 to 18446744073709551615, but F64 "
      "[2305843009213693952] takes more than 2^64 bytes [E025]");
}

TEST(BadSafetensors, gaps_overlaps_and_rests) {
  EXPECT_EQ(json_header_error(one_entry("\"F32\"", "[2]", "[4,12]"), 12),
            "w: tensor \"a\": error: begins at byte 4 of the data, expected 0, where the one "
            "before ends [E025]");
  EXPECT_EQ(json_header_error("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
                              "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}"),
            "w: tensor \"b\": error: begins at byte 4 of the data, expected 8, where the one "
            "before ends [E025]");
  EXPECT_EQ(json_header_error(one_entry(), 9),
            "w: error: has 9 bytes of data, expected 8, where the last tensor ends [E025]");
  EXPECT_EQ(json_header_error(one_entry(), 7),
            "w: error: has 7 bytes of data, expected 8, where the last tensor ends [E003]");
}

TEST(BadSafetensors, more_than_the_limit) {
  EXPECT_EQ(safetensors_error(safetensors_file(one_entry(), "01234567"), {20}),
            "w: error: has 70 bytes, the limit is 20 [E040]");
}

TEST(BadSafetensors, name_of_the_file_is_escaped) {
  EXPECT_EQ(read_weights_bytes("", "a\x1b\n").error().text(), "a\\x1b\\n: error: is empty [E002]");
}

TEST(BadSafetensors, names_that_cannot_be_written) {
  const auto error = [](const WeightFile& file) { return safetensors_bytes(file).error().text(); };
  EXPECT_EQ(error({{}, {{"__metadata__", ElementType::U8, {0}, ""}}}),
            "tensor \"__metadata__\": error: safetensors cannot hold this name, expected UTF-8 "
            "other than __metadata__: rename it [E026]");
  EXPECT_EQ(error({{}, {{"\xff", ElementType::U8, {0}, ""}}}),
            "tensor \"\\xff\": error: safetensors cannot hold this name, expected UTF-8 other than "
            "__metadata__: rename it [E026]");
  EXPECT_EQ(error({{{"k", "\xff"}}, {}}),
            "metadata \"k\": error: safetensors cannot hold this text, expected UTF-8 [E026]");
  EXPECT_EQ(error({{{"k", ""}, {"k", ""}}, {}}),
            "metadata \"k\": error: comes twice, expected unique keys [E015]");
}

}  // namespace
}  // namespace vecc::test
