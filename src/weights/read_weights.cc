#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "src/weights/npy.h"
#include "src/weights/safetensors.h"
#include "vecc/escape.h"

namespace vecc::weights {
namespace {

constexpr std::size_t kMaxPlace = 4096;

/// `w.npy` and `folder/w.npy` are the array `w`.
std::string array_name_of_path(std::string_view path) {
  const std::filesystem::path file(path);
  return (file.extension() == ".npy" ? file.stem() : file.filename()).string();
}

Result<WeightFile> read_one_array(const InputFile& input, std::string_view path) {
  WeightFile result;
  VECC_TRY(result.tensors.emplace_back(), read_npy(*stream_file(input), array_name_of_path(path)));
  return result;
}

/// By the first bytes; what has no mark of its own must be safetensors.
Result<WeightFile> read_any(InputFile input, std::string_view path, const WeightLimits& limits) {
  if (input.size() == 0) return Errors(ErrorCode::FileEmpty, "", "is empty");
  VECC_TRY(const std::string start,
           input.read(0, std::min<std::uint64_t>(input.size(), kNpyMark.size())));
  if (start == kNpyMark) return read_one_array(input, path);
  // An entry's header, or the end record of an archive without entries.
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06")) {
    return read_npz(input, limits.max_bytes);
  }
  return read_safetensors(std::move(input));
}

Result<WeightFile> read_opened(Result<InputFile> input, std::string_view path,
                               const WeightLimits& limits) {
  const std::string place = escape_terminal(path, kMaxPlace);
  if (!input) return input.error().in(place);
  Result<WeightFile> file = read_any(std::move(*input), path, limits);
  if (!file) return file.error().in(place);
  return file;
}

}  // namespace

}  // namespace vecc::weights

namespace vecc {

Result<WeightFile> read_weights(const std::string& path, const WeightLimits& limits) {
  return weights::read_opened(weights::InputFile::open(path, limits.max_bytes), path, limits);
}

}  // namespace vecc

namespace vecc::weights {

Result<std::shared_ptr<const WeightSource>> open_own_weights(const std::string& path) {
  const std::string place = escape_terminal(path, kMaxPlace);
  Result<InputFile> input = InputFile::open(path, WeightLimits().max_bytes);
  if (!input) return input.error().in(place);
  Result<SafetensorsSource> source = SafetensorsSource::open(std::move(*input), Checksum::Required);
  if (!source) return source.error().in(place);
  source->set_place(place);
  return std::make_shared<const SafetensorsSource>(std::move(*source));
}

}  // namespace vecc::weights

namespace vecc {

Result<WeightFile> read_weights_bytes(std::string_view bytes, std::string_view name,
                                      const WeightLimits& limits) {
  return weights::read_opened(weights::InputFile::of_bytes(bytes, limits.max_bytes), name, limits);
}

}  // namespace vecc
