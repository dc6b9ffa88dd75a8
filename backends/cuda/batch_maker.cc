#include "backends/cuda/batch_maker.h"

#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "backends/cuda/batch_numbers.h"

namespace vecc::cuda {

namespace made = vecc_kernel;

bool makes_on_device(const BatchOptions& batches, std::uint64_t typical_bytes, const Target& target,
                     bool searches) {
  // A search has some 25 kernels, one after another, beside the four that all batches take.
  constexpr double kSearched = 5;
  if (batches.side != BatchSide::Choose) return batches.side == BatchSide::Device;
  const double kilobytes = static_cast<double>(typical_bytes) / 1024;
  return target.host.bound_kilobyte * kilobytes / batches.binding_threads >
         target.launches.made_batch * (searches ? kSearched : 1);
}

std::unique_ptr<BatchMaker> BatchMaker::make(std::shared_ptr<Device> device,
                                             const BatchWriter& writer, const BatchOrigin& origin,
                                             std::shared_ptr<DeviceModule> code) {
  std::unique_ptr<BatchMaker> maker(
      new BatchMaker(std::move(device), writer, origin, std::move(code)));
  TableMemory counted(0);
  const std::optional<made::BatchTables> tables = maker->describe(counted);
  if (!tables) return nullptr;
  maker->bytes_ = counted.size();
  maker->chunks_ = tables->chunks;
  maker->rest_chunks_ = tables->rest_chunk_count;
  maker->nodes_ = tables->node_count;
  return maker;
}

std::optional<made::BatchTables> BatchMaker::describe(TableMemory& memory) {
  const auto description = describe_batches(writer_, origin_, memory);
  if (!description) return std::nullopt;
  std::optional<BatchSearch> search;
  if (searches()) {
    search = describe_search(writer_.batch, *origin_.numbers, origin_.draws, memory);
    if (!search) return std::nullopt;
    search_ends_ = search->step_ends;
  } else {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    if (origin_.reach->sets().words.size() > kMost) return std::nullopt;
    // Once: other threads may ask it while tables are described again, with their addresses.
    if (!sizes_) sizes_.emplace(*description, writer_.layout, *origin_.reach);
  }
  const made::BatchTables tables =
      add_tables(*description, writer_, origin_, search ? &*search : nullptr, memory);
  tables_ = reinterpret_cast<CUdeviceptr>(memory.add(std::span(&tables, 1)));
  image_bytes_ = reinterpret_cast<CUdeviceptr>(tables.image_bytes);
  return tables;
}

void BatchMaker::upload() {
  memory_ = DeviceMemory(device_, bytes_);
  TableMemory to(memory_.address());
  (void)describe(to);
  VECC_CHECK(to.size() == bytes_, "tables of batches as large as they were counted");
  memory_.write(0, to.bytes().data(), to.bytes().size());
}

std::unique_ptr<LaunchGraph> BatchMaker::make_graph(CUdeviceptr input, CUdeviceptr bounds,
                                                    CUdeviceptr image,
                                                    std::uint64_t capacity) const {
  std::vector<BoundLaunch> launches;
  std::vector<std::vector<std::uint32_t>> before;
  std::uint64_t first_chunk = 0;
  const auto add = [&](const char* name, std::uint32_t blocks) {
    before.emplace_back();
    if (!launches.empty()) before.back().push_back(static_cast<std::uint32_t>(launches.size() - 1));
    BoundLaunch& launch = launches.emplace_back();
    launch.function = code_->function(name);
    const std::array<CUdeviceptr, 6> arguments{tables_, input,    bounds,
                                               image,   capacity, first_chunk};
    static_assert(sizeof arguments == sizeof(made::MakeBatch));
    launch.arguments.resize(sizeof arguments);
    std::memcpy(launch.arguments.data(), arguments.data(), sizeof arguments);
    launch.block_count = blocks;
  };
  if (searches()) {
    add("vecc_forget_weights", made::kUniteBlocks);
    add("vecc_take_weights", made::kUniteBlocks);
    for (const std::uint32_t end : search_ends_) {
      add("vecc_search_step", static_cast<std::uint32_t>(end - first_chunk));
      first_chunk = end;
    }
  } else {
    add("vecc_unite_sets", made::kUniteBlocks);
  }
  if (rest_chunks_ > 0) add("vecc_mark_rests", rest_chunks_);
  add("vecc_mark_numbers", chunks_);
  add("vecc_place_numbers", 1);
  add("vecc_write_image", nodes_ + chunks_);
  std::vector<const BoundLaunch*> all;
  for (const BoundLaunch& launch : launches) all.push_back(&launch);
  return std::make_unique<LaunchGraph>(device_, all, before);
}

SlotMaker::SlotMaker(std::shared_ptr<Device> device, const BatchMaker& maker,
                     std::span<const std::byte> bounds, CUdeviceptr image, std::uint64_t capacity,
                     std::uint64_t input_bytes)
    : device_(std::move(device)),
      maker_(maker),
      image_(image),
      capacity_(capacity),
      bounds_bytes_(bounds.size()),
      bounds_(device_, bounds.size()),
      image_bytes_(device_, sizeof(std::uint64_t)),
      made_(device_) {
  if (maker_.draws()) drawn_ = DeviceMemory(device_, maker_.drawn_bytes());
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
  graph_ = maker_.make_graph(input_.address(), bounds_.address(), image_, capacity_);
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
  if (!maker_.searches()) return;
  device_->check(device_->driver().copy_to_host(image_bytes_.bytes().data(), maker_.image_bytes(),
                                                image_bytes_.bytes().size(), stream),
                 "copying from the GPU");
  made_.record(stream);
}

bool SlotMaker::fits() const {
  if (!maker_.searches()) return true;
  made_.wait();
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, image_bytes_.bytes().data(), sizeof bytes);
  return bytes <= capacity_;
}

std::uint64_t input_bytes(std::uint64_t writes, std::uint64_t sets) {
  return sizeof(made::BatchInput) + writes * NumberWriter::kBytes + sets * sizeof(std::uint32_t);
}

}  // namespace vecc::cuda
