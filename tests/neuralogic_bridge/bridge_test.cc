// Graphs that the bridge exported, against NeuraLogic's own value of every neuron.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/agreement/agreement.h"

namespace vecc::test {
namespace {

std::vector<std::string> list_exports() {
  const char* const folder = std::getenv("VECC_BRIDGE_DIR");
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder != nullptr ? folder : "", none)) {
    if (entry.path().extension() == ".pb") {
      names.push_back(std::filesystem::path(entry.path()).replace_extension().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

/// `text/xor`
std::string name_of(const std::string& path) {
  const std::filesystem::path file(path);
  return (file.parent_path().filename() / file.filename()).string();
}

class Bridge : public testing::TestWithParam<std::string> {};
// Without exports there is nothing to instantiate; BridgeExports fails then.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Bridge);

TEST_P(Bridge, AgreesWithNeuraLogic) {
  const ExpectedValues expected = read_expected_values(GetParam() + ".expected");
  ASSERT_FALSE(expected.neurons.empty());
  ASSERT_FALSE(expected.samples.empty());
  expect_agreement(name_of(GetParam()), GetParam() + ".pb", expected);
}

INSTANTIATE_TEST_SUITE_P(Exports, Bridge, testing::ValuesIn(list_exports()), [](const auto& test) {
  std::string name = name_of(test.param);
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(BridgeExports, AreThere) {
  EXPECT_FALSE(list_exports().empty()) << "VECC_BRIDGE_DIR has no exported graph";
}

}  // namespace
}  // namespace vecc::test
