#include "backends/cuda/batch_runner.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "backends/cuda/batch_numbers.h"
#include "backends/cuda/search_input.h"
#include "src/batch/batch_sizes.h"
#include "src/batch/check_batch.h"
#include "src/kernel/print_cuda.h"

namespace vecc::cuda {
namespace {

// Of what batches that are made on the device bring: always kept.
constexpr std::uint64_t kAlwaysInput = 64 << 10;

// Batches may take so many times as much memory as the first.
constexpr std::uint64_t kUsualMost = 4;

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

// For what a training can do without: where memory is short, it is left to others.
bool has_room(const Device& device, std::uint64_t bytes) {
  constexpr std::uint64_t kShareOfFree = 4;
  try {
    device.use();
    return bytes <= device.free_bytes() / kShareOfFree;
  } catch (const DeviceError&) {
    return false;
  }
}

std::uint64_t writes_of(std::span<const Batch::Weights> weights) {
  std::uint64_t writes = 0;
  for (const Batch::Weights& of : weights) writes += of.rows.size();
  return writes;
}

}  // namespace

std::uint32_t count_steps_at_once(std::uint64_t batches, std::uint64_t most) {
  const auto starts = [&](std::uint64_t steps) { return batches / steps + batches % steps; };
  std::uint64_t best = std::max<std::uint64_t>(std::min(batches, most), 1);
  for (std::uint64_t steps = best; steps > 1; --steps) {
    if (starts(steps) < starts(best)) best = steps;
  }
  return static_cast<std::uint32_t>(best);
}

Result<std::unique_ptr<BatchRunner>> BatchRunner::make(std::shared_ptr<Device> device,
                                                       const Plan& plan, BatchPlan batch,
                                                       std::vector<ParameterIndex> scalars,
                                                       const BatchOptions& batches,
                                                       const DeviceCodeOptions& options,
                                                       DeviceCodeCounts* counts) {
  std::unique_ptr<BatchRunner> made(
      new BatchRunner(std::move(device), plan, std::move(batch), std::move(scalars)));
  if (!is_empty(batches.typical)) VECC_TRY_VOID(check_batch(made->batch_, batches.typical));
  const BatchSizes typical =
      batch_sizes(plan, made->batch_, batches.typical, made->binders_.reach());
  std::vector<std::string> others{print_set_numbers(plan.dtype)};
  const bool is_compact = made->batch_.is_compact;  // bound on the host
  const bool searches = !is_compact && !made->binders_.reach() && batches.batches_again == 0 &&
                        can_search(made->batch_);
  if (searches && batches.draws && batches.draws->members->segments) made->draws_ = batches.draws;
  if (searches) made->share_numbers();
  const bool makes = !is_compact && (made->binders_.reach() || searches) &&
                     makes_on_device(batches, typical.array_bytes, plan.target, searches);
  if (makes) others.push_back(print_make_batch(plan.dtype));
  VECC_TRY(PlanCode code, load_plan_code(made->device_, plan, LaunchWay::Graph, typical.launches,
                                         others, options, counts));
  made->kept_bytes_ = batches.image_bytes;
  made->take_nodes(code);
  if (!makes) made->set_steps(batches.batches_again);
  made->set_numbers_ = std::move(code.others.front());
  if (makes) made->make_batch_ = std::move(code.others.back());
  return made;
}

void BatchRunner::take_nodes(PlanCode& code) {
  nodes_ = std::move(code.stages.front());
  if (code.stages.back().empty()) return;
  fetches_ = nodes_.size();
  std::ranges::move(code.stages.back(), std::back_inserter(nodes_));
}

void BatchRunner::share_numbers() {
  numbers_.emplace(batch_);
  cuda::share_numbers(batch_, draws_ ? draws_->members.get() : nullptr, *numbers_);
  binders_.share_arrays(*numbers_);
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
    if (batch.drops || !batch.types || batch_.is_compact) launch.order = kNone;
    if (!batch.drops && !batch_.is_compact) continue;
    launch.offsets = kNone;
    for (AccessBinding& access : launch.accesses) access.list = kNone;
  }
}

void BatchRunner::bind(std::vector<LaunchArguments> arguments, std::vector<CUdeviceptr> buffers) {
  arguments_ = std::move(arguments);
  buffers_ = std::move(buffers);
}

bool BatchRunner::draws_members() const {
  const std::lock_guard lock(expects_);
  return maker_ && maker_->draws();
}

