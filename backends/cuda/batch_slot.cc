#include "backends/cuda/batch_slot.h"

#include <algorithm>
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

// Of these steps, their nodes from `first` on.
std::unique_ptr<LaunchGraph> make_graph(const std::shared_ptr<Device>& device,
                                        std::span<const NodeCode> nodes,
                                        std::span<const NodePlace> places, CUdeviceptr memory,
                                        std::uint64_t rest,
                                        std::span<const BatchSlot::Step> steps) {
  std::vector<std::vector<std::uint32_t>> before;
  for (const NodeCode& node : nodes) before.push_back(node.graph.before);
  // Where none computes before it waits, the next step's first kernels may start early, too.
  const bool computes_early = std::ranges::any_of(
      nodes, [](const NodeCode& node) { return node.graph.programmatic.waits_last; });
  std::vector<BoundLaunch> launches;
  for (const BatchSlot::Step& step : steps) {
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const NodePlace& place = places[n];
      BoundLaunch& launch = launches.emplace_back();
      launch.function = nodes[n].function();
      launch.arguments = merged_bytes(memory + step.first + place.bounds, memory + rest);
      launch.blocks = memory + step.first + place.blocks;
      launch.block_count = place.block_count;
      launch.threads = nodes[n].graph.schedule->members.threads;
      launch.priority = nodes[n].graph.priority;
      launch.starts_late = computes_early && before[n].empty();  // the step before changes weights
    }
  }
  std::vector<const BoundLaunch*> all;
  for (const BoundLaunch& launch : launches) all.push_back(&launch);
  return std::make_unique<LaunchGraph>(device, all, repeat_in_turn(before, steps.size()));
}

std::vector<BatchSlot::Step> make_steps(const std::shared_ptr<Device>& device,
                                        const SlotRequest& request) {
  std::vector<BatchSlot::Step> steps(request.steps);
  for (std::uint32_t s = 0; s < request.steps; ++s) {
    steps[s].first = s * request.layout.fixed;
    for (const std::uint64_t elements : request.weights) {
      steps[s].weights.emplace_back(device, request.dtype, elements);
    }
    steps[s].weight_rows.resize(request.weights.size());
  }
  return steps;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> repeat_in_turn(
    std::span<const std::vector<std::uint32_t>> before, std::size_t count) {
  const auto size = static_cast<std::uint32_t>(before.size());
  std::vector<bool> has_next(size, false);
  for (const std::vector<std::uint32_t>& of : before) {
    for (const std::uint32_t other : of) has_next[other] = true;
  }
  std::vector<std::vector<std::uint32_t>> all;
  for (std::uint32_t first = 0; all.size() < count * size; first += size) {
    for (const std::vector<std::uint32_t>& of : before) {
      std::vector<std::uint32_t>& waits = all.emplace_back();
      for (const std::uint32_t other : of) waits.push_back(first + other);
      if (!of.empty() || first == 0) continue;
      for (std::uint32_t last = 0; last < size; ++last) {
        if (!has_next[last]) waits.push_back(first - size + last);
      }
    }
  }
  return all;
}

BatchSlot::BatchSlot(const std::shared_ptr<Device>& device, const SlotRequest& request)
    : device_(device),
      memory_(device, request.bytes),
      host_(device, request.bytes),
      steps_(make_steps(device, request)),
      rest_(request.steps * request.layout.fixed),
      set_numbers_(request.set_numbers),
      copied_(device),
      ready_(device),
      ran_(device) {
  const std::span<const NodePlace> places = request.layout.nodes;
  const auto graph_of = [&](std::size_t first, std::size_t count, std::span<const Step> steps) {
    return make_graph(device, request.nodes.subspan(first, count), places.subspan(first, count),
                      memory_.address(), rest_, steps);
  };
  const std::size_t others = request.nodes.size() - request.fetches;
  if (request.fetches > 0) fetch_ = graph_of(0, request.fetches, steps_);
  for (const Step& step : steps_) {
    step_graphs_.push_back(graph_of(request.fetches, others, std::span(&step, 1)));
  }
  if (request.steps > 1) whole_ = graph_of(request.fetches, others, steps_);
  device_->wait();  // memory is cleared on one stream, and first written on another
}

BatchSlot::~BatchSlot() {
  (void)device_->driver().stream_synchronize(device_->stream());
}

void BatchSlot::start(std::uint64_t bytes, std::uint64_t writes, std::uint32_t write_count,
                      std::size_t steps) const {
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
  run_graphs(steps);
}

// When what was started on the copy stream is done. Rows are fetched there, too: the batch before
// runs on the other stream meanwhile.
void BatchSlot::run_graphs(std::size_t steps) const {
  copied_.record(device_->copy_stream());
  if (fetch_) fetch_->start(device_->copy_stream());
  ready_.record(device_->copy_stream());
  ready_.hold(device_->stream());
  if (whole_ && steps == steps_.size()) {
    whole_->start();
  } else {
    for (std::size_t s = 0; s < steps; ++s) step_graphs_[s]->start();
  }
  ran_.record(device_->stream());
}

void BatchSlot::add_maker(const BatchMaker& maker, std::uint64_t input_bytes) {
  maker_ = std::make_unique<SlotMaker>(device_, maker, steps_.front().bounds, address(), capacity(),
                                       input_bytes);
}

bool BatchSlot::start_made(std::uint64_t bytes) const {
  ran_.hold(device_->copy_stream());
  maker_->start(bytes, device_->copy_stream());
  if (!maker_->fits()) return false;
  run_graphs(1);
  return true;
}

std::vector<std::byte> BatchSlot::read(std::uint64_t bytes) const {
  std::vector<std::byte> read(bytes);
  copied_.wait();
  memory_.read(0, read.data(), bytes);
  return read;
}

std::uint64_t BatchSlot::bytes() const {
  std::uint64_t bytes = capacity() + values_.bytes() + (maker_ ? maker_->bytes() : 0);
  for (const Step& step : steps_) {
    for (const DeviceBlock& block : step.weights) bytes += block.bytes();
  }
  return bytes;
}

}  // namespace vecc::cuda
