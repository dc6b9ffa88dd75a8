// vecc without the shared library of the torch backend beside it, or with a broken one.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>

#include "process.h"
#include "sample_graphs.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// For its lifetime, `vecc` is a copy in a folder of its own.
class LoneVecc {
 public:
  explicit LoneVecc(const std::string& folder) : build_(std::getenv("VECC_BINARY_DIR")) {
    fs::create_directories(folder + "/bin");
    fs::copy_file(build_ + "/bin/vecc", folder + "/bin/vecc");
    ::setenv("VECC_BINARY_DIR", folder.c_str(), 1);
  }
  LoneVecc(const LoneVecc&) = delete;
  LoneVecc& operator=(const LoneVecc&) = delete;
  ~LoneVecc() { ::setenv("VECC_BINARY_DIR", build_.c_str(), 1); }

 private:
  std::string build_;
};

bool built_with_torch() {
  return fs::exists(std::string(std::getenv("VECC_BINARY_DIR")) + "/bin/libvecc_torch.so");
}

TEST(TorchModule, that_is_missing_is_an_absent_backend) {
  if (!built_with_torch()) GTEST_SKIP() << "built without libtorch";
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const LoneVecc lone(folder);
  const Finished asked = run_vecc({graph, "--backend=torch"});
  EXPECT_EQ(asked.code, 5);
  EXPECT_EQ(asked.out, "");
  EXPECT_THAT(asked.err, HasSubstr("bin/libvecc_torch.so is not there"));
  EXPECT_THAT(asked.err, HasSubstr("[E060]"));
}

TEST(TorchModule, that_cannot_be_loaded_is_an_absent_backend) {
  if (!built_with_torch()) GTEST_SKIP() << "built without libtorch";
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const LoneVecc lone(folder);
  write_text(folder + "/bin/libvecc_torch.so", "no library");
  const Finished result = run_vecc({graph, "--backend=torch"});
  EXPECT_EQ(result.code, 5);
  EXPECT_THAT(result.err, HasSubstr("[E060]"));
  EXPECT_EQ(run_vecc({graph, "--backend=reference"}).code, 0);
}

}  // namespace
}  // namespace vecc::test
