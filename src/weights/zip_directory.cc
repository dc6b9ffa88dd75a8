#include "src/weights/zip_directory.h"

#include <algorithm>
#include <unordered_set>

#include "src/weights/element_type.h"
#include "src/weights/zip_end.h"
#include "vecc/escape.h"

namespace vecc::weights {
namespace {

constexpr std::uint32_t kDirectoryMark = 0x02014b50;
constexpr std::uint32_t kHeaderMark = 0x04034b50;
constexpr std::size_t kDirectoryBytes = 46;
constexpr std::size_t kHeaderBytes = 30;
constexpr std::uint16_t kEncrypted = 1;
constexpr std::uint16_t kZip64Field = 1;

Errors damaged(const std::string& place, std::string message) {
  return Errors(ErrorCode::BadWeightFile, place, std::move(message));
}

/// Replaces sizes and offset that say "see the zip64 field".
Result<void> read_zip64_field(std::string_view extra, ZipEntry& entry) {
  const std::uint64_t in_field = kIn64Bits;
  std::vector<std::uint64_t*> wanted;
  for (std::uint64_t* value : {&entry.bytes, &entry.packed_bytes, &entry.header_at}) {
    if (*value == in_field) wanted.push_back(value);
  }
  while (!wanted.empty() && extra.size() >= 4) {
    const auto id = load_little_endian<std::uint16_t>(extra.data());
    const std::size_t size = load_little_endian<std::uint16_t>(extra.data() + 2);
    if (size > extra.size() - 4) break;
    if (id == kZip64Field && size >= 8 * wanted.size()) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        *wanted[i] = load_little_endian<std::uint64_t>(extra.data() + 4 + 8 * i);
      }
      return {};
    }
    extra.remove_prefix(4 + size);
  }
  if (wanted.empty()) return {};
  return damaged(describe_entry(entry.name), "has no zip64 field, which its sizes refer to");
}

Result<void> check_kind(const ZipEntry& entry, std::uint16_t flags) {
  const std::string place = describe_entry(entry.name);
  if ((flags & kEncrypted) != 0) {
    return Errors(ErrorCode::UnreadWeights, place, "is encrypted, expected plain data");
  }
  if (entry.method != ZipMethod::Stored && entry.method != ZipMethod::Deflated) {
    return Errors(ErrorCode::UnreadWeights, place,
                  "is packed by method " + std::to_string(static_cast<int>(entry.method)) +
                      ", expected 0 (stored) or 8 (deflated)");
  }
  if (entry.method == ZipMethod::Stored && entry.bytes != entry.packed_bytes) {
    return damaged(place, "is stored as it is, but has " + std::to_string(entry.packed_bytes) +
                              " bytes packed and " + std::to_string(entry.bytes) + " unpacked");
  }
  return {};
}

/// Takes one entry off the front of the directory.
Result<ZipEntry> take_entry(std::string_view& directory, std::size_t number) {
  const std::string place = "entry " + std::to_string(number) + " of the directory";
  if (directory.size() < kDirectoryBytes ||
      load_little_endian<std::uint32_t>(directory.data()) != kDirectoryMark) {
    return damaged(place, "has no mark, expected one more entry");
  }
  const auto word = [&](std::size_t at) {
    return load_little_endian<std::uint16_t>(directory.data() + at);
  };
  const auto long_word = [&](std::size_t at) {
    return load_little_endian<std::uint32_t>(directory.data() + at);
  };
  const std::size_t name = word(28);
  const std::size_t extra = word(30);
  const std::size_t size = kDirectoryBytes + name + extra + word(32);
  if (size > directory.size()) return damaged(place, "reaches beyond the directory's end");
  ZipEntry entry;
  entry.name = directory.substr(kDirectoryBytes, name);
  entry.method = static_cast<ZipMethod>(word(10));
  entry.crc32 = long_word(16);
  entry.packed_bytes = long_word(20);
  entry.bytes = long_word(24);
  entry.header_at = long_word(42);
  VECC_TRY_VOID(read_zip64_field(directory.substr(kDirectoryBytes + name, extra), entry));
  VECC_TRY_VOID(check_kind(entry, word(8)));
  directory.remove_prefix(size);
  return entry;
}

/// Finds the data behind the entry's own header, which repeats name and method.
Result<void> locate_data(const InputFile& input, std::uint64_t end, ZipEntry& entry) {
  const std::string place = describe_entry(entry.name);
  const auto outside = [&] { return damaged(place, "reaches beyond the archive's entries"); };
  if (end < kHeaderBytes || entry.header_at > end - kHeaderBytes) return outside();
  VECC_TRY(const std::string header, input.read(entry.header_at, kHeaderBytes));
  const std::size_t name = load_little_endian<std::uint16_t>(header.data() + 26);
  const std::size_t extra = load_little_endian<std::uint16_t>(header.data() + 28);
  const std::uint64_t room = end - entry.header_at - kHeaderBytes;
  if (name + extra > room) return outside();
  VECC_TRY(const std::string own_name, input.read(entry.header_at + kHeaderBytes, name));
  if (load_little_endian<std::uint32_t>(header.data()) != kHeaderMark ||
      load_little_endian<std::uint16_t>(header.data() + 8) !=
          static_cast<std::uint16_t>(entry.method) ||
      own_name != entry.name) {
    return damaged(place, "has another header at byte " + std::to_string(entry.header_at) +
                              " than the directory says");
  }
  if (entry.packed_bytes > room - name - extra) return outside();
  entry.data_at = entry.header_at + kHeaderBytes + name + extra;
  return {};
}

Result<void> check_overlaps(const std::vector<ZipEntry>& entries) {
  std::vector<const ZipEntry*> order;
  for (const ZipEntry& entry : entries) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const ZipEntry* a, const ZipEntry* b) {
    return a->header_at < b->header_at;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const ZipEntry& before = *order[i - 1];
    if (before.data_at + before.packed_bytes > order[i]->header_at) {
      return damaged(describe_entry(order[i]->name), "overlaps " + describe_entry(before.name));
    }
  }
  return {};
}

}  // namespace

std::string describe_entry(std::string_view name) {
  return "entry \"" + escape_terminal(name) + "\"";
}

Result<std::vector<ZipEntry>> read_zip_directory(const InputFile& input) {
  VECC_TRY(const ZipEnd end, find_zip_end(input));
  VECC_TRY(const std::string bytes, input.read(end.directory_at, end.directory_bytes));
  std::string_view rest = bytes;
  std::vector<ZipEntry> entries;
  std::unordered_set<std::string> names;
  for (std::uint64_t i = 0; i < end.entries; ++i) {
    VECC_TRY(ZipEntry entry, take_entry(rest, i));
    VECC_TRY_VOID(locate_data(input, end.directory_at, entry));
    if (!names.insert(entry.name).second) {
      return Errors(ErrorCode::DuplicateName, describe_entry(entry.name),
                    "comes twice, expected unique names");
    }
    entries.push_back(std::move(entry));
  }
  if (!rest.empty()) {
    return damaged("", "the archive's directory has " + std::to_string(rest.size()) +
                           " bytes behind its " + std::to_string(end.entries) + " entries");
  }
  VECC_TRY_VOID(check_overlaps(entries));
  return entries;
}

}  // namespace vecc::weights
