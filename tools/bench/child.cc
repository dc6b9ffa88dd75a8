#include "child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace vecc::tools {
namespace {

Errors child_error(const std::string& file, const std::string& what) {
  return {ErrorCode::DeviceFailure, "child process " + file, what};
}

std::string read_all(int fd) {
  std::string text;
  char block[4096];
  for (;;) {
    const ssize_t count = ::read(fd, block, sizeof block);
    if (count > 0) {
      text.append(block, static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
  }
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

}  // namespace

Result<std::string> run_child(const std::string& file, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{file};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return child_error(file, std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, file.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  if (error == 0) text = read_all(ends[0]);
  ::close(ends[0]);
  if (error != 0) return child_error(file, std::strerror(error));
  const int status = wait_for(pid);
  if (WIFSIGNALED(status)) {
    return child_error(file, "ended by signal " + std::to_string(WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) != 0) {
    return child_error(file, "exit code " + std::to_string(WEXITSTATUS(status)));
  }
  return text;
}

Result<std::string> run_self(const std::vector<std::string>& arguments) {
  return run_child("/proc/self/exe", arguments);
}

}  // namespace vecc::tools
