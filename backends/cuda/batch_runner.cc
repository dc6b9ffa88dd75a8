#include "backends/cuda/batch_runner.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "src/kernel/print_cuda.h"

namespace vecc::cuda {
namespace {

// More than a batch may ever take is not kept; larger ones than four times the first get another
// piece of memory when they come.
constexpr std::uint64_t kAlwaysKept = 16 << 20;

// Of what is not stored: the most that a launch may.
std::uint64_t unstored_elements(const BatchPlan& batch) {
  std::uint64_t most = 0;
  for (const BatchLaunch& launch : batch.launches) {
    for (const BatchUpdate& update : launch.updates) {
      const BatchAccess& access = launch.accesses[update.access];
      most = std::max(most, access.rows * access.size * batch.units[access.buffer]);
    }
  }
  return most;
}

std::uint64_t writes_of(std::span<const Batch::Weights> weights) {
  std::uint64_t writes = 0;
  for (const Batch::Weights& of : weights) writes += of.rows.size();
  return writes;
}

}  // namespace

Result<std::unique_ptr<BatchRunner>> BatchRunner::make(std::shared_ptr<Device> device,
                                                       const Plan& plan, BatchPlan batch,
                                                       std::vector<ParameterIndex> scalars,
                                                       double share,
                                                       const DeviceCodeOptions& options,
                                                       DeviceCodeCounts* counts) {
  const std::string set_numbers = print_set_numbers(plan.dtype);
  VECC_TRY(PlanCode code, load_plan_code(device, plan, LaunchWay::Graph, share,
                                         std::span(&set_numbers, 1), options, counts));
  std::unique_ptr<BatchRunner> made(
      new BatchRunner(std::move(device), plan, std::move(batch), std::move(scalars)));
  made->nodes_ = std::move(code.stages.front());
  made->set_numbers_ = std::move(code.others.front());
  return made;
}

BatchRunner::BatchRunner(std::shared_ptr<Device> device, const Plan& plan, BatchPlan batch,
                         std::vector<ParameterIndex> scalars)
    : device_(std::move(device)),
      batch_(std::move(batch)),
      dtype_(plan.dtype),
      cutter_(plan, batch_),
      binders_(batch_),
      scalars_(std::move(scalars)),
      nowhere_(device_, dtype_, unstored_elements(batch_)),
      parts_(batch_.launches.size()) {
  for (const std::vector<BufferIndex>& buffers : batch_.weights) {
    std::uint64_t elements = 0;
    for (const BufferIndex b : buffers) elements = std::max(elements, plan.buffers[b].elements);
    weights_.push_back(elements);
  }
  describe_bounds(plan);
}

void BatchRunner::describe_bounds(const Plan& plan) {
  for (std::uint32_t l = 0; l < plan.launches.size(); ++l) {
    const Launch& launch = plan.launches[l];
    bounds_.push_back({0, launch.accesses.size(), launch.words.size()});
    for (std::uint32_t a = 0; a < launch.accesses.size(); ++a) {
      const BufferIndex buffer = launch.accesses[a].buffer;
      OwnAddress own{l, a, false, 0, launch.accesses[a].first};
      for (; own.number < batch_.weights.size(); ++own.number) {
        if (std::ranges::count(batch_.weights[own.number], buffer) > 0) break;
      }
      if (own.number < batch_.weights.size()) {
        own_addresses_.push_back(own);
        continue;
      }
      if (plan.buffers[buffer].kind != PlanBuffer::Kind::Parameter) continue;
      const auto scalar = std::ranges::find(scalars_, plan.buffers[buffer].source);
      if (scalar == scalars_.end()) continue;
      own.is_scalar = true;
      own.number = static_cast<std::size_t>(scalar - scalars_.begin());
      own_addresses_.push_back(own);
    }
  }
}

void BatchRunner::forget_arrays(Plan& plan) const {
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    Launch& launch = plan.launches[l];
    const BatchLaunch& batch = batch_.launches[l];
    if (batch.drops || !batch.types) launch.order = kNone;
    if (!batch.drops) continue;
    launch.offsets = kNone;
    for (AccessBinding& access : launch.accesses) access.list = kNone;
  }
}

void BatchRunner::bind(std::vector<LaunchArguments> arguments, std::vector<CUdeviceptr> buffers) {
  arguments_ = std::move(arguments);
  buffers_ = std::move(buffers);
}

