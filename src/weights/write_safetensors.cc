#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_set>

#include "src/support/atomic_file.h"
#include "src/support/checksum.h"
#include "src/support/utf8.h"
#include "src/weights/element_type.h"
#include "src/weights/safetensors_header.h"
#include "src/weights/table_names.h"
#include "src/weights/table_rows.h"
#include "vecc/escape.h"
#include "vecc/weight_source.h"

namespace vecc::weights {
namespace {

constexpr std::size_t kAlignment = 8;

constexpr const char* kNameRule =
    "safetensors cannot hold this name, expected UTF-8 other than __metadata__: rename it";

bool is_tensor_name(std::string_view name) {
  return name != kMetadataKey && is_utf8(name);
}

/// What JSON or the format has no room for.
Result<void> check_names(const std::vector<TensorHeader>& tensors) {
  std::unordered_set<std::string_view> names;
  for (const TensorHeader& tensor : tensors) {
    if (!is_tensor_name(tensor.name)) {
      return Errors(ErrorCode::UnreadWeights, describe_tensor(tensor.name), kNameRule);
    }
    if (names.insert(tensor.name).second) continue;
    return Errors(ErrorCode::DuplicateName, describe_tensor(tensor.name),
                  "comes twice, expected unique names");
  }
  return {};
}

Result<void> check_metadata(const std::vector<MetadataEntry>& metadata) {
  const auto describe = [](std::string_view key) {
    return "metadata \"" + escape_terminal(key) + "\"";
  };
  std::unordered_set<std::string_view> keys{kChecksumKey};
  for (const auto& [key, value] : metadata) {
    if (!is_utf8(key) || !is_utf8(value)) {
      return Errors(ErrorCode::UnreadWeights, describe(key),
                    "safetensors cannot hold this text, expected UTF-8");
    }
    if (keys.insert(key).second) continue;
    return Errors(ErrorCode::DuplicateName, describe(key), "comes twice, expected unique keys");
  }
  return {};
}

/// Wide elements first: behind a header of whole words, every tensor is aligned to its elements.
std::vector<std::size_t> order_of_data(const std::vector<TensorHeader>& tensors) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return size_of(tensors[a].type) > size_of(tensors[b].type);
  });
  return order;
}

std::string quote(const std::string& text) {
  return nlohmann::ordered_json(text).dump();
}

std::string header_of(const std::vector<MetadataEntry>& metadata,
                      const std::vector<TensorHeader>& tensors,
                      const std::vector<std::size_t>& order) {
  std::string json(kChecksumMark);
  json += std::string(kNoChecksum) + '"';
  const auto add_member = [&json](const std::string& name) { json += ',' + quote(name) + ':'; };
  for (const auto& [key, value] : metadata) {
    add_member(key);
    json += quote(value);
  }
  json += '}';
  std::uint64_t begin = 0;
  for (const std::size_t t : order) {
    const TensorHeader& tensor = tensors[t];
    add_member(tensor.name);
    const std::uint64_t end = begin + byte_count(tensor);
    json += "{\"dtype\":\"" + std::string(text_of(tensor.type)) + "\",\"shape\":[";
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      json += (i > 0 ? "," : "") + std::to_string(tensor.shape[i]);
    }
    json += "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
    begin = end;
  }
  json += '}';
  json.append((kAlignment - json.size() % kAlignment) % kAlignment, ' ');
  return json;
}

/// The tensors' bytes, one after another.
Result<void> stream_tensors(const WeightSource& source, const std::vector<std::size_t>& order,
                            const TakeBytes& take) {
  for (const std::size_t t : order) {
    const TensorHeader& tensor = source.tensors()[t];
    std::uint64_t size = 0;
    VECC_TRY_VOID(source.read(t, [&](std::string_view bytes) {
      size += bytes.size();
      return take(bytes);
    }));
    VECC_CHECK(checked_bytes(tensor.type, tensor.shape) == size, tensor.name);
  }
  return {};
}

