#include "src/weights/write_npz.h"

#include <algorithm>

#include "src/support/checksum.h"
#include "src/support/utf8.h"
#include "src/weights/npy.h"

namespace vecc::weights {
namespace {

constexpr std::uint64_t kCharacterBytes = 4;

// Little-endian, `bytes` of it.
void add_number(std::string& text, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
}

// The array's .npy but for its data: version 1, header padded to 64 bytes.
std::string npy_head(const NpzArray& array) {
  std::string shape;
  for (const std::uint64_t size : array.shape) shape += std::to_string(size) + ", ";
  std::string header =
      "{'descr': '" + array.type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t kAlignment = 64;
  const std::size_t fixed = kNpyMark.size() + 4;  // version, length
  while ((fixed + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::string head(kNpyMark);
  head += std::string("\x01\x00", 2);
  add_number(head, header.size(), 2);
  return head + header;
}

struct Entry {
  std::string name;
  std::uint32_t crc32 = 0;
  std::uint64_t bytes = 0;
  std::uint64_t at = 0;
};

// What the header before an entry and its line of the directory share: from the version needed to
// the length of the extra field. Sizes stand in the extra field.
std::string common_fields(const Entry& entry, std::size_t extra) {
  std::string text;
  add_number(text, 45, 2);          // zip64
  add_number(text, 0, 2);           // flags
  add_number(text, 0, 2);           // stored
  add_number(text, 0x00210000, 4);  // 1980-01-01: the same data are the same file
  add_number(text, entry.crc32, 4);
  add_number(text, 0xFFFFFFFF, 4);
  add_number(text, 0xFFFFFFFF, 4);
  add_number(text, entry.name.size(), 2);
  add_number(text, extra, 2);
  return text;
}

std::string local_header(const Entry& entry) {
  std::string text("PK\x03\x04");
  text += common_fields(entry, 20) + entry.name;
  add_number(text, 1, 2);
  add_number(text, 16, 2);
  add_number(text, entry.bytes, 8);
  add_number(text, entry.bytes, 8);
  return text;
}

std::string directory_line(const Entry& entry) {
  std::string text("PK\x01\x02");
  add_number(text, 45, 2);
  text += common_fields(entry, 28);
  add_number(text, 0, 2);  // comment
  add_number(text, 0, 2);  // disk
  add_number(text, 0, 2);
  add_number(text, 0, 4);
  add_number(text, 0xFFFFFFFF, 4);
  text += entry.name;
  add_number(text, 1, 2);
  add_number(text, 24, 2);
  add_number(text, entry.bytes, 8);
  add_number(text, entry.bytes, 8);
  add_number(text, entry.at, 8);
  return text;
}

std::string archive_end(std::uint64_t entries, std::uint64_t bytes, std::uint64_t at) {
  std::string text("PK\x06\x06");
  add_number(text, 44, 8);
  add_number(text, 45, 2);
  add_number(text, 45, 2);
  add_number(text, 0, 8);
  add_number(text, entries, 8);
  add_number(text, entries, 8);
  add_number(text, bytes, 8);
  add_number(text, at, 8);
  text += "PK\x06\x07";
  add_number(text, 0, 4);
  add_number(text, at + bytes, 8);
  add_number(text, 1, 4);
  text += "PK\x05\x06";
  add_number(text, 0, 4);
  add_number(text, 0xFFFF, 2);
  add_number(text, 0xFFFF, 2);
  add_number(text, 0xFFFFFFFF, 4);
  add_number(text, 0xFFFFFFFF, 4);
  add_number(text, 0, 2);
  return text;
}

std::uint64_t character_count(std::string_view name) {
  std::uint64_t count = 0;
  for (const char c : name) count += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : 1;
  return count;
}

std::uint64_t longest_name(const StringColumn& names) {
  std::uint64_t longest = 1;  // NumPy has no text of no characters
  for (std::size_t i = 0; i < names.size(); ++i) {
    longest = std::max(longest, character_count(names[i]));
  }
  return longest;
}

}  // namespace

void write_npz(const std::vector<NpzArray>& arrays,
               const std::function<void(std::string_view)>& write) {
  std::uint64_t at = 0;
  const auto put = [&](std::string_view text) {
    write(text);
    at += text.size();
  };
  std::string directory;
  for (const NpzArray& array : arrays) {
    const std::string head = npy_head(array);
    const Entry entry{array.name + ".npy", crc32_of(array.data, crc32_of(head)),
                      head.size() + array.data.size(), at};
    directory += directory_line(entry);
    put(local_header(entry));
    put(head);
    put(array.data);
  }
  const std::uint64_t begin = at;
  put(directory);
  put(archive_end(arrays.size(), directory.size(), begin));
}

std::uint64_t text_array_bytes(const StringColumn& names) {
  return names.size() * longest_name(names) * kCharacterBytes;
}

NpzArray text_array(std::string name, const StringColumn& names, std::string& data) {
  const std::uint64_t longest = longest_name(names);
  data.clear();
  data.reserve(text_array_bytes(names));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view text = names[i];
    for (std::size_t at = 0; at < text.size();) {
      const Utf8Character character = decode_utf8(text, at);
      add_number(data, character.code, kCharacterBytes);
      at += std::max<std::size_t>(character.length, 1);
    }
    data.resize((i + 1) * longest * kCharacterBytes, '\0');
  }
  return {std::move(name), "<U" + std::to_string(longest), {names.size()}, data};
}

}  // namespace vecc::weights
