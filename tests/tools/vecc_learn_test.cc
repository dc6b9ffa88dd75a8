// vecc runs vecc-learn for databases, or says how to get it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "process.h"

namespace vecc::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LearnProgram : public testing::Test {
 protected:
  std::string folder = test_folder();
  std::string learn = folder + "/vecc-learn";

  LearnProgram() {
    const std::string built = std::string(std::getenv("VECC_BINARY_DIR")) + "/bin/vecc";
    std::filesystem::copy_file(built, folder + "/vecc");
  }
  [[nodiscard]] Finished run_copy(std::vector<std::string> words) const {
    return run_tool(std::filesystem::relative(folder + "/vecc",
                                              std::string(std::getenv("VECC_BINARY_DIR")) + "/bin"),
                    std::move(words));
  }
};

TEST_F(LearnProgram, IsAskedForWhereItIsMissing) {
  const std::vector<std::vector<std::string>> commands{{"learn", "shop.db", "--target=a.b"},
                                                       {"learn", "--help"},
                                                       {"help", "learn"},
                                                       {"predict", "model.vecc", "new.db"}};
  for (const auto& words : commands) {
    const Finished done = run_copy(words);
    EXPECT_EQ(done.code, 2) << words[0];
    EXPECT_EQ(done.out, "");
    EXPECT_THAT(done.err, AllOf(HasSubstr("error: needs the program vecc-learn beside vecc"),
                                HasSubstr(learn), HasSubstr("--target vecc-learn"),
                                HasSubstr("./tools/run learn")));
  }
  EXPECT_EQ(run_copy({"predict", "--help"}).code, 0);
  write_text(learn, "");
  EXPECT_THAT(run_copy({"learn", "x"}).err, HasSubstr("vecc-learn cannot be run: Permission"));
}

TEST_F(LearnProgram, GetsWordsAndStreamsAndItsExitCodeCounts) {
  write_text(learn, "#!/bin/sh\nprintf '<%s>' \"$@\"\ncat\necho said >&2\nexit 42\n");
  ASSERT_EQ(::chmod(learn.c_str(), 0755), 0);
  const Finished learned = run_copy({"learn", "my shop.db", "--target=a.b"});
  EXPECT_EQ(learned.code, 42);
  EXPECT_EQ(learned.out, "<learn><my shop.db><--target=a.b>");
  EXPECT_EQ(learned.err, "said\n");
  EXPECT_EQ(run_copy({"help", "learn"}).out, "<learn><--help>");
  EXPECT_EQ(run_copy({"predict", "--split", "test", "model.vecc", "new.db"}).out,
            "<predict><--split><test><model.vecc><new.db>");
}

}  // namespace
}  // namespace vecc::test
