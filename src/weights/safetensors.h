// Reading safetensors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/weights/input_file.h"
#include "vecc/weight_source.h"

namespace vecc::weights {

enum class Checksum : std::uint8_t {
  IfStated,  ///< files of other writers state none
  Required,
};

/// A file of which only the header is in memory.
class SafetensorsSource final : public WeightSource {
 public:
  /// A CRC-32 that the file states is compared first (WrongChecksum), and is not in the metadata.
  [[nodiscard]] static Result<SafetensorsSource> open(InputFile input, Checksum checksum);

  [[nodiscard]] const std::vector<MetadataEntry>& metadata() const override { return metadata_; }
  [[nodiscard]] const std::vector<TensorHeader>& tensors() const override { return tensors_; }
  [[nodiscard]] Result<void> read(std::size_t tensor, const TakeBytes& take) const override;
  /// Where errors of read() are.
  void set_place(std::string place) { place_ = std::move(place); }

 private:
  explicit SafetensorsSource(InputFile input) : input_(std::move(input)) {}

  InputFile input_;
  std::vector<MetadataEntry> metadata_;
  std::vector<TensorHeader> tensors_;
  std::vector<std::uint64_t> begin_;  // by tensor: in the file
  std::string place_;
};

/// All of it.
[[nodiscard]] Result<WeightFile> read_safetensors(InputFile input,
                                                  Checksum checksum = Checksum::IfStated);

/// Of a file that vecc wrote to read again, a checkpoint: safetensors with a CRC-32 only. Errors:
/// those of read_weights().
[[nodiscard]] Result<std::shared_ptr<const WeightSource>> open_own_weights(const std::string& path);

}  // namespace vecc::weights
