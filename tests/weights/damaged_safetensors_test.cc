// Damaged safetensors: none is read as other weights.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/weight_bytes.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

WeightFile weights() {
  return {{{"k", "v"}, {"rows of w", "0badcafe"}},
          {{"w", ElementType::F64, {2, 1, 3}, bytes_as<double>({1, 2, 0.5, -4, 1e-300, 6})},
           {"b", ElementType::F32, {3}, bytes_as<float>({1, 0, -1})}}};
}

std::string flip(std::string bytes, std::size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
  return bytes;
}

TEST(DamagedSafetensors, no_bit_gives_other_weights) {
  const std::string whole = *safetensors_bytes(weights());
  const std::size_t digits = whole.find("vecc.crc32") + 13;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    const auto read = read_weights_bytes(flip(whole, bit), "w");
    if (read) {
      EXPECT_EQ(read->tensors, weights().tensors) << "bit " << bit;
      EXPECT_LT(bit / 8, digits) << "bit " << bit;  // it states no CRC-32 any more
    } else if (bit / 8 < 8 || bit / 8 >= digits) {
      EXPECT_THAT(read.error().text(),
                  MatchesRegex("w: error: its bytes have the CRC-32 [0-9a-f]+, expected .*: it is "
                               "damaged; copy or write it again .*vecc.crc32.* \\[E007\\]"))
          << "bit " << bit;
      EXPECT_EQ(read.error().exit_code(), ExitCode::BadInput);
    }
  }
}

TEST(DamagedSafetensors, no_length_is_read) {
  const std::string whole = *safetensors_bytes(weights());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read_weights_bytes(whole.substr(0, size), "w")) << size;
  }
  EXPECT_FALSE(read_weights_bytes(whole + "x", "w"));
}

TEST(DamagedSafetensors, bytes_that_change_places_are_noticed) {
  std::string bytes = *safetensors_bytes(weights());
  std::swap_ranges(bytes.end() - 60, bytes.end() - 52, bytes.end() - 52);
  EXPECT_THAT(read_weights_bytes(bytes, "w").error().text(), HasSubstr("CRC-32"));
}

TEST(DamagedSafetensors, files_of_other_writers_have_no_checksum) {
  const auto read =
      read_weights_bytes(safetensors_file(R"({"__metadata__":{"format":"pt"},)"
                                          R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                                          "x"),
                         "w");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->metadata.size(), 1u);
}

// Another program that copies the metadata and changes the rest.
TEST(DamagedSafetensors, the_checksum_of_another_file_is_refused) {
  const std::string tensor = R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  for (const char* metadata : {R"("vecc.crc32":"01234567")", R"("k":"v","vecc.crc32":"01234567")",
                               R"( "vecc.crc32" : "01234567")", R"("vecc.crc32":"")"}) {
    const auto read = read_weights_bytes(
        safetensors_file("{\"__metadata__\":{" + std::string(metadata) + "}," + tensor + "}", "x"),
        "w");
    ASSERT_FALSE(read) << metadata;
    EXPECT_THAT(read.error().text(), HasSubstr("leaves out the metadata vecc.crc32"));
    EXPECT_THAT(read.error().text(), HasSubstr("[E007]"));
  }
}

TEST(DamagedSafetensors, the_checksum_is_no_metadata_of_the_weights) {
  const auto read = read_weights_bytes(*safetensors_bytes({{}, weights().tensors}), "w");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_THAT(read->metadata, IsEmpty());
  EXPECT_THAT(safetensors_bytes({{{"vecc.crc32", "0"}}, {}}).error().text(),
              HasSubstr("comes twice"));
}

}  // namespace
}  // namespace vecc::test
