#include "src/support/digest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "src/support/file_handle.h"
#include "src/support/hash128.h"
#include "src/support/split_work.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

constexpr std::size_t kLanes = 4;
constexpr std::size_t kWord = sizeof(std::uint64_t);

std::uint64_t word_at(const char* bytes, std::size_t count = kWord) {
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, bytes, count);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
  }
  return word;
}

std::string text_of(const struct stat& status) {
  std::string text;
  for (const auto part :
       {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
        static_cast<std::uint64_t>(status.st_size),
        static_cast<std::uint64_t>(status.st_mtim.tv_sec),
        static_cast<std::uint64_t>(status.st_mtim.tv_nsec)}) {
    text += std::to_string(part) + " ";
  }
  return text;
}

}  // namespace

std::string file_state(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? text_of(status) : std::string();
}

std::string Digest::text() const {
  return hexadecimal_text(high, low);
}

Digest digest_block(std::string_view bytes) {
  Hash128 lanes[kLanes];
  const char* at = bytes.data();
  std::size_t rest = bytes.size();
  for (; rest >= kLanes * kWord; rest -= kLanes * kWord) {
    for (Hash128& lane : lanes) {
      lane.add(word_at(at));
      at += kWord;
    }
  }
  Hash128 all;
  for (const Hash128& lane : lanes) {
    all.add(lane.high());
    all.add(lane.low());
  }
  for (; rest >= kWord; rest -= kWord) {
    all.add(word_at(at));
    at += kWord;
  }
  if (rest > 0) all.add(word_at(at, rest));
  all.add(std::uint64_t{bytes.size()});
  return {all.high(), all.low()};
}

Digest digest_of_blocks(std::span<const Digest> blocks) {
  Hash128 all;
  for (const Digest& block : blocks) {
    all.add(block.high);
    all.add(block.low);
  }
  all.add(std::uint64_t{blocks.size()});
  return {all.high(), all.low()};
}

bool read_fully(int file, std::uint64_t offset, std::span<char> to) {
  while (!to.empty()) {
    const ssize_t count = ::pread(file, to.data(), to.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    offset += static_cast<std::uint64_t>(count);
    to = to.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

Result<Digest> digest_file(const std::string& path, std::uint32_t threads) {
  const auto refuse = [&](const std::string& why) {
    return Errors(ErrorCode::FileUnreadable, escape_terminal(path, 4096), why);
  };
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return refuse(std::string("cannot be read: ") + std::strerror(errno));
  }
  // Not even opened: a pipe's writer would take this for its reader, and lose it.
  if (!S_ISREG(status.st_mode)) return refuse("is no regular file");
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    return refuse(std::string("cannot be read: ") + std::strerror(errno));
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  std::vector<Digest> blocks((size + kDigestBlock - 1) / kDigestBlock);
  std::atomic<bool> failed{false};
  split_work(threads, blocks.size(), [&](auto&& next) {
    const auto block = std::make_unique_for_overwrite<char[]>(kDigestBlock);
    while (const auto i = next()) {
      const std::uint64_t begin = *i * kDigestBlock;
      const std::span<char> bytes(block.get(), std::min<std::uint64_t>(kDigestBlock, size - begin));
      if (!read_fully(file.get(), begin, bytes)) failed = true;
      blocks[*i] = digest_block({bytes.data(), bytes.size()});
    }
  });
  struct stat after {};
  const bool is_same = ::fstat(file.get(), &after) == 0 && text_of(after) == text_of(status);
  if (failed || !is_same) return refuse("cannot be read, or is changed meanwhile");
  return digest_of_blocks(blocks);
}

}  // namespace vecc
