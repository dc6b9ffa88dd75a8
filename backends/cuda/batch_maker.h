// Batches that are made on the device: their images (BatchLayout) are written there, from tables
// that are there, where the host would write and copy them. A batch brings which rows its weights
// have, and their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/cuda/batch_tables.h"
#include "backends/cuda/device_code.h"
#include "backends/cuda/launch_graph.h"
#include "backends/cuda/pinned_memory.h"

namespace vecc::cuda {

class BatchMaker {
 public:
  /// Null where batches have to be made on the host (describe_batches()). Takes nothing of the
  /// device. `code`: print_make_batch(). What the writer refers to, and `reach`, must outlive this.
  [[nodiscard]] static std::unique_ptr<BatchMaker> make(std::shared_ptr<Device> device,
                                                        const BatchWriter& writer,
                                                        const WeightReach& reach,
                                                        std::shared_ptr<DeviceModule> code);

  /// Of a batch's image, at most.
  [[nodiscard]] std::uint64_t most_bytes(std::span<const Batch::Weights> weights) const {
    return sizes_->most(weights);
  }
  /// What it takes on the device.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Once, before make_graph(). Throws DeviceError.
  void upload();
  /// What makes the image there from the input there; `bounds`: those that all batches begin with.
  /// Throws DeviceError.
  [[nodiscard]] std::unique_ptr<LaunchGraph> make_graph(CUdeviceptr input, CUdeviceptr bounds,
                                                        CUdeviceptr image) const;
  /// The number of what a row of weights reaches.
  [[nodiscard]] std::uint32_t set_of(std::size_t weights, std::uint32_t row) const {
    return static_cast<std::uint32_t>(reach_.set_of(weights, row));
  }

 private:
  BatchMaker(std::shared_ptr<Device> device, const BatchWriter& writer, const WeightReach& reach,
             std::shared_ptr<DeviceModule> code)
      : device_(std::move(device)), writer_(writer), reach_(reach), code_(std::move(code)) {}

  std::shared_ptr<Device> device_;
  const BatchWriter writer_;
  const WeightReach& reach_;
  std::shared_ptr<DeviceModule> code_;
  std::optional<ImageSizes> sizes_;
  std::uint64_t bytes_ = 0;
  std::uint32_t chunks_ = 0;
  std::uint32_t nodes_ = 0;
  DeviceMemory memory_;
  CUdeviceptr tables_ = 0;
};

/// Whether batches are made on the device: as asked, or where the threads that bind them on the
/// host would take longer. `typical_bytes`: BatchSizes::array_bytes of BatchOptions::typical.
[[nodiscard]] bool makes_on_device(const BatchOptions& batches, std::uint64_t typical_bytes,
                                   const Target& target);

/// Makes the batches of one slot.
class SlotMaker {
 public:
  /// Throws DeviceError, as all here.
  SlotMaker(std::shared_ptr<Device> device, const BatchMaker& maker,
            std::span<const std::byte> bounds, CUdeviceptr image, std::uint64_t input_bytes);

  /// Where `bytes` of input are written, when those before were read.
  [[nodiscard]] std::span<std::byte> input(std::uint64_t bytes);
  /// Makes the image of the first `bytes` of input. Does not wait.
  void start(std::uint64_t bytes, CUstream stream) const;
  [[nodiscard]] std::uint64_t bytes() const { return bounds_bytes_ + host_->bytes().size(); }

 private:
  void make_input(std::uint64_t bytes);

  std::shared_ptr<Device> device_;
  const BatchMaker& maker_;
  CUdeviceptr image_;
  std::uint64_t bounds_bytes_;
  DeviceMemory bounds_;
  DeviceMemory input_;
  std::unique_ptr<PinnedMemory> host_;
  std::unique_ptr<LaunchGraph> graph_;
};

/// Bytes of a BatchInput.
[[nodiscard]] std::uint64_t input_bytes(std::uint64_t writes, std::uint64_t sets);

}  // namespace vecc::cuda
