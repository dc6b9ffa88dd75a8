#include <limits>

#include "src/support/utf8.h"
#include "src/weights/npy.h"
#include "src/weights/pickle.h"
#include "src/weights/zip_directory.h"

namespace vecc::weights {
namespace {

constexpr std::string_view kArraySuffix = ".npy";
/// Deflate makes at most 258 bytes of 2 bits: a larger size is a lie, told to make us allocate it.
constexpr std::uint64_t kMaxDeflateRatio = 1032;
/// What unpacks to more than this is refused, if it is so many times the archive's bytes: a small
/// file must not take all memory. Rows of 0 and 1, a hundredth of them 1, have a ratio of 60.
constexpr std::uint64_t kFreeBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kMaxRatio = 200;
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint64_t>::max();

Result<void> check_size(const ZipEntry& entry, std::uint64_t room) {
  if (entry.method == ZipMethod::Deflated && entry.bytes / kMaxDeflateRatio > entry.packed_bytes) {
    return Errors(ErrorCode::BadWeightFile, "",
                  "has " + std::to_string(entry.bytes) + " bytes, more than " +
                      std::to_string(entry.packed_bytes) + " deflated bytes can hold");
  }
  if (entry.bytes <= room) return {};
  return Errors(ErrorCode::LimitBytes, "",
                "has " + std::to_string(entry.bytes) + " bytes unpacked, the limit leaves " +
                    std::to_string(room));
}

/// Of all entries at once, before one of them is unpacked.
Result<void> check_ratio(const std::vector<ZipEntry>& entries, std::uint64_t packed) {
  std::uint64_t bytes = 0;
  for (const ZipEntry& entry : entries) {
    if (__builtin_add_overflow(bytes, entry.bytes, &bytes)) bytes = kMostBytes;
  }
  if (bytes <= kFreeBytes || bytes / kMaxRatio <= packed) return {};
  return Errors(ErrorCode::LimitBytes, "",
                "has " + std::to_string(packed) + " bytes and unpacks to " + std::to_string(bytes) +
                    ", expected at most " + std::to_string(kMaxRatio) +
                    " times its bytes where that is more than 256 MiB; save it unpacked "
                    "(numpy.savez)");
}

/// The array's name: the entry's without its suffix.
Result<std::string> array_name(const std::string& entry) {
  if (entry.ends_with("data.pkl")) return refuse_pickle();
  if (!entry.ends_with(kArraySuffix)) {
    return Errors(ErrorCode::UnreadWeights, "", "is no array, expected names that end in .npy");
  }
  for (std::size_t at = 0; at < entry.size();) {
    const std::size_t length = decode_utf8(entry, at).length;
    if (length == 0) return Errors(ErrorCode::BadWeightFile, "", "has a name that is not UTF-8");
    at += length;
  }
  return entry.substr(0, entry.size() - kArraySuffix.size());
}

Result<WeightTensor> read_entry(const InputFile& input, const ZipEntry& entry, std::uint64_t room) {
  VECC_TRY(std::string name, array_name(entry.name));
  VECC_TRY_VOID(check_size(entry, room));
  return read_npy(*stream_entry(input, entry), std::move(name));
}

}  // namespace

Result<WeightFile> read_npz(const InputFile& input, std::uint64_t max_bytes) {
  VECC_TRY(const std::vector<ZipEntry> entries, read_zip_directory(input));
  VECC_TRY_VOID(check_ratio(entries, input.size()));
  WeightFile result;
  result.tensors.reserve(entries.size());
  std::uint64_t room = max_bytes;
  for (const ZipEntry& entry : entries) {
    Result<WeightTensor> tensor = read_entry(input, entry, room);
    if (!tensor) return tensor.error().in(describe_entry(entry.name));
    room -= entry.bytes;
    result.tensors.push_back(std::move(*tensor));
  }
  return result;
}

}  // namespace vecc::weights
