// safetensors: bytes that Python's library writes, and round trips bit by bit.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <limits>

#include "tests/graph_io/temporary_folder.h"
#include "tests/support/weight_bytes.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

WeightTensor make_tensor(std::string name, ElementType type, std::vector<std::uint64_t> shape,
                         std::string data) {
  return {std::move(name), type, std::move(shape), std::move(data)};
}

WeightFile read_back(const WeightFile& file) {
  const auto bytes = safetensors_bytes(file);
  EXPECT_TRUE(bytes) << bytes.error().text();
  auto again = read_weights_bytes(*bytes, "again");
  EXPECT_TRUE(again) << again.error().text();
  return *again;
}

// The CRC-32 of a file's bytes, computed with zeros as its digits, in their place.
std::string with_checksum(std::string bytes) {
  const std::size_t at = bytes.find("00000000");
  const auto crc32 = ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08lx", crc32);
  return bytes.replace(at, 8, digits);
}

// What Python's safetensors.numpy.save gives for {"test": numpy.zeros((2, 2), numpy.int32)} and
// these metadata.
TEST(Safetensors, bytes_are_those_of_the_Python_library) {
  const WeightFile file{{}, {make_tensor("test", ElementType::I32, {2, 2}, std::string(16, '\0'))}};
  const std::string golden =
      safetensors_file(R"({"__metadata__":{"vecc.crc32":"00000000"},)"
                       R"("test":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]}}   )",
                       std::string(16, '\0'));
  EXPECT_EQ(golden.substr(0, 8), std::string("h\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(*safetensors_bytes(file), with_checksum(golden));
}

// save({"b": zeros(1, float32), "a": zeros(1, float64)}, {..., "k": "v"}): wide elements come
// first.
TEST(Safetensors, bytes_with_metadata_and_two_types_are_those_of_the_Python_library) {
  const WeightFile file{{{"k", "v"}},
                        {make_tensor("b", ElementType::F32, {1}, std::string(4, '\0')),
                         make_tensor("a", ElementType::F64, {1}, std::string(8, '\0'))}};
  const std::string golden = safetensors_file(
      R"({"__metadata__":{"vecc.crc32":"00000000","k":"v"},"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}   )",
      std::string(12, '\0'));
  EXPECT_EQ(*safetensors_bytes(file), with_checksum(golden));
}

TEST(Safetensors, reads_its_own_bytes_back_bit_by_bit) {
  using Double = std::numeric_limits<double>;
  using Float = std::numeric_limits<float>;
  const std::string doubles = bytes_as<double>(
      {0.0, -0.0, Double::infinity(), -Double::infinity(), Double::denorm_min(), Double::max(),
       std::bit_cast<double>(0x7FF0000000000001ull),    // a signalling NaN
       std::bit_cast<double>(0xFFF8DEADBEEF0001ull)});  // a quiet one with a payload
  const std::string floats = bytes_as<float>(
      {-0.0f, Float::infinity(), Float::denorm_min(), std::bit_cast<float>(0x7F800001u)});
  const WeightFile file{{},
                        {make_tensor("d", ElementType::F64, {2, 4}, doubles),
                         make_tensor("f", ElementType::F32, {4, 1, 1}, floats)}};
  EXPECT_EQ(read_back(file).tensors, file.tensors);
}

TEST(Safetensors, keeps_every_type) {
  WeightFile file;
  for (int i = 0; i <= static_cast<int>(ElementType::Bool); ++i) {
    const auto type = static_cast<ElementType>(i);
    file.tensors.push_back(
        make_tensor(std::string(text_of(type)), type, {3}, std::string(3 * size_of(type), '\1')));
  }
  WeightFile again = read_back(file);
  ASSERT_EQ(again.tensors.size(), file.tensors.size());
  for (const WeightTensor& read : again.tensors) {
    EXPECT_EQ(read.name, text_of(read.type));
    EXPECT_EQ(read.element_count(), 3u);
    EXPECT_EQ(read.data, std::string(3 * size_of(read.type), '\1'));
  }
}

TEST(Safetensors, keeps_empty_tensors_scalars_and_a_file_without_any) {
  const WeightFile file{{},
                        {make_tensor("none", ElementType::F64, {0, 3, 1}, ""),
                         make_tensor("one", ElementType::F64, {}, std::string(8, '\1')),
                         make_tensor("last", ElementType::F64, {2, 0}, "")}};
  EXPECT_EQ(read_back(file).tensors, file.tensors);
  EXPECT_THAT(read_back({}).tensors, IsEmpty());
}

TEST(Safetensors, keeps_any_name_and_metadata) {
  const std::string evil = "a\"\\\n\x1b[2J" + std::string(1, '\0') + "\xc3\xa9\xe2\x80\xae";
  const WeightFile file{
      {{evil, evil}, {"", ""}},
      {make_tensor(evil, ElementType::U8, {1}, "x"), make_tensor("", ElementType::U8, {1}, "y")}};
  const WeightFile again = read_back(file);
  EXPECT_EQ(again.tensors, file.tensors);
  EXPECT_EQ(again.metadata, file.metadata);
}

