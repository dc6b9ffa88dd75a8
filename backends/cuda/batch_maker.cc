#include "backends/cuda/batch_maker.h"

#include <array>
#include <cstring>
#include <utility>

#include "backends/cuda/batch_numbers.h"

namespace vecc::cuda {

namespace made = vecc_kernel;

bool makes_on_device(const BatchOptions& batches, std::uint64_t typical_bytes,
                     const Target& target) {
  if (batches.side != BatchSide::Choose) return batches.side == BatchSide::Device;
  const double kilobytes = static_cast<double>(typical_bytes) / 1024;
  return target.host.bound_kilobyte * kilobytes / batches.binding_threads >
         target.launches.made_batch;
}

std::unique_ptr<BatchMaker> BatchMaker::make(std::shared_ptr<Device> device,
                                             const BatchWriter& writer, const WeightReach& reach,
                                             std::shared_ptr<DeviceModule> code) {
  TableMemory counted(0);
  const std::optional<BatchDescription> description = describe_batches(writer, reach, counted);
  if (!description) return nullptr;
  std::unique_ptr<BatchMaker> maker(
      new BatchMaker(std::move(device), writer, reach, std::move(code)));
  const made::BatchTables tables = add_tables(*description, writer, reach, counted);
  (void)counted.add(std::span(&tables, 1));
  maker->sizes_.emplace(*description, writer.layout, reach);
  maker->bytes_ = counted.size();
  maker->chunks_ = tables.chunks;
  maker->nodes_ = tables.node_count;
  return maker;
}

void BatchMaker::upload() {
  memory_ = DeviceMemory(device_, bytes_);
  TableMemory to(memory_.address());
  const std::optional<BatchDescription> description = describe_batches(writer_, reach_, to);
  const made::BatchTables tables = add_tables(*description, writer_, reach_, to);
  tables_ = reinterpret_cast<CUdeviceptr>(to.add(std::span(&tables, 1)));
  VECC_CHECK(to.size() == bytes_, "tables of batches as large as they were counted");
  memory_.write(0, to.bytes().data(), to.bytes().size());
}

std::unique_ptr<LaunchGraph> BatchMaker::make_graph(CUdeviceptr input, CUdeviceptr bounds,
                                                    CUdeviceptr image) const {
  struct Step {
    const char* name;
    std::uint32_t blocks;
  };
  const std::array<Step, 4> steps{{{"vecc_unite_sets", made::kUniteBlocks},
                                   {"vecc_mark_numbers", chunks_},
                                   {"vecc_place_numbers", 1},
                                   {"vecc_write_image", nodes_ + chunks_}}};
  const std::array<CUdeviceptr, 4> arguments{tables_, input, bounds, image};
  static_assert(sizeof arguments == sizeof(made::MakeBatch));
  std::vector<BoundLaunch> launches;
  std::vector<std::vector<std::uint32_t>> before;
  for (const auto& [name, blocks] : steps) {
    before.emplace_back();
    if (!launches.empty()) before.back().push_back(static_cast<std::uint32_t>(launches.size() - 1));
    BoundLaunch& launch = launches.emplace_back();
    launch.function = code_->function(name);
    launch.arguments.resize(sizeof arguments);
    std::memcpy(launch.arguments.data(), arguments.data(), sizeof arguments);
    launch.block_count = blocks;
  }
  std::vector<const BoundLaunch*> all;
  for (const BoundLaunch& launch : launches) all.push_back(&launch);
  return std::make_unique<LaunchGraph>(device_, all, before);
}

SlotMaker::SlotMaker(std::shared_ptr<Device> device, const BatchMaker& maker,
                     std::span<const std::byte> bounds, CUdeviceptr image,
                     std::uint64_t input_bytes)
    : device_(std::move(device)),
      maker_(maker),
      image_(image),
      bounds_bytes_(bounds.size()),
      bounds_(device_, bounds.size()) {
  bounds_.write(0, bounds.data(), bounds.size());
  device_->check(
      device_->driver().copy_to_device(image_, bounds.data(), bounds.size(), device_->stream()),
      "copying a batch to the GPU");
  make_input(input_bytes);
}

void SlotMaker::make_input(std::uint64_t bytes) {
  device_->wait();
  graph_ = nullptr;
  input_ = DeviceMemory(device_, bytes);
  host_ = std::make_unique<PinnedMemory>(device_, bytes);
  graph_ = maker_.make_graph(input_.address(), bounds_.address(), image_);
  device_->wait();  // memory is cleared on one stream, and first written on another
}

std::span<std::byte> SlotMaker::input(std::uint64_t bytes) {
  if (bytes > host_->bytes().size()) make_input(2 * bytes);
  return host_->bytes();
}

void SlotMaker::start(std::uint64_t bytes, CUstream stream) const {
  device_->check(
      device_->driver().copy_to_device(input_.address(), host_->bytes().data(), bytes, stream),
      "copying a batch to the GPU");
  graph_->start(stream);
}

std::uint64_t input_bytes(std::uint64_t writes, std::uint64_t sets) {
  return sizeof(made::BatchInput) + writes * NumberWriter::kBytes + sets * sizeof(std::uint32_t);
}

}  // namespace vecc::cuda
