#include "event_reader.h"

#include <cstring>
#include <stdexcept>
#include <string_view>

namespace vecc::test {
namespace {

// Numbers and fields from the front of some bytes: the wire format of Protocol Buffers.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return bytes_.empty(); }
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) throw std::runtime_error("ends early");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  template <class Number>
  Number fixed() {
    Number number;
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  }
  std::uint64_t varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      number |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return number;
    }
    throw std::runtime_error("varint of more than 64 bits");
  }
  // Field number and wire type, as one: 10 * number + type.
  std::uint64_t tag() {
    const std::uint64_t tag = varint();
    return tag / 8 * 10 + tag % 8;
  }
  WireReader message() { return WireReader(take(varint())); }
  std::string text() { return std::string(take(varint())); }

 private:
  std::string_view bytes_;
};

[[noreturn]] void unknown(const char* message, std::uint64_t tag) {
  throw std::runtime_error(std::string(message) + " has field " + std::to_string(tag / 10) +
                           " of wire type " + std::to_string(tag % 10));
}

void read_value(WireReader value, LoggedEvent& event) {
  std::string tag;
  float number = 0;
  while (!value.at_end()) {
    switch (const auto field = value.tag()) {
      case 12: tag = value.text(); break;
      case 25: number = value.fixed<float>(); break;
      default: unknown("Value", field);
    }
  }
  if (!event.scalars.emplace(tag, number).second) throw std::runtime_error(tag + " comes twice");
}

LoggedEvent read_event(WireReader wire) {
  LoggedEvent event;
  while (!wire.at_end()) {
    switch (const auto field = wire.tag()) {
      case 11: event.wall_time = wire.fixed<double>(); break;
      case 20: event.step = static_cast<std::int64_t>(wire.varint()); break;
      case 32: event.file_version = wire.text(); break;
      case 52:
        for (WireReader summary = wire.message(); !summary.at_end();) {
          if (const auto inner = summary.tag(); inner != 12) unknown("Summary", inner);
          read_value(summary.message(), event);
        }
        break;
      case 72: event.starts_session = wire.text() == std::string("\x08\x01"); break;
      default: unknown("Event", field);
    }
  }
  return event;
}

void check_crc(std::string_view bytes, std::uint32_t stored) {
  const std::uint32_t crc = crc32c(std::string(bytes));
  const std::uint32_t masked = ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
  if (masked != stored) throw std::runtime_error("a CRC is wrong");
}

}  // namespace

std::uint32_t crc32c(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0);
  }
  return ~crc;
}

std::vector<LoggedEvent> read_events(const std::string& bytes) {
  std::vector<LoggedEvent> events;
  for (WireReader file(bytes); !file.at_end();) {
    const std::string_view length_bytes = file.take(8);
    check_crc(length_bytes, file.fixed<std::uint32_t>());
    const std::string_view event = file.take(WireReader(length_bytes).fixed<std::uint64_t>());
    check_crc(event, file.fixed<std::uint32_t>());
    events.push_back(read_event(WireReader(event)));
  }
  return events;
}

}  // namespace vecc::test
