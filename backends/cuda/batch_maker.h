// Batches that are made on the device: their images (BatchLayout) are written there, from tables
// that are there, where the host would write and copy them. A batch brings which rows its weights
// have, and their values; what these reach is known (WeightReach), or searched for (BatchSearch).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/cuda/batch_tables.h"
#include "backends/cuda/device_code.h"
#include "backends/cuda/device_event.h"
#include "backends/cuda/launch_graph.h"
#include "backends/cuda/pinned_memory.h"

namespace vecc::cuda {

class BatchMaker {
 public:
  /// Null where batches have to be made on the host (describe_batches(), describe_search()). Takes
  /// nothing of the device. `code`: print_make_batch(). What the writer and `origin` refer to must
  /// outlive this.
  [[nodiscard]] static std::unique_ptr<BatchMaker> make(std::shared_ptr<Device> device,
                                                        const BatchWriter& writer,
                                                        const BatchOrigin& origin,
                                                        std::shared_ptr<DeviceModule> code);

  /// Whether batches are searched: how large an image is is known when it was made.
  [[nodiscard]] bool searches() const { return origin_.reach == nullptr; }
  /// Whether it draws members of batches: a bit of memory in a slot for each there is.
  [[nodiscard]] bool draws() const { return origin_.draws != nullptr; }
  [[nodiscard]] std::uint64_t drawn_bytes() const { return (origin_.draws->members + 63) / 64 * 8; }
  /// Of a batch's image, at most, of one that is not searched.
  [[nodiscard]] std::uint64_t most_bytes(std::span<const Batch::Weights> weights) const {
    return sizes_->most(weights);
  }
  /// Of the last image that was made, there.
  [[nodiscard]] CUdeviceptr image_bytes() const { return image_bytes_; }
  /// What it takes on the device.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Once, before make_graph(). Throws DeviceError.
  void upload();
  /// What makes the image there, if it is no larger than `capacity`, from the input there;
  /// `bounds`: those that all batches begin with. Throws DeviceError.
  [[nodiscard]] std::unique_ptr<LaunchGraph> make_graph(CUdeviceptr input, CUdeviceptr bounds,
                                                        CUdeviceptr image,
                                                        std::uint64_t capacity) const;
  /// The number of what a row of weights reaches.
  [[nodiscard]] std::uint32_t set_of(std::size_t weights, std::uint32_t row) const {
    return static_cast<std::uint32_t>(origin_.reach->set_of(weights, row));
  }

 private:
  BatchMaker(std::shared_ptr<Device> device, const BatchWriter& writer, const BatchOrigin& origin,
             std::shared_ptr<DeviceModule> code)
      : device_(std::move(device)), writer_(writer), origin_(origin), code_(std::move(code)) {}
  // Into `memory`; the tables themselves are added last. None: as make().
  [[nodiscard]] std::optional<vecc_kernel::BatchTables> describe(TableMemory& memory);

  std::shared_ptr<Device> device_;
  const BatchWriter writer_;
  const BatchOrigin origin_;
  std::shared_ptr<DeviceModule> code_;
  std::optional<ImageSizes> sizes_;
  std::uint64_t bytes_ = 0;
  std::uint32_t chunks_ = 0;
  std::uint32_t rest_chunks_ = 0;
  std::uint32_t nodes_ = 0;
  std::vector<std::uint32_t> search_ends_;  // of its steps, in chunks
  DeviceMemory memory_;
  CUdeviceptr tables_ = 0;
  CUdeviceptr image_bytes_ = 0;
};

/// Whether batches are made on the device: as asked, or where the threads that bind them on the
/// host would take longer. `typical_bytes`: BatchSizes::array_bytes of BatchOptions::typical.
/// `searches`: there, they are searched.
[[nodiscard]] bool makes_on_device(const BatchOptions& batches, std::uint64_t typical_bytes,
                                   const Target& target, bool searches = false);

/// Makes the batches of one slot.
class SlotMaker {
 public:
  /// Throws DeviceError, as all here.
  SlotMaker(std::shared_ptr<Device> device, const BatchMaker& maker,
            std::span<const std::byte> bounds, CUdeviceptr image, std::uint64_t capacity,
            std::uint64_t input_bytes);

  /// Where `bytes` of input are written, when those before were read.
  [[nodiscard]] std::span<std::byte> input(std::uint64_t bytes);
  /// Makes the image of the first `bytes` of input. Does not wait.
  void start(std::uint64_t bytes, CUstream stream) const;
  /// Whether the image that was started has room. Waits where that is not known before it is made.
  [[nodiscard]] bool fits() const;
  /// Of the members that the batch before drew (DrawInput).
  [[nodiscard]] CUdeviceptr drawn() const { return drawn_.address(); }
  [[nodiscard]] std::uint64_t bytes() const {
    return bounds_bytes_ + host_->bytes().size() + (maker_.draws() ? maker_.drawn_bytes() : 0);
  }

 private:
  void make_input(std::uint64_t bytes);

  std::shared_ptr<Device> device_;
  const BatchMaker& maker_;
  CUdeviceptr image_;
  std::uint64_t capacity_;
  std::uint64_t bounds_bytes_;
  DeviceMemory bounds_;
  DeviceMemory input_;
  std::unique_ptr<PinnedMemory> host_;
  std::unique_ptr<LaunchGraph> graph_;
  DeviceMemory drawn_;
  PinnedMemory image_bytes_;  // of one that was searched for
  DeviceEvent made_;
};

/// Bytes of a BatchInput.
[[nodiscard]] std::uint64_t input_bytes(std::uint64_t writes, std::uint64_t sets);

}  // namespace vecc::cuda
