// Arrays that are put on the device once, when a Program is compiled. (Includes ATen, which takes
// long to compile: only files that call libtorch include this.)
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <span>
#include <vector>

#include "vecc/shared_numbers.h"

namespace vecc::libtorch {

/// Uploads arrays and counts their bytes. A value of a Program is a tensor [rows, size].
class DeviceArrays {
 public:
  DeviceArrays(at::Device device, at::ScalarType dtype)
      : options_(at::TensorOptions().device(device).dtype(dtype)) {}

  /// The program's dtype, on the device.
  [[nodiscard]] const at::TensorOptions& options() const { return options_; }
  /// Bytes uploaded so far.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// rows * size values.
  at::Tensor values(std::span<const double> data, std::int64_t rows, std::int64_t size) {
    // from_blob wants a pointer it may write through; nothing does.
    auto* begin = const_cast<double*>(data.data());
    return keep(at::from_blob(begin, {rows, size}, at::kDouble), options_.dtype());
  }
  at::Tensor values(const SharedNumbers& data, std::int64_t rows, std::int64_t size) {
    auto* begin = const_cast<void*>(data.data());
    const at::ScalarType type = data.are_floats() ? at::kFloat : at::kDouble;
    return keep(at::from_blob(begin, {rows, size}, type), options_.dtype());
  }
  /// Rows of uninitialised values.
  at::Tensor buffer(std::int64_t rows, std::int64_t size) {
    return count(at::empty({rows, size}, options_));
  }
  /// For index_select: int32 where that is enough.
  at::Tensor index(std::span<const std::uint32_t> data) {
    auto* begin = const_cast<std::uint32_t*>(data.data());
    const auto length = static_cast<std::int64_t>(data.size());
    const at::Tensor bits = at::from_blob(begin, {length}, at::kInt);
    for (const std::uint32_t i : data) {
      if (i >> 31 != 0) return keep(bits.to(at::kLong).bitwise_and(0xFFFFFFFFll), at::kLong);
    }
    return keep(bits, at::kInt);
  }
  /// For segment_reduce's offsets and gather's index, which want int64.
  at::Tensor long_index(std::span<const std::uint32_t> data) {
    return long_index(std::vector<std::uint64_t>(data.begin(), data.end()));
  }
  at::Tensor long_index(const std::vector<std::uint64_t>& data) {
    auto* begin = const_cast<std::uint64_t*>(data.data());
    return keep(at::from_blob(begin, {static_cast<std::int64_t>(data.size())}, at::kLong),
                at::kLong);
  }
  /// Counts a tensor that was made on the device.
  at::Tensor count(at::Tensor tensor) {
    bytes_ += tensor.nbytes();
    return tensor;
  }

 private:
  at::Tensor keep(const at::Tensor& host, caffe2::TypeMeta dtype) {
    // A copy even where nothing changes: the host's array may go.
    return count(host.to(options_.dtype(dtype), /*non_blocking=*/false, /*copy=*/true));
  }
  at::Tensor keep(const at::Tensor& host, at::ScalarType dtype) {
    return keep(host, c10::scalarTypeToTypeMeta(dtype));
  }

  at::TensorOptions options_;
  std::uint64_t bytes_ = 0;
};

}  // namespace vecc::libtorch
