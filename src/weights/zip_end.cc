#include "src/weights/zip_end.h"

#include <algorithm>
#include <optional>

#include "src/weights/element_type.h"

namespace vecc::weights {
namespace {

constexpr std::uint32_t kEndMark = 0x06054b50;
constexpr std::uint32_t kZip64EndMark = 0x06064b50;
constexpr std::uint32_t kZip64LocatorMark = 0x07064b50;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kZip64EndBytes = 56;
constexpr std::size_t kZip64LocatorBytes = 20;
constexpr std::size_t kMaxComment = 0xFFFF;
/// A directory is held in memory: for a million entries, far more than arrays of one model.
constexpr std::uint64_t kMaxDirectory = 100'000'000;

/// The last place in the tail from where a comment of the length it gives reaches the end.
std::optional<std::size_t> find_end_record(const std::string& tail) {
  for (std::size_t at = tail.size() - kEndBytes + 1; at-- > 0;) {
    const char* const record = tail.data() + at;
    if (load_little_endian<std::uint32_t>(record) == kEndMark &&
        at + kEndBytes + load_little_endian<std::uint16_t>(record + 20) == tail.size()) {
      return at;
    }
  }
  return std::nullopt;
}

Errors several_disks() {
  return Errors(ErrorCode::UnreadWeights, "", "is one of several disks of a zip archive");
}

/// Takes the directory's place from zip64's record, which the locator at `locator_at` points to;
/// returns where that record begins.
Result<std::uint64_t> read_zip64_end(const InputFile& input, std::uint64_t locator_at,
                                     ZipEnd& end) {
  VECC_TRY(const std::string locator, input.read(locator_at, kZip64LocatorBytes));
  const auto at = load_little_endian<std::uint64_t>(locator.data() + 8);
  const Errors misplaced(ErrorCode::BadWeightFile, "",
                         "the archive's zip64 end record is not where its locator says, at byte " +
                             std::to_string(at));
  if (locator_at < kZip64EndBytes || at > locator_at - kZip64EndBytes) return misplaced;
  VECC_TRY(const std::string record, input.read(at, kZip64EndBytes));
  const auto size = load_little_endian<std::uint64_t>(record.data() + 4);
  if (load_little_endian<std::uint32_t>(record.data()) != kZip64EndMark ||
      size != locator_at - at - 12) {
    return misplaced;
  }
  end.entries = load_little_endian<std::uint64_t>(record.data() + 32);
  if (load_little_endian<std::uint32_t>(record.data() + 16) != 0 ||
      load_little_endian<std::uint32_t>(record.data() + 20) != 0 ||
      load_little_endian<std::uint64_t>(record.data() + 24) != end.entries) {
    return several_disks();
  }
  end.directory_bytes = load_little_endian<std::uint64_t>(record.data() + 40);
  end.directory_at = load_little_endian<std::uint64_t>(record.data() + 48);
  return at;
}

Result<void> check_place(const ZipEnd& end, std::uint64_t records_at) {
  if (end.directory_at > records_at || end.directory_bytes != records_at - end.directory_at) {
    return Errors(ErrorCode::BadWeightFile, "",
                  "the archive's directory has " + std::to_string(end.directory_bytes) +
                      " bytes from byte " + std::to_string(end.directory_at) +
                      " on, expected it to end at byte " + std::to_string(records_at));
  }
  if (end.directory_bytes > kMaxDirectory) {
    return Errors(ErrorCode::LimitBytes, "",
                  "the archive's directory has " + std::to_string(end.directory_bytes) +
                      " bytes, the limit is " + std::to_string(kMaxDirectory));
  }
  return {};
}

}  // namespace

Result<ZipEnd> find_zip_end(const InputFile& input) {
  const std::uint64_t tail_bytes = std::min<std::uint64_t>(input.size(), kEndBytes + kMaxComment);
  const Errors no_end(ErrorCode::FileTruncated, "",
                      "is a zip archive without its end record: it ends early, or goes on behind");
  if (tail_bytes < kEndBytes) return no_end;
  VECC_TRY(const std::string tail, input.read(input.size() - tail_bytes, tail_bytes));
  const std::optional<std::size_t> found = find_end_record(tail);
  if (!found) return no_end;
  const char* const record = tail.data() + *found;
  const auto word = [&](std::size_t at) { return load_little_endian<std::uint16_t>(record + at); };
  std::uint64_t records_at = input.size() - tail_bytes + *found;
  ZipEnd end;
  end.entries = word(10);
  end.directory_bytes = load_little_endian<std::uint32_t>(record + 12);
  end.directory_at = load_little_endian<std::uint32_t>(record + 16);
  const bool has_locator =
      *found >= kZip64LocatorBytes &&
      load_little_endian<std::uint32_t>(record - kZip64LocatorBytes) == kZip64LocatorMark;
  if (has_locator) {
    VECC_TRY(records_at, read_zip64_end(input, records_at - kZip64LocatorBytes, end));
  } else if (word(4) != 0 || word(6) != 0 || word(8) != word(10)) {
    return several_disks();
  }
  VECC_TRY_VOID(check_place(end, records_at));
  return end;
}

}  // namespace vecc::weights