TEST(Safetensors, order_is_that_of_the_data) {
  const auto file =
      read_weights_bytes(safetensors_file(R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},)"
                                          R"("a":{"data_offsets":[0,1],"shape":[1],"dtype":"U8"}})",
                                          "xy"),
                         "w");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_THAT(file->tensors, ElementsAre(make_tensor("a", ElementType::U8, {1}, "x"),
                                         make_tensor("b", ElementType::U8, {1}, "y")));
}

TEST(Safetensors, tensors_are_aligned_to_their_elements) {
  const WeightFile file{
      {{"odd", "?"}},
      {make_tensor("a", ElementType::U8, {3}, "abc"), make_tensor("b", ElementType::F16, {1}, "hh"),
       make_tensor("c", ElementType::F64, {1}, "dddddddd"),
       make_tensor("d", ElementType::F32, {1}, "ffff")}};
  const std::string bytes = *safetensors_bytes(file);
  const std::size_t data = bytes.find("dddddddd");
  EXPECT_EQ(data % 8, 0u);
  EXPECT_EQ(bytes.substr(data), "ddddddddffffhhabc");
}

TEST(Safetensors, half_precision_values) {
  // 1, -2, the least subnormal, the largest finite, infinity
  const WeightTensor half = make_tensor(
      "h", ElementType::F16, {5}, bytes_as<std::uint16_t>({0x3C00, 0xC000, 1, 0x7BFF, 0x7C00}));
  EXPECT_THAT(values_of(half), ElementsAre(1, -2, std::ldexp(1, -24), 65504,
                                           std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(std::isnan(
      values_of(make_tensor("n", ElementType::F16, {1}, bytes_as<std::uint16_t>({0x7C01})))[0]));
  const WeightTensor brain =
      make_tensor("b", ElementType::BF16, {2}, bytes_as<std::uint16_t>({0x3F80, 0xC049}));
  EXPECT_THAT(values_of(brain), ElementsAre(1, -3.140625));
}

class WeightFiles : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }
  [[nodiscard]] std::string bytes(const std::string& name) const { return read_bytes(path(name)); }
  [[nodiscard]] std::ptrdiff_t file_count() const {
    const std::filesystem::directory_iterator files(folder_.path());
    return std::distance(begin(files), end(files));
  }
  const WeightFile file_{{{"k", "v"}}, {make_tensor("w", ElementType::F32, {1}, "abcd")}};

 private:
  TemporaryFolder folder_;
};

TEST_F(WeightFiles, written_file_is_read_back) {
  ASSERT_TRUE(write_weights(file_, path("w")));
  EXPECT_EQ(bytes("w"), *safetensors_bytes(file_));
  const auto again = read_weights(path("w"));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->tensors, file_.tensors);
  EXPECT_EQ(file_count(), 1);
}

TEST_F(WeightFiles, bad_data_leaves_the_old_file_and_no_other) {
  ASSERT_TRUE(write_weights(file_, path("w")));
  const WeightFile twice{{}, {file_.tensors[0], file_.tensors[0]}};
  EXPECT_EQ(write_weights(twice, path("w")).error().text(),
            path("w") + ": tensor \"w\": error: comes twice, expected unique names [E015]");
  EXPECT_EQ(bytes("w"), *safetensors_bytes(file_));
  EXPECT_EQ(file_count(), 1);
}

TEST_F(WeightFiles, bad_place_to_write) {
  EXPECT_EQ(write_weights(file_, path("no/w")).error().text(),
            path("no/w") + ": error: cannot be written: No such file or directory [E051]");
  for (const std::string& place : {path("."), std::string("/dev/full")}) {
    EXPECT_EQ(write_weights(file_, place).error().text(),
              place + ": error: is no regular file, expected one or none [E051]");
  }
  EXPECT_EQ(file_count(), 0);
}

TEST_F(WeightFiles, bad_place_to_read) {
  EXPECT_EQ(read_weights(path("w")).error().text(),
            path("w") + ": error: cannot be opened: No such file or directory [E001]");
  EXPECT_EQ(read_weights(path(".")).error().text(),
            path(".") + ": error: is a directory, expected a file [E001]");
}

TEST_F(WeightFiles, pipe_is_read_up_to_the_limit) {
  ASSERT_TRUE(write_weights(file_, path("w")));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string fill = "cat '" + path("w") + "' > '" + path("pipe") + "' &";
  ASSERT_EQ(std::system(fill.c_str()), 0);
  const auto again = read_weights(path("pipe"));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->tensors, file_.tensors);
  EXPECT_EQ(read_weights("/dev/zero", {1 << 21}).error().text(),
            "/dev/zero: error: has more bytes, the limit is 2097152 [E040]");
}

}  // namespace
}  // namespace vecc::test