/// Gives `take` the file piece by piece.
Result<void> stream_safetensors(const WeightSource& source,
                                const std::vector<MetadataEntry>& metadata, const TakeBytes& take) {
  VECC_TRY_VOID(check_names(source.tensors()));
  VECC_TRY_VOID(check_metadata(metadata));
  const std::vector<std::size_t> order = order_of_data(source.tensors());
  std::string header = header_of(metadata, source.tensors(), order);
  if (header.size() > kMaxSafetensorsHeader) {
    return Errors(ErrorCode::UnreadWeights, "",
                  "the header would have " + std::to_string(header.size()) +
                      " bytes, safetensors' limit is " + std::to_string(kMaxSafetensorsHeader));
  }
  const std::uint64_t length = header.size();
  char word[sizeof length];
  std::memcpy(word, &length, sizeof length);
  const std::string_view begin(word, sizeof word);
  const std::uint32_t begun = crc32_of(header, crc32_of(begin));
  std::uint32_t crc32 = begun;
  VECC_TRY_VOID(stream_tensors(source, order, [&](std::string_view bytes) -> Result<void> {
    crc32 = crc32_of(bytes, crc32);
    return {};
  }));
  header.replace(kChecksumMark.size(), kChecksumDigits, checksum_text(crc32));
  VECC_TRY_VOID(take(begin));
  VECC_TRY_VOID(take(header));
  std::uint32_t written = begun;
  VECC_TRY_VOID(stream_tensors(source, order, [&](std::string_view bytes) {
    written = crc32_of(bytes, written);
    return take(bytes);
  }));
  if (written == crc32) return {};
  return Errors(ErrorCode::UnreadWeights, "", "what is written changed meanwhile");
}

Errors write_failure(int error) {
  return Errors(ErrorCode::CannotWrite, "",
                std::string("cannot be written: ") + std::strerror(error));
}

Result<void> write_file(const WeightSource& source, const std::vector<MetadataEntry>& metadata,
                        const std::string& path) {
  struct stat old {};
  // A rename would put a file in the place of a device.
  if (::stat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode)) {
    return Errors(ErrorCode::CannotWrite, "", "is no regular file, expected one or none");
  }
  std::optional<AtomicFile> out = AtomicFile::create(path);
  if (!out) return write_failure(errno);
  VECC_TRY_VOID(stream_safetensors(source, metadata, [&](std::string_view bytes) -> Result<void> {
    if (!out->write(bytes)) return write_failure(errno);
    return {};
  }));
  if (!out->commit()) return write_failure(errno);
  return {};
}

}  // namespace

Result<void> check_table_names(const NeuronGraph& graph) {
  Errors errors;
  for (const WeightTable& table : graph.weight_tables) {
    if (is_tensor_name(table.name)) continue;
    errors.add(ErrorCode::UnreadWeights, describe_weights(table), kNameRule);
  }
  if (!errors.empty()) return errors;
  return {};
}

}  // namespace vecc::weights

namespace vecc {

Result<void> write_weights(const WeightFile& file, const std::string& path) {
  return write_weights(WeightFileSource(file), {}, path);
}

Result<void> write_weights(const WeightSource& source, const std::vector<MetadataEntry>& metadata,
                           const std::string& path) {
  std::vector<MetadataEntry> all = source.metadata();
  all.insert(all.end(), metadata.begin(), metadata.end());
  const Result<void> written = weights::write_file(source, all, path);
  if (!written) return written.error().in(escape_terminal(path, 4096));
  return {};
}

Result<std::string> safetensors_bytes(const WeightFile& file) {
  std::string bytes;
  const auto append = [&bytes](std::string_view piece) -> Result<void> {
    bytes += piece;
    return {};
  };
  VECC_TRY_VOID(weights::stream_safetensors(WeightFileSource(file), file.metadata, append));
  return bytes;
}

}  // namespace vecc
