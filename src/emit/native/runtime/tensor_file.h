// safetensors files: 8 bytes of length, a header in JSON, the numbers of all tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vecc::emitted {

struct Tensor {
  std::string name;
  std::string type;  ///< F32, U64, ...
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  ///< in the data
  std::uint64_t end = 0;
  const std::byte* data = nullptr;

  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
};

struct TensorHeader {
  std::map<std::string, std::string, std::less<>> metadata;
  std::vector<Tensor> tensors;
};

/// Reads the header's JSON. Throws Failure, with `path` as place.
[[nodiscard]] TensorHeader parse_header(std::string_view json, const std::string& path);

/// A file in memory. Nothing that it says is trusted: the tensors fill the data without gap or
/// overlap, each has the bytes that its type and shape need.
class TensorFile {
 public:
  /// Throws Failure.
  explicit TensorFile(std::string path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<Tensor>& tensors() const { return header_.tensors; }
  /// Null if there is none.
  [[nodiscard]] const Tensor* find(std::string_view name) const;
  /// Empty if there is none.
  [[nodiscard]] std::string_view metadata(std::string_view key) const;

 private:
  void read();
  void place_tensors(const std::byte* data, std::uint64_t bytes);

  std::string path_;
  std::unique_ptr<std::uint64_t[]> memory_;  // of whole words: elements are aligned
  TensorHeader header_;
  std::map<std::string_view, const Tensor*> by_name_;
};

/// The elements of F16, BF16, F32 or F64 as doubles; false if it has others.
[[nodiscard]] bool read_values(const Tensor& tensor, std::vector<double>& values);

/// Of one element of F32, U64, ...; 0 if there is no such type.
[[nodiscard]] std::uint64_t element_bytes(std::string_view type);
/// `[12, 3, 1]`
[[nodiscard]] std::string text_of_shape(const std::vector<std::uint64_t>& shape);
/// In quotes; bytes that are no visible ASCII as \x1b.
[[nodiscard]] std::string quote(std::string_view text);

}  // namespace vecc::emitted
