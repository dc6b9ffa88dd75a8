#include "src/graph_io/table_sizes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "src/graph_io/wire_format.h"
#include "src/support/file_handle.h"

namespace vecc::graph_io {
namespace {

constexpr std::uint64_t kMaxFields = std::uint64_t{1} << 20;  // of a file that has far more
constexpr std::uint32_t kTable = 3;
enum TableField : std::uint32_t { kName = 1, kSingles = 7, kDoubles = 8 };

// The beginning of a message, as far as it was read.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool is_at_end() const { return at_ >= bytes_.size(); }
  // None: it ends, or is none.
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !is_at_end(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }
  std::optional<std::string_view> text(std::uint64_t length) {
    if (length > bytes_.size() - at_) return std::nullopt;
    at_ += static_cast<std::size_t>(length);
    return bytes_.substr(at_ - static_cast<std::size_t>(length), static_cast<std::size_t>(length));
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

// A chunk of a table: its name stands before its values.
void add_chunk(Bytes message, std::uint64_t length, TableSizes& sizes) {
  std::string_view name;
  while (const auto tag = message.varint()) {
    const auto number = static_cast<std::uint32_t>(*tag >> 3);
    const auto value = message.varint();  // or the length of what follows
    if (!value || ((*tag & 7) != 0 && (*tag & 7) != 2)) return;
    if ((*tag & 7) == 0) continue;
    if (number == kSingles || number == kDoubles) {
      if (*value <= length) sizes[std::string(name)] += *value / (number == kSingles ? 4 : 8);
      return;
    }
    const auto text = message.text(*value);
    if (!text) return;
    if (number == kName) name = *text;
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
  std::array<char, 4096> begin{};
  std::uint64_t at = 5;  // behind the magic
  for (std::uint64_t field = 0; at < end && field < kMaxFields; ++field) {
    const ssize_t got = ::pread(file.get(), begin.data(), begin.size(), static_cast<off_t>(at));
    if (got <= 0) return sizes;
    Bytes bytes(std::string_view(begin.data(), static_cast<std::size_t>(got)));
    const auto tag = bytes.varint();
    const auto length = bytes.varint();
    if (!tag || !length || (*tag & 7) != 2 || *length > std::min(end - at, kMaxFieldBytes))
      return sizes;
    const std::size_t head = bytes.at();
    if (*tag >> 3 == kTable) {
      const std::string_view all(begin.data(), static_cast<std::size_t>(got));
      add_chunk(Bytes(all.substr(head, static_cast<std::size_t>(*length))), *length, sizes);
    }
    at += head + *length;
  }
  return sizes;
}

}  // namespace vecc::graph_io
