#include "src/support/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "src/support/signals_blocked.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

Errors child_error(const std::string& file, const std::string& what) {
  return {ErrorCode::DeviceFailure, "child process " + escape_terminal(file, 4096), what};
}

// Pointers to words, and the null that ends them.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Our environment with `variables` instead of those of the same names.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view ours = *entry;
    const std::string_view name = ours.substr(0, ours.find('=') + 1);
    const bool is_replaced =
        std::any_of(variables.begin(), variables.end(),
                    [&](const std::string& variable) { return variable.starts_with(name); });
    if (!is_replaced) all.emplace_back(ours);
  }
  return all;
}

std::atomic<bool> are_grouped{false};
// Leaders of the groups that run, where a signal handler may read them; 0: none.
std::atomic<pid_t> groups[512];
static_assert(std::atomic<pid_t>::is_always_lock_free);

void remember_group(pid_t pid) {
  for (std::atomic<pid_t>& group : groups) {
    pid_t none = 0;
    if (group.compare_exchange_strong(none, pid)) return;
  }
}
void forget_group(pid_t pid) {
  for (std::atomic<pid_t>& group : groups) {
    pid_t same = pid;
    if (group.compare_exchange_strong(same, 0)) return;
  }
}

// The child's side of posix_spawn: its descriptors, folder and signals.
class SpawnSetup {
 public:
  SpawnSetup(const ChildCommand& command, int output, bool is_group) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    if (command.read_stderr) {
      posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    }
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!command.folder.empty()) {
      posix_spawn_file_actions_addchdir_np(&actions_, command.folder.c_str());
    }
    // What this thread blocks or ignores would be blocked and ignored there too.
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (is_group) flags |= POSIX_SPAWN_SETPGROUP;  // 0, as it is: a new one
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // 0, or what errno would say.
  int spawn(const std::string& file, char* const* argv, char* const* envp, pid_t& pid) const {
    return ::posix_spawnp(&pid, file.c_str(), &actions_, &attributes_, argv, envp);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

void group_children() {
  are_grouped = true;
}

void kill_children() {
  for (const std::atomic<pid_t>& group : groups) {
    if (const pid_t pid = group; pid > 0) ::kill(-pid, SIGKILL);
  }
  for (const std::atomic<pid_t>& group : groups) {
    if (const pid_t pid = group; pid > 0) (void)::waitpid(pid, nullptr, 0);
  }
}

Result<ChildProcess> ChildProcess::start(const ChildCommand& command) {
  std::vector<std::string> words{command.file};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> variables = environment_with(command.variables);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return child_error(command.file, std::strerror(errno));
  pid_t pid = -1;
  const bool is_group = are_grouped;
  int error = 0;
  {
    const SignalsBlocked until_it_is_known;
    error = SpawnSetup(command, ends[1], is_group)
                .spawn(command.file, pointers_to(words).data(), pointers_to(variables).data(), pid);
    if (error == 0 && is_group) remember_group(pid);
  }
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    if (error == ENOMEM) throw std::bad_alloc();
    return child_error(command.file, std::strerror(error));
  }
  return ChildProcess(pid, is_group, ends[0], command.max_text);
}

ChildProcess::ChildProcess(pid_t pid, bool is_group, int output, std::size_t max_text)
    : pid_(pid), is_group_(is_group), output_(output), max_text_(max_text) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      is_group_(other.is_group_),
      output_(std::exchange(other.output_, -1)),
      max_text_(other.max_text_),
      text_(std::move(other.text_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  abandon();
  pid_ = std::exchange(other.pid_, -1);
  is_group_ = other.is_group_;
  output_ = std::exchange(other.output_, -1);
  max_text_ = other.max_text_;
  text_ = std::move(other.text_);
  return *this;
}

ChildProcess::~ChildProcess() {
  abandon();
}

void ChildProcess::abandon() {
  if (pid_ >= 0) {
    kill();
    (void)wait();
  }
}

bool ChildProcess::read_some() {
  char block[4096];
  ssize_t count = 0;
  do {
    count = ::read(output_, block, sizeof block);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  const std::size_t room = max_text_ - text_.size();
  text_.append(block, std::min(room, static_cast<std::size_t>(count)));
  return true;
}

void ChildProcess::limit_cpu_seconds(std::uint64_t seconds) const {
  const rlimit limit{seconds, seconds};
  if (pid_ >= 0) (void)::prlimit(pid_, RLIMIT_CPU, &limit, nullptr);
}

void ChildProcess::kill() const {
  if (pid_ >= 0) ::kill(is_group_ ? -pid_ : pid_, SIGKILL);
}

std::string ChildProcess::wait() {
  int status = 0;  // stays so if the host program ignores SIGCHLD: how it ended is unknown
  const pid_t pid = std::exchange(pid_, -1);
  while (pid >= 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (is_group_) forget_group(pid);
  if (output_ >= 0) ::close(std::exchange(output_, -1));
  if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "exit code " + std::to_string(WEXITSTATUS(status));
  return {};
}

Result<std::string> run_child(const ChildCommand& command) {
  VECC_TRY(ChildProcess child, ChildProcess::start(command));
  while (child.read_some()) continue;
  if (const std::string failure = child.wait(); !failure.empty()) {
    return child_error(command.file, failure);
  }
  return child.text();
}

}  // namespace vecc
