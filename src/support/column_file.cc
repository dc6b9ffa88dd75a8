#include "src/support/column_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "src/support/cache_entries.h"
#include "src/support/file_handle.h"
#include "src/support/split_work.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

constexpr std::uint64_t kAlignment = 64;

struct Trailer {
  char magic[8] = {'v', 'e', 'c', 'c', 'c', 'o', 'l', '1'};
  std::uint64_t column_count = 0;
  std::uint64_t key_size = 0;
  std::uint64_t digest_high = 0;  // of the directory
  std::uint64_t digest_low = 0;
};
static_assert(sizeof(Trailer) == 40, "no padding: it is compared as bytes");

struct WireColumn {
  std::uint64_t type = 0;
  std::uint64_t count = 0;
  std::uint64_t digest_high = 0;
  std::uint64_t digest_low = 0;
};
static_assert(sizeof(WireColumn) == 32, "no padding: it is in a digest");

std::uint64_t element_bytes(ColumnType type) {
  switch (type) {
    case ColumnType::Byte: return 1;
    case ColumnType::Word:
    case ColumnType::Float: return 4;
    case ColumnType::Double: return 8;
  }
  fail_check("known type", __FILE__, __LINE__, "column");
}

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

Digest digest_of_directory(std::string_view bytes) {
  std::vector<Digest> blocks;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kDigestBlock))) {
    blocks.push_back(digest_block(bytes.substr(0, kDigestBlock)));
  }
  return digest_of_blocks(blocks);
}

}  // namespace

std::optional<ColumnWriter> ColumnWriter::create(const std::string& path, std::uint64_t max_bytes) {
  struct stat status {};
  const bool is_there = ::lstat(path.c_str(), &status) == 0;
  if (is_there && !S_ISREG(status.st_mode)) ::unlink(path.c_str());  // a link leads elsewhere
  std::optional<AtomicFile> file = AtomicFile::create(path, 0600);
  if (!file) return std::nullopt;
  return ColumnWriter(std::move(*file), max_bytes);
}

void ColumnWriter::write(std::string_view bytes) {
  if (failed_ == 0 && bytes.size() > max_bytes_ - bytes_) failed_ = EFBIG;
  if (failed_ != 0) return;
  if (!file_.write(bytes)) failed_ = errno == 0 ? EIO : errno;
  bytes_ += bytes.size();
}

void ColumnWriter::write_block(std::string_view bytes, std::vector<Digest>& digests) {
  digests.push_back(digest_block(bytes));
  write(bytes);
}

std::uint32_t ColumnWriter::end_column(ColumnType type, std::uint64_t count,
                                       std::span<const Digest> digests) {
  write(std::string(aligned(bytes_) - bytes_, '\0'));
  columns_.push_back({type, count, digest_of_blocks(digests)});
  return static_cast<std::uint32_t>(columns_.size() - 1);
}

std::uint32_t ColumnWriter::add_column(ColumnType type, std::uint64_t count,
                                       std::string_view bytes) {
  std::vector<Digest> digests;
  while (!bytes.empty()) {
    write_block(bytes.substr(0, kDigestBlock), digests);
    bytes.remove_prefix(std::min(bytes.size(), kDigestBlock));
  }
  return end_column(type, count, digests);
}

std::uint32_t ColumnWriter::add(std::string_view bytes) {
  return add_column(ColumnType::Byte, bytes.size(), bytes);
}

std::uint32_t ColumnWriter::add(std::span<const std::uint32_t> words) {
  return add_column(ColumnType::Word, words.size(), bytes_of(words));
}

std::uint32_t ColumnWriter::add(const SharedNumbers& numbers) {
  const ColumnType type = numbers.are_floats() ? ColumnType::Float : ColumnType::Double;
  return numbers.visit(
      [&](auto values) { return add_column(type, values.size(), bytes_of(values)); });
}

bool ColumnWriter::commit(std::string_view key) {
  std::string directory(key);
  for (const ColumnRecord& column : columns_) {
    const WireColumn wire{static_cast<std::uint64_t>(column.type), column.count, column.digest.high,
                          column.digest.low};
    directory.append(reinterpret_cast<const char*>(&wire), sizeof wire);
  }
  const Digest digest = digest_of_directory(directory);
  Trailer trailer;
  trailer.column_count = columns_.size();
  trailer.key_size = key.size();
  trailer.digest_high = digest.high;
  trailer.digest_low = digest.low;
  directory.append(reinterpret_cast<const char*>(&trailer), sizeof trailer);
  write(directory);
  if (failed_ == 0 && file_.commit(AtomicFile::Sync::No)) return true;
  if (failed_ != 0) errno = failed_;
  return false;
}

