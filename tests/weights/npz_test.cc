// .npy and .npz in every form that NumPy writes.
#include <gmock/gmock.h>

#include "tests/support/weight_bytes.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Dimensions = std::vector<std::uint64_t>;

WeightFile read_npz_bytes(const std::string& bytes, const std::string& name = "folder/w.npy") {
  auto file = read_weights_bytes(bytes, name);
  EXPECT_TRUE(file) << file.error().text();
  return file ? *file : WeightFile{};
}

WeightTensor read_array(const std::string& bytes) {
  const WeightFile file = read_npz_bytes(bytes);
  return file.tensors.size() == 1 ? file.tensors[0] : WeightTensor{};
}

const std::string kSix = bytes_as<float>({1, 2, 3, 4, 5, 6});

TEST(Npy, is_one_tensor_with_the_name_of_the_file) {
  const WeightTensor tensor = read_array(npy_array("<f4", "(2, 3)", kSix));
  EXPECT_EQ(tensor.name, "w");
  EXPECT_EQ(tensor.type, ElementType::F32);
  EXPECT_EQ(tensor.shape, Dimensions({2, 3}));
  EXPECT_EQ(tensor.data, kSix);
}

TEST(Npy, versions_1_2_and_3) {
  for (const char version : {1, 2, 3}) {
    EXPECT_EQ(read_array(npy_array("<f4", "(6,)", kSix, false, version)).shape, Dimensions({6}));
  }
}

TEST(Npy, shapes) {
  const std::string one = bytes_as<double>({7});
  EXPECT_EQ(read_array(npy_array("<f8", "()", one)).shape, Dimensions());
  EXPECT_EQ(read_array(npy_array("<f8", "(1,)", one)).shape, Dimensions({1}));
  EXPECT_EQ(read_array(npy_array("<f8", "(1L, 1L)", one)).shape, Dimensions({1, 1}));
  EXPECT_EQ(read_array(npy_array("<f8", "(3, 0)", "")).shape, Dimensions({3, 0}));
  EXPECT_EQ(read_array(npy_array("<f8", "(18446744073709551615, 9, 0)", "")).element_count(), 0u);
}

TEST(Npy, big_endian_numbers_are_turned_round) {
  EXPECT_THAT(values_of(read_array(npy_array(">f4", "(1,)", std::string("\x3f\x80\0\0", 4)))),
              ElementsAre(1));
  EXPECT_THAT(
      values_of(read_array(npy_array(">f8", "(1,)", std::string("\x3f\xf0\0\0\0\0\0\0", 8)))),
      ElementsAre(1));
  EXPECT_THAT(values_of(read_array(npy_array(">f2", "(2,)", std::string("\x3c\0\xc0\0", 4)))),
              ElementsAre(1, -2));
}

TEST(Npy, fortran_order_becomes_c_order) {
  // [[1, 2, 3], [4, 5, 6]] column by column
  const std::string columns = bytes_as<float>({1, 4, 2, 5, 3, 6});
  EXPECT_EQ(read_array(npy_array("<f4", "(2, 3)", columns, true)).data, kSix);
  EXPECT_EQ(read_array(npy_array("<f4", "(6,)", kSix, true)).data, kSix);
  EXPECT_EQ(read_array(npy_array("<f4", "(0, 5)", "", true)).data, "");
  // x[i, j, k] = 100 i + 10 j + k
  std::string first_fastest;
  std::string last_fastest;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) first_fastest += static_cast<char>(100 * i + 10 * j + k);
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) last_fastest += static_cast<char>(100 * i + 10 * j + k);
    }
  }
  EXPECT_EQ(read_array(npy_array("|u1", "(2, 3, 4)", first_fastest, true)).data, last_fastest);
}

TEST(Npy, header_keys_come_in_any_order_and_quotes) {
  const std::string header =
      "{ \"shape\" : ( 2 ,3 ), \"fortran_order\":False,\"descr\":'<f4'}    \n";
  EXPECT_EQ(read_array(npy_file(header, kSix)).data, kSix);
}

TEST(Npz, stored_and_deflated_entries_with_and_without_zip64) {
  const std::string array = npy_array("<f4", "(2, 3)", kSix);
  for (const bool deflate : {false, true}) {
    for (const bool zip64 : {false, true}) {
      const WeightFile file =
          read_npz_bytes(zip_file({zip_part("a.npy", array, deflate, zip64),
                                   zip_part("layer/b.c.npy", array, deflate, zip64)},
                                  zip64));
      ASSERT_EQ(file.tensors.size(), 2u);
      EXPECT_EQ(file.tensors[0].name, "a");
      EXPECT_EQ(file.tensors[1].name, "layer/b.c");
      EXPECT_EQ(file.tensors[1].data, kSix);
    }
  }
}

TEST(Npz, large_deflated_entry) {
  std::vector<double> values(1'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * i % 977);
  const std::string array = npy_array("<f8", "(1000, 1000)", bytes_as(values));
  EXPECT_EQ(values_of(read_npz_bytes(zip_file({zip_part("a.npy", array, true)})).tensors.at(0)),
            values);
}

TEST(Npz, empty_archive_and_comment) {
  EXPECT_THAT(read_npz_bytes(zip_file({})).tensors, IsEmpty());
  std::string with_comment = zip_file({zip_part("a.npy", npy_array("<f4", "(6,)", kSix))});
  with_comment[with_comment.size() - 2] = 5;
  EXPECT_EQ(read_npz_bytes(with_comment + "words").tensors.size(), 1u);
}

}  // namespace
}  // namespace vecc::test
