// Files of what was measured on a device: those of others, and damaged ones, say so.
#include "src/calibration/device_file.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "src/calibration/coefficient_file.h"
#include "src/support/temporary_folder.h"
#include "src/support/whole_file.h"

namespace vecc::test {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

class DeviceFiles : public ::testing::Test {
 protected:
  DeviceFiles() { ::setenv("VECC_CACHE_DIR", (folder_.path() + "/cache").c_str(), 1); }
  ~DeviceFiles() override { ::unsetenv("VECC_CACHE_DIR"); }

  // What reading says of a file that holds this text.
  std::string refusal(const std::string& text) {
    const auto path = device_file_path(file_);
    EXPECT_TRUE(path && (std::ofstream(*path) << text));
    const auto read = read_device_file(file_);
    EXPECT_FALSE(read) << text;
    if (read) return {};
    EXPECT_THAT(read.error().text(), HasSubstr(*path));
    return read.error().text();
  }

  TemporaryFolder folder_ =
      TemporaryFolder::create(std::filesystem::temp_directory_path(), "vecc-test").value();
  DeviceFile file_{"cost", "kind", "cuda", "cuda:0 A GPU"};
};

TEST_F(DeviceFiles, AreReadAsTheyWereWritten) {
  const auto nothing = read_device_file(file_);
  ASSERT_TRUE(nothing) << nothing.error().text();
  EXPECT_FALSE(*nothing);
  const auto path = write_device_file(file_, {{"a", 0.1}, {"b", "text"}});
  ASSERT_TRUE(path) << path.error().text();
  EXPECT_EQ(*path, folder_.path() + "/cache/cost/kind-cuda-cuda_0_A_GPU.json");
  const auto read = read_device_file(file_);
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->at("a"), 0.1);
  EXPECT_EQ((*read)->at("b"), "text");
}

TEST_F(DeviceFiles, ThatAreDamagedOrOthersSaySo) {
  const auto path = write_device_file(file_, {{"a", 1}});
  ASSERT_TRUE(path) << path.error().text();
  const Json good = Json::parse(*read_whole_file(*path));
  const auto with = [&](const char* key, const Json& value) {
    Json json = good;
    json[key] = value;
    return json.dump();
  };
  EXPECT_THAT(refusal(good.dump()), HasSubstr("states no CRC-32 of its bytes"));
  EXPECT_THAT(refusal(""), HasSubstr("damaged, or cut off"));
  EXPECT_THAT(refusal(good.dump().substr(0, 30)), HasSubstr("damaged, or cut off"));
  EXPECT_THAT(refusal("[1, 2]"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal(std::string(100'000, '[')), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal("{}"), HasSubstr("has no string \"vecc\""));
  EXPECT_THAT(refusal(with("vecc", 1)), HasSubstr("has no string \"vecc\""));
  EXPECT_THAT(refusal(with("vecc", "0.0.1")), HasSubstr("vecc is \"0.0.1\", expected"));
  EXPECT_THAT(refusal(with("backend", "torch")), HasSubstr("expected \"cuda\""));
  EXPECT_THAT(refusal(with("device", "cuda:0 B")), HasSubstr("expected \"cuda:0 A GPU\""));
  std::filesystem::remove(*path);
  std::filesystem::create_directory(*path);
  EXPECT_FALSE(read_device_file(file_));
}

TEST_F(DeviceFiles, NoDamageGivesOtherNumbers) {
  const auto path = write_device_file(file_, {{"a", 0.1}, {"b", "text"}});
  ASSERT_TRUE(path) << path.error().text();
  const std::string whole = *read_whole_file(*path);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const std::string text = refusal(damaged);
    if (bit / 8 == whole.find("0.1")) {
      EXPECT_THAT(text, HasSubstr("its bytes have the CRC-32 "));
      EXPECT_THAT(text, HasSubstr(", expected " + whole.substr(14, 8) + ": it is damaged"));
    }
  }
  for (std::size_t size = 0; size < whole.size(); ++size) (void)refusal(whole.substr(0, size));
}

TEST_F(DeviceFiles, CoefficientsAreAllThereAndInRangeOrNoneIsRead) {
  double a = 1;
  double b = 2;
  const std::vector<NamedCoefficient> both{{"a", &a, 10}, {"b", &b, 10}};
  EXPECT_EQ(*load_coefficients(file_, both), false);
  for (const Json& bad : {Json{{"a", 5}}, Json{{"a", 5}, {"b", 10.5}}, Json{{"a", 5}, {"b", -1}},
                          Json{{"a", 5}, {"b", nullptr}}, Json{{"a", 5}, {"b", "1"}}}) {
    ASSERT_TRUE(write_device_file(file_, bad));
    const auto loaded = load_coefficients(file_, both);
    ASSERT_FALSE(loaded) << bad;
    EXPECT_THAT(loaded.error().text(), HasSubstr(*device_file_path(file_)));
    EXPECT_THAT(unused_coefficients_text(loaded.error(), file_),
                HasSubstr("vecc-bench calibrate --backend=cuda --device=cuda:0 writes another"));
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, 2);
  }
  a = 1.0 / 3;
  ASSERT_TRUE(save_coefficients(file_, both));
  a = b = 0;
  EXPECT_EQ(*load_coefficients(file_, both), true);
  EXPECT_EQ(a, 1.0 / 3);
  EXPECT_EQ(b, 2);
}

}  // namespace
}  // namespace vecc::test
