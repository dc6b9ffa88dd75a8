#include "tools/common/data_sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "src/support/atomic_file.h"
#include "tools/common/interrupt.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

Errors write_error(const std::string& place, int error) {
  return {ErrorCode::CannotWrite, escape_terminal(place, 4096),
          std::string("cannot write: ") + std::strerror(error)};
}

// Of stdout and stderr, the one that is this file; -1: neither.
int standard_descriptor(const struct stat& file) {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat standard {};
    if (::fstat(descriptor, &standard) == 0 && standard.st_dev == file.st_dev &&
        standard.st_ino == file.st_ino) {
      return descriptor;
    }
  }
  return -1;
}

}  // namespace

struct DataSink::State {
  std::optional<DeferInterrupt> defer;  // outlives the temporary file
  int fd = -1;                          // stdout, or what is written directly
  std::optional<AtomicFile> file;       // or this
  std::string place;                    // for messages
  std::string buffer;
  int error = 0;  // the first failure's errno

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (fd > STDERR_FILENO) ::close(fd);
  }

  void flush() {
    if (error == 0 && !(file ? file->write(buffer) : write_all(fd, buffer))) error = errno;
    buffer.clear();
    if (error == EPIPE && fd == STDOUT_FILENO) throw BrokenPipe{};
  }
};

DataSink::DataSink(std::unique_ptr<State> state) : state_(std::move(state)) {}
DataSink::DataSink(DataSink&&) noexcept = default;
DataSink& DataSink::operator=(DataSink&&) noexcept = default;
DataSink::~DataSink() = default;

Result<DataSink> DataSink::open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->place = path.empty() ? "stdout" : path;
  struct stat old {};
  if (path.empty()) {
    state->fd = STDOUT_FILENO;
  } else if (::stat(path.c_str(), &old) == 0 && S_ISDIR(old.st_mode)) {
    state->error = EISDIR;
  } else if (is_special_file(path)) {
    state->fd = open_special_file(path);
    if (state->fd < 0) state->error = errno;
  } else {
    state->defer.emplace();
    state->file = AtomicFile::create(path);
    if (!state->file) state->error = errno;
  }
  if (state->error != 0) return write_error(state->place, state->error);
  return DataSink(std::move(state));
}

void DataSink::write(std::string_view text) {
  state_->buffer += text;
  if (state_->buffer.size() >= kBufferBytes) state_->flush();
}

Result<void> DataSink::finish() {
  State& s = *state_;
  s.flush();
  if (s.file && s.error == 0 && !s.file->commit()) s.error = errno;
  s.file.reset();
  if (s.fd > STDERR_FILENO && ::close(s.fd) != 0 && s.error == 0) s.error = errno;
  s.fd = -1;
  s.defer.reset();
  if (s.error != 0) return write_error(s.place, s.error);
  return {};
}

Result<void> write_data(const std::string& path, std::string_view text) {
  VECC_TRY(DataSink sink, DataSink::open(path));
  sink.write(text);
  return sink.finish();
}

Result<void> check_writable(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (path.empty() || is_special_file(path)) continue;  // opening a pipe would wait
    VECC_TRY_VOID(DataSink::open(path));
  }
  return {};
}

Result<void> check_file_writable(const std::string& path) {
  struct stat status {};
  if (!path.empty() && ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
      !S_ISDIR(status.st_mode)) {
    return Errors(ErrorCode::CannotWrite, escape_terminal(path, 4096),
                  "is no regular file, expected one or none");
  }
  return check_writable({path});
}

bool is_special_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return false;
  return !S_ISREG(status.st_mode) || standard_descriptor(status) >= 0;
}

int open_special_file(const std::string& path) {
  struct stat status {};
  const int standard = ::stat(path.c_str(), &status) == 0 ? standard_descriptor(status) : -1;
  if (standard >= 0) return ::fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
}

}  // namespace vecc::tools