Result<void> BatchRunner::bind_batch(const Batch& batch, std::unique_ptr<BoundBatch>& to,
                                     bool on_host) {
  if (!on_host && is_made_on_device(batch)) {
    return PlanBatch::keep(batch_, byte_size(dtype_), {binders_.reach(), draws_.get()}, batch, to);
  }
  if (batch.draw) return Errors(ErrorCode::Usage, "batch", "its members are not drawn here");
  VECC_TRY(const PlanBatch* const bound,
           PlanBatch::bind(batch_, byte_size(dtype_), binders_, batch, to));
  const std::lock_guard lock(expects_);
  if (!layout_) expect_slots(*bound);
  return {};
}

// Not the first batch: where numbers lie is decided by that. Not one that may need more memory than
// a slot has: how much it needs is known when it is bound.
bool BatchRunner::is_made_on_device(const Batch& batch) const {
  const std::lock_guard lock(expects_);
  if (!maker_ || !check_batch(batch_, batch)) return false;
  if (batch.draw) {
    const auto samples = draws_ ? draws_->members->segments->program.sample_count() : 0;
    const auto is_there = [&](std::uint32_t sample) { return sample < samples; };
    return std::ranges::all_of(batch.draw->samples, is_there);
  }
  return holds_any_ || maker_->searches() || maker_->most_bytes(batch.weights) <= capacity_;
}

// As many as are one graph. Their weights take no more memory than an image may.
void BatchRunner::set_steps(std::uint64_t batches) {
  constexpr std::uint64_t kMostSteps = 16;
  const std::uint64_t weights =
      std::accumulate(weights_.begin(), weights_.end(), std::uint64_t{1}) * byte_size(dtype_);
  const std::uint64_t nodes = std::max<std::uint64_t>(nodes_.size(), 1);
  const std::uint64_t of_a_graph = device_->target().launches.graph_nodes / nodes;
  steps_ = count_steps_at_once(batches, std::min({of_a_graph, kept_bytes_ / weights, kMostSteps}));
}

// What a slot has for steps after its first.
std::uint64_t BatchRunner::more_bytes() const {
  return (steps_ - 1) * (layout_->fixed + usual_rest_);
}

// Of the image of any batch.
std::uint64_t BatchRunner::most_capacity() const {
  BatchRows any;
  any.reserve(batch_);
  std::uint64_t all_weights = 0;
  for (const std::uint64_t elements : weights_) all_weights += elements;
  return image_capacity(*layout_, any, all_weights);
}

// Bytes that are taken for the images of batches when this is the first. More than a batch may ever
// take is not kept; larger ones than four times the first get another piece of memory when they
// come.
std::uint64_t BatchRunner::capacity_for(const PlanBatch& batch) const {
  const std::uint64_t need = image_bytes(*layout_, batch.rows(), 2 * writes_of(batch.weights()));
  const std::uint64_t kept =
      layout_->fixed + std::max(kept_bytes_, kUsualMost * (need - layout_->fixed));
  return std::max(need, std::min(most_capacity(), kept));
}

void BatchRunner::expect_slots(const PlanBatch& batch) {
  std::vector<LaunchPart> parts(batch_.launches.size());
  find_parts(batch.rows(), parts);
  layout_ = make_batch_layout(bounds_, nodes_, scalars_.size(), cutter_, batch.rows(), parts);
  capacity_ = capacity_for(batch);
  expected_values_ = kUsualValues * batch.rows().value_count;
  holds_any_ = capacity_ >= most_capacity();
  const std::uint64_t need = image_bytes(*layout_, batch.rows(), 2 * writes_of(batch.weights()));
  usual_rest_ = std::min(capacity_, kUsualMost * need) - layout_->fixed;
  expected_slot_ = capacity_ + more_bytes();
  for (const std::uint64_t elements : weights_) {
    expected_slot_ += steps_ * elements * byte_size(dtype_);
  }
  if (has_own_values()) expected_slot_ += expected_values_ * byte_size(dtype_);
  if (make_batch_) expect_maker(batch);
}

void BatchRunner::expect_maker(const PlanBatch& batch) {
  maker_ = BatchMaker::make(device_, writer(), origin(), make_batch_);
  if (maker_ && !has_room(*device_, maker_->bytes())) maker_ = nullptr;
  if (!maker_) return;
  const std::uint64_t rows = writes_of(batch.weights());
  const std::uint64_t input =
      maker_->searches() ? search_input_bytes(scalars_.size(), weights_.size(), rows, rows, rows)
                         : input_bytes(2 * rows + scalars_.size(), rows);
  input_bytes_ = std::max(kAlwaysInput, kUsualMost * input);
  expected_slot_ += layout_->scalars + input_bytes_;
  if (maker_->draws()) expected_slot_ += maker_->drawn_bytes();
}