class ColumnReader {
 public:
  ColumnReader(int file, std::string place) : file_(file), place_(std::move(place)) {}

  Result<std::optional<ColumnFile>> read(std::string_view key, std::uint32_t threads) {
    struct stat status {};
    if (::fstat(file_, &status) != 0) return unreadable();
    result_.bytes_ = static_cast<std::uint64_t>(status.st_size);
    VECC_TRY(const bool is_same_key, read_directory(key));
    if (!is_same_key) return std::optional<ColumnFile>();
    VECC_TRY_VOID(read_columns(threads));
    return std::optional<ColumnFile>(std::move(result_));
  }

 private:
  struct Place {
    ColumnRecord record;
    std::uint64_t begin = 0;
    [[nodiscard]] std::uint64_t size() const { return record.count * element_bytes(record.type); }
    std::vector<Digest> digests;  // of its blocks
    char* to = nullptr;           // where its bytes are read to
  };
  struct Block {
    std::size_t column = 0;
    std::uint64_t number = 0;
  };

  [[nodiscard]] Errors unreadable() const {
    return Errors(ErrorCode::FileUnreadable, place_,
                  std::string("cannot be read: ") + std::strerror(errno));
  }
  [[nodiscard]] Errors truncated(std::uint64_t expected) const {
    return Errors(ErrorCode::FileTruncated, place_,
                  "has " + std::to_string(result_.bytes_) + " bytes, expected " +
                      (expected == 0 ? "more" : std::to_string(expected)));
  }
  [[nodiscard]] Errors damaged(const std::string& what) const {
    return Errors(ErrorCode::WrongChecksum, place_, what + " has another digest than it states");
  }

  // False: of another key. Places of columns follow from their sizes.
  Result<bool> read_directory(std::string_view key) {
    Trailer trailer;
    const std::uint64_t size = result_.bytes_;
    if (size < sizeof trailer) return truncated(0);
    const std::uint64_t rest = size - sizeof trailer;
    if (!read_fully(file_, rest, std::span(reinterpret_cast<char*>(&trailer), sizeof trailer))) {
      return unreadable();
    }
    if (std::memcmp(trailer.magic, Trailer().magic, sizeof trailer.magic) != 0) {
      return damaged("the end");
    }
    // Divides instead of multiplying: of a damaged file the product may not fit.
    if (trailer.key_size > rest ||
        trailer.column_count > (rest - trailer.key_size) / sizeof(WireColumn)) {
      return truncated(0);
    }
    std::string directory(trailer.key_size + trailer.column_count * sizeof(WireColumn), '\0');
    if (!read_fully(file_, rest - directory.size(), directory)) return unreadable();
    if (digest_of_directory(directory) != Digest{trailer.digest_high, trailer.digest_low}) {
      return damaged("the directory");
    }
    if (std::string_view(directory).substr(0, trailer.key_size) != key) return false;
    VECC_TRY_VOID(place_columns(std::string_view(directory).substr(trailer.key_size),
                                rest - directory.size()));
    return true;
  }

  Result<void> place_columns(std::string_view records, std::uint64_t end) {
    std::uint64_t begin = 0;
    for (; !records.empty(); records.remove_prefix(sizeof(WireColumn))) {
      WireColumn wire;
      std::memcpy(&wire, records.data(), sizeof wire);
      if (wire.type > static_cast<std::uint64_t>(ColumnType::Double)) {
        return damaged("a column's type");
      }
      Place place{{static_cast<ColumnType>(wire.type), wire.count,
                   Digest{wire.digest_high, wire.digest_low}},
                  begin,
                  {}};
      if (wire.count > (end - begin) / element_bytes(place.record.type)) return truncated(0);
      begin = aligned(begin + place.size());
      if (begin > end) return truncated(0);
      places_.push_back(std::move(place));
    }
    if (begin == end) return {};
    return truncated(begin + (result_.bytes_ - end));
  }

