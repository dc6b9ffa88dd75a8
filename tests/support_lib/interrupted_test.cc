// A signal at any moment leaves no temporary file or folder.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "src/support/atomic_file.h"
#include "src/support/atomic_folder.h"
#include "src/support/signals_blocked.h"
#include "src/support/temporary_folder.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

void clean_up(int) {
  SignalsBlocked::wait_for_others();
  remove_temporary_files();
  remove_temporary_folders();
  ::_exit(0);
}

// A child that makes files and folders in `parent` until its timer interrupts it, `delay` us from
// now.
void interrupt_child(const std::string& parent, std::int64_t delay) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGALRM, clean_up);
    itimerval timer{};
    timer.it_value = {0, static_cast<suseconds_t>(delay)};
    ::setitimer(ITIMER_REAL, &timer, nullptr);
    for (;;) {
      const auto folder = vecc::TemporaryFolder::create(parent, "folder");
      const auto file = AtomicFile::create(parent + "/file", 0600);
      const auto output = AtomicFolder::create(parent + "/output");
      if (!folder || !file || !output) ::_exit(1);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Interrupted, at_any_moment_leaves_no_temporary_file_or_folder) {
  // Not a TemporaryFolder: the child would take that with it.
  std::string parent = fs::temp_directory_path().string() + "/vecc-test-XXXXXX";
  ASSERT_NE(::mkdtemp(parent.data()), nullptr);
  for (std::int64_t delay = 200; delay < 1200; delay += 5) {
    interrupt_child(parent, delay);
    std::string left;
    for (const auto& entry : fs::directory_iterator(parent)) left += entry.path().string() + " ";
    EXPECT_EQ(left, "") << "after " << delay << " us";
    if (!left.empty()) break;
  }
  fs::remove_all(parent);
}

}  // namespace
}  // namespace vecc::test
