#include "tools/common/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>

#include "src/support/atomic_file.h"
#include "src/support/child_process.h"
#include "src/support/signals_blocked.h"
#include "src/support/temporary_folder.h"
#include "vecc/error.h"

namespace vecc::tools {
namespace {

constexpr int kSignalCode = 128;  // as shells count
static_assert(kSignalCode + SIGINT == static_cast<int>(ExitCode::Interrupted));

std::atomic<int> deferred{0};
std::atomic<int> pending{0};  // a signal that came while deferred
std::atomic<const char*> clear_text{nullptr};
// A signal handler may only use lock-free atomics.
static_assert(std::atomic<int>::is_always_lock_free &&
              std::atomic<const char*>::is_always_lock_free);

void write_stderr(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // stderr is closed
}

[[noreturn]] void leave(int signal) {
  SignalsBlocked::wait_for_others();
  kill_children();
  remove_temporary_files();
  remove_temporary_folders();
  if (const char* text = clear_text.load()) write_stderr(text);
  write_stderr("interrupted\n");
  ::_exit(kSignalCode + signal);
}

void handle_signal(int signal) {
  if (deferred.load() > 0 && pending.exchange(signal) == 0) return;
  leave(signal);
}

void install_handler(int signal) {
  struct sigaction old {};
  if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handle_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
  group_children();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) install_handler(signal);
}

DeferInterrupt::DeferInterrupt() {
  deferred.fetch_add(1);
}
DeferInterrupt::~DeferInterrupt() {
  if (deferred.fetch_sub(1) == 1 && pending.load() != 0) leave(pending.load());
}

bool interrupt_pending() {
  return pending.load() != 0;
}

void set_interrupt_text(const char* text) {
  clear_text.store(text);
}

}  // namespace vecc::tools
