#include "tools/train_log/event_log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "tools/train_log/appended_file.h"
#include "tools/train_log/epoch_fields.h"
#include "vecc/tensorboard.pb.h"

namespace vecc::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileBegin = "events.out.tfevents.";

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string little_endian(std::uint64_t number, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xFF);
  return text;
}

// CRC-32C (Castagnoli), rotated and shifted: the CRC of bytes that hold a CRC would be weak.
std::string masked_crc(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  const auto sum = static_cast<std::uint32_t>(crc.checksum());
  return little_endian((sum >> 15 | sum << 17) + 0xA282EAD8U, 4);
}

// TFRecord: length, its CRC, the bytes, their CRC.
std::string record_of(const tensorboard::Event& event) {
  const std::string bytes = event.SerializeAsString();
  const std::string length = little_endian(bytes.size(), 8);
  return length + masked_crc(length) + bytes + masked_crc(bytes);
}

// `accuracy/train`: TensorBoard draws what is alike up to the slash side by side.
std::string tag_of(const EpochField& field) {
  const std::string name(field.name);
  if (!field.side.empty()) return name + "/" + std::string(field.side);
  return name == "loss" ? "loss/epoch" : name;
}

tensorboard::Event event_of(const EpochReport& report) {
  tensorboard::Event event;
  event.set_wall_time(seconds_since_1970());
  event.set_step(static_cast<std::int64_t>(report.epoch));
  for (const EpochField& field : fields_of(report)) {
    if (!field.value || std::isnan(*field.value)) continue;
    tensorboard::Summary::Value& value = *event.mutable_summary()->add_value();
    value.set_tag(tag_of(field));
    value.set_simple_value(static_cast<float>(*field.value));
  }
  return event;
}

std::string host_name() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0 || *name == '\0') return "localhost";
  std::string result(name);
  const auto is_odd = [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; };
  std::ranges::replace_if(result, is_odd, '_');
  return result;
}

// TensorBoard reads a folder's files in the order of their names: a second that none has reached.
std::uint64_t second_of_next_file(const std::string& folder) {
  auto second = static_cast<std::uint64_t>(seconds_since_1970());
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kFileBegin)) continue;
    std::uint64_t other = 0;
    std::from_chars(name.data() + kFileBegin.size(), name.data() + name.size(), other);
    if (other >= second) second = other + 1;
  }
  return second;
}

class EventLog final : public EpochLog {
 public:
  explicit EventLog(AppendedFile file) : file_(std::move(file)) {}

  Result<void> begin(std::uint64_t finished_epochs) {
    tensorboard::Event first;
    first.set_wall_time(seconds_since_1970());
    first.set_file_version("brain.Event:2");
    tensorboard::Event start;
    start.set_wall_time(first.wall_time());
    start.set_step(static_cast<std::int64_t>(finished_epochs) + 1);
    start.mutable_session_log()->set_status(tensorboard::SessionLog::START);
    return file_.append(record_of(first) + record_of(start));
  }
  Result<void> write(const EpochReport& report) override {
    return file_.append(record_of(event_of(report)));
  }

 private:
  AppendedFile file_;
};

}  // namespace

Result<std::unique_ptr<EpochLog>> open_event_log(const std::string& folder,
                                                 std::uint64_t finished_epochs) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return write_failure(folder, failed.value());
  const std::string path = fmt::format("{}/{}{:010}.{}.{}", folder, kFileBegin,
                                       second_of_next_file(folder), host_name(), ::getpid());
  VECC_TRY(AppendedFile file, AppendedFile::open(path));
  auto log = std::make_unique<EventLog>(std::move(file));
  if (const auto begun = log->begin(finished_epochs); !begun) {
    fs::remove(path, failed);
    return begun.error();
  }
  return std::unique_ptr<EpochLog>(std::move(log));
}

}  // namespace vecc::tools
