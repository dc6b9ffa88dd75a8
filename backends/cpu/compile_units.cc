#include "backends/cpu/compile_units.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "backends/native/compiler_text.h"
#include "src/support/child_process.h"
#include "vecc/escape.h"

namespace vecc::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxCompilerText = 4096;

struct RunningCompiler {
  std::size_t unit;
  ChildProcess process;
  Clock::time_point deadline;
};

class CompileQueue {
 public:
  CompileQueue(const HostCompiler& compiler, std::span<const CompileUnit> units,
               const std::string& folder, const CompileOptions& options,
               const std::function<Result<void>(std::size_t)>& done)
      : compiler_(compiler), units_(units), folder_(folder), options_(options), done_(done) {}

  Result<void> run() {
    const std::size_t slots = job_count(options_);
    for (std::size_t next = 0;;) {
      while (errors_.empty() && next < units_.size() && running_.size() < slots) start(next++);
      if (running_.empty()) break;
      wait_for_some();
    }
    if (!errors_.empty()) return errors_;
    return {};
  }

 private:
  void add_errors(const Errors& errors) {
    for (const Diagnostic& one : errors.list()) errors_.add(one.code, one.place, one.message);
  }

  void fail(std::size_t unit, const std::string& what) {
    errors_.add(ErrorCode::CompilerFailed, escape_terminal(compiler_.path, 4096),
                "unit " + std::to_string(unit) + ": " + what);
  }

  [[nodiscard]] double timeout_of(std::size_t unit) const {
    return options_.timeout * static_cast<double>(units_[unit].parts);
  }

  void start(std::size_t unit) {
    const std::string name = std::to_string(unit);
    std::ofstream source(folder_ + "/" + name + ".cc", std::ios::binary);
    if (!(source << units_[unit].text).flush()) return fail(unit, "cannot write in " + folder_);
    // In its folder, so that no path is in its messages or its output. Its temporary files are
    // there too: they go with the folder, however it ends.
    ChildCommand command{.file = compiler_.path,
                         .read_stderr = true,
                         .max_text = kMaxCompilerText,
                         .folder = folder_,
                         .variables = {"TMPDIR=" + folder_, "LC_ALL=C"}};
    command.arguments = compile_flags();
    command.arguments.insert(command.arguments.end(), {"-o", name + ".so", name + ".cc"});
    command.arguments.insert(command.arguments.end(), link_flags().begin(), link_flags().end());
    Result<ChildProcess> process = ChildProcess::start(command);
    if (!process) return fail(unit, process.error().list().front().message);
    const double seconds = timeout_of(unit);
    process->limit_cpu_seconds(static_cast<std::uint64_t>(std::ceil(seconds)) + 1);
    const auto timeout = std::chrono::duration<double>(seconds);
    running_.push_back({unit, std::move(*process),
                        Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout)});
  }

  // Until a compiler prints something or ends, or the first one's time is over.
  void wait_for_some() {
    std::vector<pollfd> polled;
    Clock::time_point deadline = running_.front().deadline;
    for (const RunningCompiler& one : running_) {
      polled.push_back({.fd = one.process.descriptor(), .events = POLLIN, .revents = 0});
      deadline = std::min(deadline, one.deadline);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    // A signal, or nothing: the loop below finds nothing to read.
    (void)::poll(polled.data(), polled.size(),
                 static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
    for (std::size_t i = running_.size(); i-- > 0;) {
      const bool is_late = Clock::now() >= running_[i].deadline;
      const bool has_ended = polled[i].revents != 0 && !running_[i].process.read_some();
      if (has_ended || is_late) finish(i, !has_ended);
    }
  }

  void finish(std::size_t position, bool is_late) {
    RunningCompiler one = std::move(running_[position]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(position));
    if (is_late) one.process.kill();
    const std::string failure = one.process.wait();
    if (is_late) {
      fail(one.unit, "not compiled after " + std::to_string(timeout_of(one.unit)) + " seconds");
    } else if (!failure.empty()) {
      fail(one.unit, failure + native::indented_lines(one.process.text()));
    } else if (!std::filesystem::exists(library_path(folder_, one.unit))) {
      fail(one.unit,
           "ended well, but has made no library: is it a C++ compiler? Name another one "
           "with VECC_CXX, or use --backend=torch or --backend=interpreter" +
               native::indented_lines(one.process.text()));
    } else if (const auto done = done_(one.unit); !done) {
      add_errors(done.error());
    }
  }

  const HostCompiler& compiler_;
  std::span<const CompileUnit> units_;
  const std::string& folder_;
  const CompileOptions& options_;
  const std::function<Result<void>(std::size_t)>& done_;
  std::vector<RunningCompiler> running_;
  Errors errors_;
};

}  // namespace

std::size_t job_count(const CompileOptions& options) {
  return options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
}

Result<void> compile_units(const HostCompiler& compiler, std::span<const CompileUnit> units,
                           const std::string& folder, const CompileOptions& options,
                           const std::function<Result<void>(std::size_t)>& done) {
  return CompileQueue(compiler, units, folder, options, done).run();
}

std::string library_path(const std::string& folder, std::size_t unit) {
  return folder + "/" + std::to_string(unit) + ".so";
}

}  // namespace vecc::cpu
