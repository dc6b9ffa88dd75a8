#include "src/graph_io/table_sizes.h"

#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "src/graph_io/wire_format.h"
#include "src/support/file_handle.h"
#include "vecc/graph.pb.h"

namespace vecc::graph_io {
namespace {

using google::protobuf::io::CodedInputStream;

constexpr std::uint64_t kMaxFields = std::uint64_t{1} << 20;  // of a file that has far more
constexpr int kHeadBytes = 4096;                              // of a field, to be looked at

bool has_length(std::uint64_t tag) {
  return (tag & 7) == 2;
}

// A chunk of a table or of facts, as far as it was read: its name stands before its numbers.
struct ChunkNumbers {
  std::string name;
  std::uint64_t count = 0;
};
struct ChunkFields {
  int name = 0;  // 0: it has none
  int single = 0;
  int wide = 0;
};

ChunkNumbers count_numbers(CodedInputStream& message, std::uint64_t length,
                           const ChunkFields& fields) {
  ChunkNumbers found;
  std::uint64_t tag = 0;
  std::uint64_t value = 0;  // or the length of what follows
  while (message.ReadVarint64(&tag) && message.ReadVarint64(&value)) {
    const auto number = static_cast<int>(tag >> 3);
    if (!has_length(tag)) {
      if ((tag & 7) != 0) return found;
    } else if (number == fields.single || number == fields.wide) {
      if (value <= length) found.count = value / (number == fields.single ? 4 : 8);
      return found;
    } else {
      std::string text;
      if (value > kHeadBytes || !message.ReadString(&text, static_cast<int>(value))) return found;
      if (number == fields.name) found.name = std::move(text);
    }
  }
  return found;
}

void add_chunk(std::uint64_t field, CodedInputStream& message, std::uint64_t length,
               TableSizes& sizes) {
  using Table = wire::WeightTable;
  using Group = wire::Group;
  if (field == wire::Graph::kWeightTableFieldNumber) {
    const ChunkNumbers found = count_numbers(
        message, length,
        {Table::kNameFieldNumber, Table::kValuesF32FieldNumber, Table::kValuesF64FieldNumber});
    if (found.count > 0) sizes.tables[found.name] += found.count;
  } else if (field == wire::Graph::kGroupFieldNumber) {
    sizes.facts += count_numbers(message, length,
                                 {0, Group::kValuesF32FieldNumber, Group::kValuesF64FieldNumber})
                       .count;
  }
}

}  // namespace

TableSizes find_table_sizes(const std::string& path, std::uint64_t most_bytes) {
  TableSizes sizes;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const auto end = static_cast<std::uint64_t>(status.st_size);
  if (end > most_bytes) return {};  // it is refused, whatever it claims
  std::array<std::uint8_t, kHeadBytes> begin{};
  std::uint64_t at = 5;  // behind the magic
  for (std::uint64_t field = 0; at < end && field < kMaxFields; ++field) {
    const ssize_t got = ::pread(file.get(), begin.data(), begin.size(), static_cast<off_t>(at));
    if (got <= 0) return sizes;
    CodedInputStream bytes(begin.data(), static_cast<int>(got));
    std::uint64_t tag = 0;
    std::uint64_t length = 0;
    if (!bytes.ReadVarint64(&tag) || !bytes.ReadVarint64(&length) || !has_length(tag) ||
        length > std::min(end - at, kMaxFieldBytes)) {
      return sizes;
    }
    const auto head = static_cast<std::uint64_t>(bytes.CurrentPosition());
    (void)bytes.PushLimit(static_cast<int>(length));
    add_chunk(tag >> 3, bytes, length, sizes);
    at += head + length;
  }
  return sizes;
}

}  // namespace vecc::graph_io