// The Bounds that all batches of a step of a slot begin with.
void BatchRunner::write_bounds(BatchSlot& slot) const {
  for (BatchSlot::Step& step : slot.steps()) {
    step.bounds.resize(layout_->scalars);
    for (std::size_t l = 0; l < arguments_.size(); ++l) {
      const std::vector<std::byte>& bytes = arguments_[l].bytes;
      std::memcpy(step.bounds.data() + layout_->bounds[l].first, bytes.data(), bytes.size());
    }
    const CUdeviceptr scalars = slot.address() + step.first + layout_->scalars;
    for (const OwnAddress& own : own_addresses_) {
      const CUdeviceptr address = own.is_scalar ? scalars + own.number * BatchLayout::kAlignment
                                                : step.weights[own.number].at(own.first);
      std::memcpy(step.bounds.data() + layout_->bounds[own.launch].data(own.access), &address,
                  sizeof address);
    }
  }
}

std::unique_ptr<BatchSlot> BatchRunner::make_slot(const PlanBatch& batch) {
  const std::uint64_t bytes = batch.has_rows() ? capacity_for(batch) : capacity_;
  SlotRequest request{*layout_, nodes_, fetches_, steps_};
  request.bytes = std::max(bytes, capacity_) + more_bytes();
  request.dtype = dtype_;
  request.weights = weights_;
  request.set_numbers = set_numbers_->function("vecc_set_numbers");
  auto slot = std::make_unique<BatchSlot>(device_, request);
  write_bounds(*slot);
  if (!maker_) return slot;
  if (!is_uploaded_) maker_->upload();
  is_uploaded_ = true;
  slot->add_maker(*maker_, input_bytes_);
  return slot;
}

// The one that the batch before does not run from, when it may be written.
BatchSlot& BatchRunner::free_slot(const PlanBatch& batch) {
  std::unique_ptr<BatchSlot>& slot = slots_[next_];
  next_ = 1 - next_;
  if (slot && batch.has_rows()) {
    // The host does not know which weights are not 0 of members that were drawn on the device.
    const bool draws = maker_ && maker_->draws();
    if (draws || rest_bytes(batch, slot->steps().front()) > slot->capacity() - slot->rest()) {
      device_->wait();
      slot = nullptr;
    }
  }
  if (!slot) slot = make_slot(batch);
  slot->wait();
  return *slot;
}

// Of a batch, at most, beside what has fixed places.
std::uint64_t BatchRunner::rest_bytes(const PlanBatch& batch, const BatchSlot::Step& step) const {
  const std::uint64_t writes = count_writes(batch.weights(), step);
  return image_bytes(*layout_, batch.rows(), writes) - layout_->fixed;
}

// Of a batch that is made on the device, and starts it. False: it has no room there.
bool BatchRunner::start_made(const PlanBatch& batch, std::span<const double> scalars,
                             BatchSlot& slot) const {
  return slot.start_made(maker_->searches() ? write_search(batch, scalars, slot)
                                            : write_sets(batch, scalars, slot));
}

// What the batch brings; returns its bytes.
std::uint64_t BatchRunner::write_sets(const PlanBatch& batch, std::span<const double> scalars,
                                      BatchSlot& slot) const {
  const std::uint64_t sets = writes_of(batch.weights());
  BatchSlot::Step& step = slot.steps().front();
  const std::uint64_t most = count_writes(batch.weights(), step) + scalars.size();
  std::byte* const input = slot.maker()->input(input_bytes(most, sets)).data();
  NumberWriter numbers(dtype_, input + sizeof(vecc_kernel::BatchInput));
  for (std::size_t s = 0; s < scalars.size(); ++s) {
    numbers.add(slot.address() + layout_->scalars + s * BatchLayout::kAlignment, scalars[s]);
  }
  numbers.add_weights(batch.weights(), step);
  const vecc_kernel::BatchInput head{numbers.count(), static_cast<std::uint32_t>(sets), 0};
  std::memcpy(input, &head, sizeof head);
  std::byte* at = numbers.end();
  for (std::size_t w = 0; w < batch.weights().size(); ++w) {
    for (const std::uint32_t row : batch.weights()[w].rows) {
      const std::uint32_t set = maker_->set_of(w, row);
      std::memcpy(at, &set, sizeof set);
      at += sizeof set;
    }
  }
  return static_cast<std::uint64_t>(at - input);
}

