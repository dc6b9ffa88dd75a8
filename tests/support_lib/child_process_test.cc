// Programs run by argument list.
#include "src/support/child_process.h"

#include <gmock/gmock.h>

namespace vecc::test {
namespace {

using ::testing::HasSubstr;

TEST(ChildProcess, returns_what_it_printed) {
  const auto text = run_child({.file = "echo", .arguments = {"$HOME; two  words", "*"}});
  ASSERT_TRUE(text.has_value()) << text.error().text();
  EXPECT_EQ(*text, "$HOME; two  words *\n") << "no shell looks at it";
}

TEST(ChildProcess, has_an_empty_stdin) {
  const auto text = run_child({.file = "cat"});
  ASSERT_TRUE(text.has_value()) << text.error().text();
  EXPECT_EQ(*text, "");
}

TEST(ChildProcess, runs_in_a_folder_with_variables_of_its_own) {
  const auto text = run_child({.file = "sh",
                               .arguments = {"-c", "pwd; echo $HOME $VECC_NEW"},
                               .folder = "/",
                               .variables = {"HOME=there", "VECC_NEW=new"}});
  ASSERT_TRUE(text.has_value()) << text.error().text();
  EXPECT_EQ(*text, "/\nthere new\n");
}

TEST(ChildProcess, that_fails_is_an_error) {
  const auto text = run_child({.file = "sh", .arguments = {"-c", "exit 3"}});
  ASSERT_FALSE(text.has_value());
  EXPECT_THAT(text.error().text(), HasSubstr("child process sh: error: exit code 3"));
}

TEST(ChildProcess, that_is_not_there_is_an_error) {
  const auto text = run_child({.file = "/nowhere/program"});
  ASSERT_FALSE(text.has_value());
  EXPECT_THAT(text.error().text(), HasSubstr("No such file"));
}

TEST(ChildProcess, keeps_no_more_text_than_it_may) {
  const auto text = run_child({.file = "sh",
                               .arguments = {"-c", "echo one >&2; head -c 1000000 /dev/zero"},
                               .read_stderr = true,
                               .max_text = 5});
  ASSERT_TRUE(text.has_value()) << text.error().text();
  EXPECT_EQ(*text, std::string("one\n\0", 5));
}

TEST(ChildProcess, ends_with_its_owner) {
  auto child = ChildProcess::start({.file = "sleep", .arguments = {"100"}});
  ASSERT_TRUE(child.has_value()) << child.error().text();
  child->kill();
  EXPECT_EQ(child->wait(), "ended by signal 9");
}

}  // namespace
}  // namespace vecc::test