Result<void> BatchRunner::bind_batch(const Batch& batch, std::unique_ptr<BoundBatch>& to) {
  VECC_TRY(const PlanBatch* const bound,
           PlanBatch::bind(batch_, byte_size(dtype_), binders_, batch, to));
  const std::lock_guard lock(expects_);
  if (expected_slot_ == 0) expect_slots(*bound);
  return {};
}

BatchLayout BatchRunner::make_layout(const PlanBatch& batch,
                                     std::span<const LaunchPart> parts) const {
  return make_batch_layout(bounds_, nodes_, scalars_.size(), cutter_, batch.rows(), parts);
}

// Bytes that are taken for the images of batches when this is the first.
std::uint64_t BatchRunner::capacity_for(const PlanBatch& batch, const BatchLayout& layout) const {
  BatchRows any;
  any.reserve(batch_);
  std::uint64_t all_weights = 0;
  for (const std::uint64_t elements : weights_) all_weights += elements;
  const std::uint64_t most = image_capacity(layout, any, all_weights);
  const std::uint64_t need = image_bytes(layout, batch.rows(), 2 * writes_of(batch.weights()));
  const std::uint64_t kept = layout.fixed + std::max(kAlwaysKept, 4 * (need - layout.fixed));
  return std::max(need, std::min(most, kept));
}

void BatchRunner::expect_slots(const PlanBatch& batch) {
  std::vector<LaunchPart> parts(batch_.launches.size());
  find_parts(batch.rows(), parts);
  expected_slot_ = capacity_for(batch, make_layout(batch, parts));
  for (const std::uint64_t elements : weights_) expected_slot_ += elements * byte_size(dtype_);
}

// The Bounds that all batches of a slot begin with.
void BatchRunner::write_bounds(BatchSlot& slot) const {
  slot.bounds.resize(layout_->scalars);
  for (std::size_t l = 0; l < arguments_.size(); ++l) {
    const std::vector<std::byte>& bytes = arguments_[l].bytes;
    std::memcpy(slot.bounds.data() + layout_->bounds[l].first, bytes.data(), bytes.size());
  }
  for (const OwnAddress& own : own_addresses_) {
    const CUdeviceptr address =
        own.is_scalar ? slot.address() + layout_->scalars + own.number * BatchLayout::kAlignment
                      : slot.weights(own.number).at(own.first);
    std::memcpy(slot.bounds.data() + layout_->bounds[own.launch].data(own.access), &address,
                sizeof address);
  }
}

std::unique_ptr<BatchSlot> BatchRunner::make_slot(const PlanBatch& batch) {
  auto slot =
      std::make_unique<BatchSlot>(device_, *layout_, nodes_, capacity_for(batch, *layout_), dtype_,
                                  weights_, set_numbers_->function("vecc_set_numbers"));
  write_bounds(*slot);
  return slot;
}

// The one that the batch before does not run from, when it may be written.
BatchSlot& BatchRunner::free_slot(const PlanBatch& batch) {
  std::unique_ptr<BatchSlot>& slot = slots_[next_];
  next_ = 1 - next_;
  if (!layout_) layout_ = make_layout(batch, parts_);
  if (slot) {
    std::uint64_t writes = writes_of(batch.weights());
    for (const auto& rows : slot->weight_rows) writes += rows.size();
    if (image_bytes(*layout_, batch.rows(), writes) > slot->capacity()) {
      device_->wait();
      slot = nullptr;
    }
  }
  if (!slot) slot = make_slot(batch);
  slot->wait();
  return *slot;
}

void BatchRunner::start(const PlanBatch& batch, std::span<const double> scalars) {
  find_parts(batch.rows(), parts_);
  BatchSlot& slot = free_slot(batch);
  const BatchWriter writer{batch_, *layout_, nodes_, cutter_, buffers_, nowhere_.at(0), dtype_};
  const BatchImage image =
      write_batch(writer, batch.rows(), parts_, batch.weights(), scalars, slot);
  slot.start(image.bytes, image.writes, image.write_count);
}

std::uint64_t BatchRunner::bytes() const {
  const std::lock_guard lock(expects_);
  std::uint64_t bytes = nowhere_.bytes();
  for (const auto& slot : slots_) bytes += slot ? slot->bytes() : expected_slot_;
  return bytes;
}

}  // namespace vecc::cuda