// The same of one that is searched.
std::uint64_t BatchRunner::write_search(const PlanBatch& batch, std::span<const double> scalars,
                                        BatchSlot& slot) const {
  BatchSlot::Step& step = slot.steps().front();
  std::vector<SetNumber> numbers;
  for (std::size_t s = 0; s < scalars.size(); ++s) {
    const std::uint64_t at = layout_->scalars + s * BatchLayout::kAlignment;
    numbers.push_back({slot.address() + at, scalars[s]});
  }
  const std::uint64_t rows = writes_of(batch.weights());
  const std::uint64_t before = count_writes(batch.weights(), step) - rows;
  const std::uint64_t samples = batch.draw() ? batch.draw()->samples.size() : 0;
  const std::span<std::byte> to = slot.maker()->input(
      search_input_bytes(numbers.size(), weights_.size(), rows, before, samples));
  if (!draws_) return write_search_input(numbers, batch.weights(), nullptr, dtype_, step, to);
  // One that brings its members draws none, but those that were drawn before are 0 again, too.
  const Batch::Draw none;
  const SearchDraw draw{batch.draw() ? *batch.draw() : none, slot.maker()->drawn(),
                        draws_->members->members};
  return write_search_input(numbers, batch.weights(), &draw, dtype_, step, to);
}

void BatchRunner::start(std::span<const Start> batches) {
  while (!batches.empty()) batches = batches.subspan(start_some(batches));
}

// The first ones. Returns how many.
std::size_t BatchRunner::start_some(std::span<const Start> batches) {
  const auto& [first, scalars] = batches.front();
  if (first->has_rows()) return start_bound(batches);
  if (start_made(*first, scalars, free_slot(*first))) return 1;
  slots_[1 - next_] = nullptr;
  std::unique_ptr<BoundBatch> bound;
  const auto on_host = PlanBatch::bind(batch_, byte_size(dtype_), binders_, first->whole(), bound);
  VECC_CHECK(on_host, "a batch that was checked before");
  {
    const std::lock_guard lock(expects_);
    capacity_ = std::max(capacity_, capacity_for(**on_host));
  }
  const Start again{*on_host, scalars};
  return start_bound(std::span(&again, 1));
}

// Those that are bound on the host, as many as one slot has room for.
std::size_t BatchRunner::start_bound(std::span<const Start> batches) {
  const PlanBatch& first = *batches.front().batch;
  BatchSlot& slot = free_slot(first);
  together_.clear();
  std::uint64_t bytes = slot.rest();
  for (const auto& [batch, scalars] :
       batches.first(std::min(batches.size(), std::size_t{steps_}))) {
    if (!batch->has_rows()) break;
    bytes += rest_bytes(*batch, slot.steps()[together_.size()]);
    if (bytes > slot.capacity()) break;
    together_.push_back({batch->rows(), batch->weights(), scalars});
  }
  DeviceBlock& values = has_own_values() ? slot.values() : values_;
  if (batch_.is_compact) make_room_for_values(values);
  last_image_ = write_batches(writer(values.at(0)), together_, parts_, slot);
  slot.start(last_image_.bytes, last_image_.writes, last_image_.write_count, together_.size());
  return together_.size();
}

// For the batches that are started together.
void BatchRunner::make_room_for_values(DeviceBlock& values) {
  std::uint64_t need = 0;
  for (const ImageBatch& batch : together_) need = std::max(need, batch.rows.value_count);
  if (need <= values.elements()) return;
  device_->wait();
  values = DeviceBlock();
  values = DeviceBlock(device_, dtype_, std::max(expected_values_, need + need / 4));
  device_->wait();  // it is cleared
}

std::uint64_t BatchRunner::bytes() const {
  const std::lock_guard lock(expects_);
  std::uint64_t bytes = nowhere_.bytes() + (maker_ ? maker_->bytes() : 0);
  if (!has_own_values()) {
    bytes += values_.elements() > 0 ? values_.bytes() : expected_values_ * byte_size(dtype_);
  }
  for (const auto& slot : slots_) bytes += slot ? slot->bytes() : expected_slot_;
  return bytes;
}

}  // namespace vecc::cuda
