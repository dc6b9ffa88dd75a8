#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace vecc::test {
namespace {

using Ends = std::array<int, 2>;  // ours to read, the child's to write

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

Ends open_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  return {ends[0], ends[1]};
}

Ends open_terminal(unsigned columns) {
  const int ours = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ours < 0 || ::grantpt(ours) != 0 || ::unlockpt(ours) != 0) fail("pseudo-terminal");
  const int theirs = ::open(::ptsname(ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (theirs < 0) fail("pseudo-terminal");
  winsize size{};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(columns);
  ::ioctl(theirs, TIOCSWINSZ, &size);
  return {ours, theirs};
}

std::vector<std::string> child_environment(const Command& command) {
  std::vector<std::string> result{"TERM=xterm"};
  result.insert(result.end(), command.environment.begin(), command.environment.end());
  const auto own = result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const bool is_set = std::ranges::any_of(
        own, [&](const std::string& variable) { return variable.starts_with(name); });
    if (!is_set && name != "NO_COLOR=") result.emplace_back(text);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// RLIMIT_FSIZE of the children that are started while one lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uint64_t bytes) : limits_(bytes > 0) {
    if (!limits_) return;
    if (::getrlimit(RLIMIT_FSIZE, &old_) != 0) fail("getrlimit");
    const rlimit low{bytes, old_.rlim_max};
    if (::setrlimit(RLIMIT_FSIZE, &low) != 0) fail("setrlimit");
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    if (limits_) ::setrlimit(RLIMIT_FSIZE, &old_);
  }

 private:
  bool limits_;
  rlimit old_{};
};

pid_t spawn(const Command& command, int out, int err) {
  const char* folder = std::getenv("VECC_BINARY_DIR");
  if (folder == nullptr) throw std::runtime_error("VECC_BINARY_DIR is not set (run by ctest)");
  const std::string path = std::string(folder) + "/bin/" + command.tool;
  std::vector<std::string> words{command.tool};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> variables = child_environment(command);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, command.stdin_path.c_str(), O_RDONLY, 0);
  if (command.stdout_path.empty()) {
    posix_spawn_file_actions_adddup2(&actions, out, 1);
  } else {
    posix_spawn_file_actions_addopen(&actions, 1, command.stdout_path.c_str(), O_WRONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  // As a shell starts it, whatever this test inherited.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const FileSizeLimit limit(command.max_file_bytes);
  errno = ::posix_spawn(&pid, path.c_str(), &actions, &attributes, pointers(words).data(),
                        pointers(variables).data());
  if (errno != 0) fail(path);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

/// Reads what is there; false at the end (a terminal whose other end is closed says EIO).
bool read_some(int fd, std::string& text) {
  char block[4096];
  const ssize_t count = ::read(fd, block, sizeof block);
  if (count > 0) text.append(block, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

void read_both(pid_t pid, int out, int err, const Command& command, Finished& result) {
  pollfd fds[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[2] = {&result.out, &result.err};
  bool interrupted = command.interrupt_on.empty();
  // New kernels for a GPU take NVRTC up to two minutes.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (std::chrono::steady_clock::now() > deadline) ::kill(pid, SIGKILL);
    ::poll(fds, 2, 1000);
    for (int i = 0; i < 2; ++i) {
      if (fds[i].fd >= 0 && fds[i].revents != 0 && !read_some(fds[i].fd, *texts[i])) fds[i].fd = -1;
    }
    if (!interrupted && result.err.find(command.interrupt_on) != std::string::npos) {
      ::kill(pid, SIGINT);
      interrupted = true;
    }
  }
}

}  // namespace

Finished run(const Command& command) {
  Ends out = open_pipe();
  const Ends err = command.stderr_terminal ? open_terminal(command.columns) : open_pipe();
  if (command.stdout_closed) {
    ::close(out[0]);
    out[0] = -1;
  }
  const pid_t pid = spawn(command, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  Finished result;
  read_both(pid, out[0], err[0], command, result);
  if (out[0] >= 0) ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

Finished run_tool(const std::string& tool, std::vector<std::string> arguments) {
  Command command;
  command.tool = tool;
  command.arguments = std::move(arguments);
  return run(command);
}
Finished run_vecc(std::vector<std::string> arguments) {
  return run_tool("vecc", std::move(arguments));
}

std::string test_folder() {
  struct Root {
    std::string path = (std::filesystem::temp_directory_path() / "vecc-test-XXXXXX").string();
    Root() {
      if (::mkdtemp(path.data()) == nullptr) fail(path);
    }
    ~Root() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Root root;
  static int count = 0;
  const std::string path = root.path + "/" + std::to_string(count++);
  std::filesystem::create_directory(path);
  return path;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> list_folder(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool has_control_characters(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) return true;
    const bool c1 =
        byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (c1) return true;
  }
  return false;
}

}  // namespace vecc::test
