#include "backends/native/code_entry.h"

#include <cstdint>
#include <cstring>

#include "src/support/hash128.h"

namespace vecc::native {
namespace {

struct EntryTrailer {
  char magic[8] = {'v', 'e', 'c', 'c', 'c', 'o', 'd', 'e'};
  std::uint64_t library_size = 0;
  std::uint64_t key_size = 0;
  std::uint64_t hash_high = 0;
  std::uint64_t hash_low = 0;
};
static_assert(sizeof(EntryTrailer) == 40, "no padding: it is compared as bytes");

std::string trailer_bytes(std::string_view library, std::string_view key) {
  Hash128 hash;
  hash.add(library);
  hash.add(key);
  EntryTrailer trailer;
  trailer.library_size = library.size();
  trailer.key_size = key.size();
  trailer.hash_high = hash.high();
  trailer.hash_low = hash.low();
  std::string bytes(sizeof trailer, '\0');
  std::memcpy(bytes.data(), &trailer, sizeof trailer);
  return bytes;
}

}  // namespace

std::string code_entry_end(std::string_view library, std::string_view key) {
  return std::string(key) + trailer_bytes(library, key);
}

std::optional<std::string_view> key_of_code_entry(std::string_view bytes) {
  EntryTrailer trailer;
  if (bytes.size() < sizeof trailer) return std::nullopt;
  const std::string_view rest = bytes.substr(0, bytes.size() - sizeof trailer);
  std::memcpy(&trailer, bytes.data() + rest.size(), sizeof trailer);
  if (trailer.library_size > rest.size() ||
      trailer.key_size != rest.size() - trailer.library_size) {
    return std::nullopt;
  }
  const std::string_view library = rest.substr(0, trailer.library_size);
  const std::string_view key = rest.substr(trailer.library_size);
  // What is there must be what would be written now.
  if (bytes.substr(rest.size()) != trailer_bytes(library, key)) return std::nullopt;
  return key;
}

}  // namespace vecc::native
