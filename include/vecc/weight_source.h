// Weights that need not be in memory all at once: they are read, or made, piece by piece.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
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

/// Takes bytes of a tensor: whole elements, one piece after another. What it fails with ends the
/// reading.
using TakeBytes = std::function<Result<void>(std::string_view bytes)>;
/// The most bytes of a piece that is made to be read: 8-byte elements.
inline constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

/// Of a WeightFile, a graph, a copy of a training's state, a checkpoint on disk.
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  [[nodiscard]] virtual const std::vector<MetadataEntry>& metadata() const = 0;
  [[nodiscard]] virtual const std::vector<TensorHeader>& tensors() const = 0;
  /// A tensor's bytes, as in a WeightTensor. Errors: those of reading a file, and of `take`.
  [[nodiscard]] virtual Result<void> read(std::size_t tensor, const TakeBytes& take) const = 0;
};

/// That file, which must outlive it.
class WeightFileSource final : public WeightSource {
 public:
  explicit WeightFileSource(const WeightFile& file);
  [[nodiscard]] const std::vector<MetadataEntry>& metadata() const override {
    return file_.metadata;
  }
  [[nodiscard]] const std::vector<TensorHeader>& tensors() const override { return tensors_; }
  [[nodiscard]] Result<void> read(std::size_t tensor, const TakeBytes& take) const override {
    return take(file_.tensors[tensor].data);
  }

 private:
  const WeightFile& file_;
  std::vector<TensorHeader> tensors_;
};

/// All of it in memory. Errors: those of read().
[[nodiscard]] Result<WeightFile> read_all(const WeightSource& source);

/// write_weights() of a source, with these metadata behind its own; each tensor is read twice.
/// Errors: those of write_weights() and read().
[[nodiscard]] Result<void> write_weights(const WeightSource& source,
                                         const std::vector<MetadataEntry>& metadata,
                                         const std::string& path);

/// All tables of a graph, as weights_of() has them, but for those of these names. The graph must
/// outlive it. Errors: those of weights_of().
[[nodiscard]] Result<std::unique_ptr<const WeightSource>> weight_source_of(
    const NeuronGraph& graph, std::span<const std::string> without = {});

/// Where the bytes of a tensor go that is made: as many as it has.
using PlaceTensor = std::function<Result<char*>(const TensorHeader& tensor)>;
/// All of a file, a tensor after the other, each of which then goes. Returns its metadata.
[[nodiscard]] Result<std::vector<MetadataEntry>> place_all(WeightFile file,
                                                           const PlaceTensor& place);

}  // namespace vecc
