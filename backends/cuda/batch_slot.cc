#include "backends/cuda/batch_slot.h"

#include <array>
#include <cstring>
#include <utility>

#include "backends/cuda/batch_maker.h"

namespace vecc::cuda {
namespace {

// As `Merged` of CudaUnit::Batch.
std::vector<std::byte> merged_bytes(CUdeviceptr bounds, CUdeviceptr zeros) {
  const std::array<CUdeviceptr, 2> addresses{bounds, zeros};
  std::vector<std::byte> bytes(sizeof addresses);
  std::memcpy(bytes.data(), addresses.data(), sizeof addresses);
  return bytes;
}

std::unique_ptr<LaunchGraph> make_graph(const std::shared_ptr<Device>& device,
                                        const BatchLayout& layout, std::span<const NodeCode> nodes,
                                        CUdeviceptr memory) {
  std::vector<BoundLaunch> launches;
  std::vector<std::vector<std::uint32_t>> before;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const NodePlace& place = layout.nodes[n];
    BoundLaunch& launch = launches.emplace_back();
    launch.function = nodes[n].function();
    launch.arguments = merged_bytes(memory + place.bounds, memory + layout.fixed);
    launch.blocks = memory + place.blocks;
    launch.block_count = place.block_count;
    launch.threads = nodes[n].graph.schedule->members.threads;
    launch.priority = nodes[n].graph.priority;
    before.push_back(nodes[n].graph.before);
  }
  std::vector<const BoundLaunch*> all;
  for (const BoundLaunch& launch : launches) all.push_back(&launch);
  return std::make_unique<LaunchGraph>(device, all, before);
}

}  // namespace

BatchSlot::BatchSlot(const std::shared_ptr<Device>& device, const BatchLayout& layout,
                     std::span<const NodeCode> nodes, std::uint64_t bytes, DType dtype,
                     std::span<const std::uint64_t> weights, CUfunction set_numbers)
    : weight_rows(weights.size()),
      device_(device),
      memory_(device, bytes),
      host_(device, bytes),
      set_numbers_(set_numbers),
      copied_(device),
      ran_(device),
      graph_(make_graph(device, layout, nodes, memory_.address())) {
  for (const std::uint64_t elements : weights) weights_.emplace_back(device, dtype, elements);
  device_->wait();  // memory is cleared on one stream, and first written on another
}

BatchSlot::~BatchSlot() {
  (void)device_->driver().stream_synchronize(device_->stream());
}

void BatchSlot::start(std::uint64_t bytes, std::uint64_t writes, std::uint32_t write_count) const {
  CUstream copies = device_->copy_stream();
  ran_.hold(copies);
  device_->check(device_->driver().copy_to_device(address(), host_.bytes().data(), bytes, copies),
                 "copying a batch to the GPU");
  if (write_count > 0) {
    BoundLaunch launch;
    launch.function = set_numbers_;
    launch.arguments.resize(sizeof write_count);
    std::memcpy(launch.arguments.data(), &write_count, sizeof write_count);
    launch.blocks = address() + writes;
    launch.block_count = (write_count + kCudaThreads - 1) / kCudaThreads;
    start_launch(*device_, launch, copies);
  }
  run_graph();
}

// When what was started on the copy stream is done.
void BatchSlot::run_graph() const {
  copied_.record(device_->copy_stream());
  copied_.hold(device_->stream());
  graph_->start();
  ran_.record(device_->stream());
}

void BatchSlot::add_maker(const BatchMaker& maker, std::uint64_t input_bytes) {
  maker_ = std::make_unique<SlotMaker>(device_, maker, bounds, address(), input_bytes);
}

void BatchSlot::start_made(std::uint64_t bytes) const {
  ran_.hold(device_->copy_stream());
  maker_->start(bytes, device_->copy_stream());
  run_graph();
}

std::vector<std::byte> BatchSlot::read(std::uint64_t bytes) const {
  std::vector<std::byte> read(bytes);
  copied_.wait();
  memory_.read(0, read.data(), bytes);
  return read;
}

std::uint64_t BatchSlot::bytes() const {
  std::uint64_t bytes = capacity() + (maker_ ? maker_->bytes() : 0);
  for (const DeviceBlock& block : weights_) bytes += block.bytes();
  return bytes;
}

}  // namespace vecc::cuda
