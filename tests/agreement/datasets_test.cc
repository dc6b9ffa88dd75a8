// The graphs of datasets/ against NeuraLogic's outputs, which lie beside them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/agreement/agreement.h"
#include "tests/agreement/test_files.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

class Dataset : public testing::TestWithParam<const char*> {};

TEST_P(Dataset, Agrees) {
  const std::string path = (fs::path(datasets_folder()) / GetParam()).string();
  const ExpectedValues expected = read_expected_values(path + ".expected.tsv");
  ASSERT_FALSE(expected.samples.empty());
  expect_agreement(GetParam(), path + ".pb", expected);
}

constexpr const char* kDatasets[] = {
    "mutagenesis",
    "molecule",
    "attention",
    "xor",
    "functions-transformations",
    "functions-combinations",
    "functions-aggregations",
};

INSTANTIATE_TEST_SUITE_P(Shipped, Dataset, testing::ValuesIn(kDatasets), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Datasets, AreAllTested) {
  std::size_t found = 0;
  for (const auto& entry : fs::directory_iterator(datasets_folder())) {
    if (entry.path().extension() != ".pb") continue;
    ++found;
    EXPECT_NE(std::ranges::find(kDatasets, entry.path().stem().string()), std::end(kDatasets))
        << entry.path();
  }
  EXPECT_EQ(found, std::size(kDatasets));
}

TEST(Datasets, StayUnderFourMegabytes) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(datasets_folder())) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_LT(bytes, 4u << 20);
}

}  // namespace
}  // namespace vecc::test
