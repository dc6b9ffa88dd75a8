// The progress line: on a terminal only, after a second, cleared at the end.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "process.h"
#include "tools/common/progress_line.h"

namespace vecc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A vecc whose import waits for ever, and is interrupted when the progress line stands.
Command waiting_vecc() {
  const std::string pipe = test_folder() + "/pipe.pb";
  EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Command command;
  command.tool = "vecc";
  command.arguments = {pipe};
  command.stderr_terminal = true;
  command.interrupt_on = "import  1";
  return command;
}

TEST(Terminal, progress_line_is_drawn_and_cleared_on_interrupt) {
  const Finished result = run(waiting_vecc());
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, HasSubstr("\r\x1b[Jinterrupted"));
}

TEST(Terminal, no_color_draws_without_escapes) {
  Command command = waiting_vecc();
  command.environment = {"NO_COLOR=1"};
  const Finished result = run(command);
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, HasSubstr("import  1"));
  EXPECT_THAT(result.err, Not(HasSubstr("\x1b")));
}

TEST(Terminal, narrow_terminal_gets_a_cut_line) {
  Command command = waiting_vecc();
  command.columns = 8;
  command.interrupt_on = "import ";
  const Finished result = run(command);
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, Not(HasSubstr("import  1")));
}

TEST(Terminal, errors_are_red_only_where_colours_are_welcome) {
  Command command;
  command.tool = "vecc";
  command.arguments = {test_folder() + "/missing.pb"};
  EXPECT_THAT(run(command).err, Not(HasSubstr("\x1b")));
  command.stderr_terminal = true;
  EXPECT_THAT(run(command).err, HasSubstr("\x1b[1;31merror:"));
  command.environment = {"NO_COLOR=1"};
  EXPECT_THAT(run(command).err, Not(HasSubstr("\x1b")));
}

TEST(ProgressText, fits_the_width) {
  const auto text = [](std::size_t width) {
    return tools::progress_text("vectorize", 50, 200, tools::ProgressUnit::Neurons, 2.25, width);
  };
  EXPECT_EQ(text(200), "vectorize  [#######.......................]   25 %  50 neurons  2.2 s");
  EXPECT_EQ(text(45), "vectorize  [#.....]   25 %  50 neurons  2.2 s");
  EXPECT_EQ(text(40), "vectorize   25 %  50 neurons  2.2 s");
  for (std::size_t width = 0; width < 100; ++width) EXPECT_LE(text(width).size(), width);
}

TEST(ProgressText, unknown_total_has_no_bar) {
  EXPECT_EQ(tools::progress_text("import", 2048, 0, tools::ProgressUnit::Bytes, 1, 80),
            "import  2.0 KB  1.0 s");
  EXPECT_EQ(tools::progress_text("run", 0, 0, tools::ProgressUnit::Runs, 1, 80), "run  1.0 s");
}

}  // namespace
}  // namespace vecc::test
