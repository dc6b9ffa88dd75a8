// Files of columns: long arrays, each with a digest, that are read straight to where they are used.
// For what one machine keeps for itself (caches): in the machine's own byte order.
//
// The columns stand one after another, each from a multiple of 64 bytes on and with zeros behind
// it, so that a file may be mapped; then a directory: the key, what the writer says the file is of,
// and of each column type, count and digest; then a trailer with sizes and the directory's digest.
// Nothing in a file is believed: all places follow from the counts, which must come to the file's
// size exactly, and every byte is in a digest, or must be 0.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/support/atomic_file.h"
#include "src/support/digest.h"
#include "vecc/error.h"
#include "vecc/shared_numbers.h"

namespace vecc {

enum class ColumnType : std::uint8_t {
  Byte,
  Word,   ///< 32 bits
  Float,  ///< numbers that are all floats, bit for bit
  Double,
};

struct ColumnRecord {
  ColumnType type = ColumnType::Byte;
  std::uint64_t count = 0;
  Digest digest;
};

/// Failures are told by errno, as AtomicFile's. After one, all else does nothing.
class ColumnWriter {
 public:
  /// None if no file can be made there. More than `max_bytes` are a failure (EFBIG).
  [[nodiscard]] static std::optional<ColumnWriter> create(const std::string& path,
                                                          std::uint64_t max_bytes);

  /// The column's number: they count from 0.
  std::uint32_t add(std::string_view bytes);
  std::uint32_t add(std::span<const std::uint32_t> words);
  std::uint32_t add(const SharedNumbers& numbers);
  /// The file is there, whole, or not at all; not synced: what is lost in a power cut is noticed.
  [[nodiscard]] bool commit(std::string_view key);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  ColumnWriter(AtomicFile file, std::uint64_t max_bytes)
      : file_(std::move(file)), max_bytes_(max_bytes) {}
  std::uint32_t add_column(ColumnType type, std::uint64_t count, std::string_view bytes);
  void write_block(std::string_view bytes, std::vector<Digest>& digests);
  std::uint32_t end_column(ColumnType type, std::uint64_t count, std::span<const Digest> digests);
  void write(std::string_view bytes);

  AtomicFile file_;
  std::vector<ColumnRecord> columns_;
  std::uint64_t max_bytes_;
  std::uint64_t bytes_ = 0;
  int failed_ = 0;  // errno
};

/// All columns of a file, in memory.
class ColumnFile {
 public:
  using WordColumn = std::shared_ptr<const std::vector<std::uint32_t>>;

  /// Reads all, by `threads` threads (0: as many as there are cores), and checks every digest.
  /// None: not there, or written for another key, which is no failure. Errors, with the path as
  /// place: FileUnreadable, FileTruncated, WrongChecksum.
  [[nodiscard]] static Result<std::optional<ColumnFile>> read(const std::string& path,
                                                              std::string_view key,
                                                              std::uint32_t threads);

  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  /// Of the file.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// None if there is no such column, or it is of another type.
  [[nodiscard]] const std::string* text(std::uint64_t column) const;
  [[nodiscard]] WordColumn words(std::uint64_t column) const;
  [[nodiscard]] SharedNumbers numbers(std::uint64_t column) const;

 private:
  friend class ColumnReader;
  using Column =
      std::variant<std::string, std::shared_ptr<std::vector<std::uint32_t>>, SharedNumbers>;

  std::vector<Column> columns_;
  std::uint64_t bytes_ = 0;
};

}  // namespace vecc
