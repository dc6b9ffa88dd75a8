// Weights that need not be in memory all at once: a tensor at a time is read, or made.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"
#include "vecc/weights.h"

namespace vecc {

/// A tensor without its elements.
struct TensorHeader {
  std::string name;
  ElementType type = ElementType::F64;
  std::vector<std::uint64_t> shape;
};
[[nodiscard]] std::uint64_t element_count(const TensorHeader& tensor);
[[nodiscard]] std::uint64_t byte_count(const TensorHeader& tensor);

/// Of a WeightFile, a copy of a training's state, a checkpoint on disk.
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  [[nodiscard]] virtual const std::vector<MetadataEntry>& metadata() const = 0;
  [[nodiscard]] virtual const std::vector<TensorHeader>& tensors() const = 0;
  /// A tensor's bytes, as in a WeightTensor. What is not in memory is read into `held`; valid until
  /// that or the source changes. Errors: those of reading a file.
  [[nodiscard]] virtual Result<std::string_view> bytes(std::size_t tensor,
                                                       std::string& held) const = 0;
};

/// That file, which must outlive it.
class WeightFileSource final : public WeightSource {
 public:
  explicit WeightFileSource(const WeightFile& file);
  [[nodiscard]] const std::vector<MetadataEntry>& metadata() const override {
    return file_.metadata;
  }
  [[nodiscard]] const std::vector<TensorHeader>& tensors() const override { return tensors_; }
  [[nodiscard]] Result<std::string_view> bytes(std::size_t tensor, std::string&) const override {
    return std::string_view(file_.tensors[tensor].data);
  }

 private:
  const WeightFile& file_;
  std::vector<TensorHeader> tensors_;
};

/// All of it in memory. Errors: those of bytes().
[[nodiscard]] Result<WeightFile> read_all(const WeightSource& source);

/// write_weights() of a source, with these metadata behind its own; each tensor is read twice.
/// Errors: those of write_weights() and bytes().
[[nodiscard]] Result<void> write_weights(const WeightSource& source,
                                         const std::vector<MetadataEntry>& metadata,
                                         const std::string& path);

/// Where the bytes of a tensor go that is made: as many as it has.
using PlaceTensor = std::function<Result<char*>(const TensorHeader& tensor)>;
/// All of a file, a tensor after the other, each of which then goes. Returns its metadata.
[[nodiscard]] Result<std::vector<MetadataEntry>> place_all(WeightFile file,
                                                           const PlaceTensor& place);

}  // namespace vecc