  Result<void> read_columns(std::uint32_t threads) {
    result_.columns_.resize(places_.size());
    std::vector<Block> blocks;
    for (std::size_t c = 0; c < places_.size(); ++c) {
      places_[c].digests.resize((places_[c].size() + kDigestBlock - 1) / kDigestBlock);
      for (std::uint64_t b = 0; b < places_[c].digests.size(); ++b) blocks.push_back({c, b});
    }
    // First memory, which the system clears as it is touched, then what stands in it.
    split_work(threads, places_.size(), [&](auto&& next) {
      while (const auto c = next()) allocate(*c);
    });
    std::atomic<bool> failed{false};
    split_work(threads, blocks.size(), [&](auto&& next) {
      while (const auto b = next()) {
        if (!read_block(blocks[*b])) failed = true;
      }
    });
    if (failed) return unreadable();
    for (std::size_t c = 0; c < places_.size(); ++c) {
      if (digest_of_blocks(places_[c].digests) != places_[c].record.digest || !ends_in_zeros(c)) {
        return damaged("column " + std::to_string(c));
      }
    }
    return {};
  }

  void allocate(std::size_t c) {
    ColumnFile::Column& column = result_.columns_[c];
    const std::uint64_t count = places_[c].record.count;
    switch (places_[c].record.type) {
      case ColumnType::Byte:
        places_[c].to = column.emplace<std::string>(count, '\0').data();
        return;
      case ColumnType::Word: {
        const auto words = std::make_shared<std::vector<std::uint32_t>>(count);
        places_[c].to = reinterpret_cast<char*>(words->data());
        column = words;
        return;
      }
      case ColumnType::Float: return allocate_numbers<float>(c);
      case ColumnType::Double: return allocate_numbers<double>(c);
    }
  }

  template <class T>
  void allocate_numbers(std::size_t c) {
    const std::uint64_t count = places_[c].record.count;
    const std::shared_ptr<T[]> memory(new T[count]);
    places_[c].to = reinterpret_cast<char*>(memory.get());
    result_.columns_[c] = SharedNumbers::shared(memory, std::span<const T>(memory.get(), count));
  }

  bool read_block(const Block& block) {
    Place& place = places_[block.column];
    const std::uint64_t begin = block.number * kDigestBlock;
    const std::uint64_t size = std::min<std::uint64_t>(kDigestBlock, place.size() - begin);
    char* const to = place.to + begin;
    if (!read_fully(file_, place.begin + begin, std::span(to, size))) return false;
    place.digests[block.number] = digest_block({to, size});
    return true;
  }

  [[nodiscard]] bool ends_in_zeros(std::size_t c) const {
    const std::uint64_t end = places_[c].begin + places_[c].size();
    char rest[kAlignment] = {};
    const std::uint64_t count = aligned(end) - end;
    return read_fully(file_, end, std::span(rest, count)) &&
           std::all_of(rest, rest + count, [](char byte) { return byte == '\0'; });
  }

  int file_;
  std::string place_;
  std::vector<Place> places_;
  ColumnFile result_;
};

Result<std::optional<ColumnFile>> ColumnFile::read(const std::string& path, std::string_view key,
                                                   std::uint32_t threads) {
  const FileHandle file(open_own_entry(path));
  const std::string place = escape_terminal(path, 4096);
  if (!file.is_open()) {
    if (errno == ENOENT) return std::optional<ColumnFile>();
    return Errors(ErrorCode::FileUnreadable, place, "is no file that this user alone may write");
  }
  auto result = ColumnReader(file.get(), place).read(key, threads);
  if (result && *result) touch_entry(file.get());
  return result;
}

const std::string* ColumnFile::text(std::uint64_t column) const {
  return column < columns_.size() ? std::get_if<std::string>(&columns_[column]) : nullptr;
}

ColumnFile::WordColumn ColumnFile::words(std::uint64_t column) const {
  const auto* const words = column < columns_.size() ? std::get_if<1>(&columns_[column]) : nullptr;
  return words == nullptr ? nullptr : *words;
}

SharedNumbers ColumnFile::numbers(std::uint64_t column) const {
  const auto* const numbers =
      column < columns_.size() ? std::get_if<SharedNumbers>(&columns_[column]) : nullptr;
  return numbers == nullptr ? SharedNumbers() : *numbers;
}

}  // namespace vecc
