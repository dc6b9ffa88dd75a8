#include "backends/cuda/step_list.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "src/kernel/schedule/schedule_kernel.h"

namespace vecc::cuda {
namespace {

using binding::RowLaunch;
using binding::RowLaunches;

constexpr std::uint64_t kPack = 16;                          // bytes that a thread copies at once
constexpr std::uint64_t kCopied = 4 * kCudaThreads * kPack;  // that are in flight to a block
constexpr std::uint64_t kNoArray = ~std::uint64_t{0};

std::uint64_t round_up(std::uint64_t bytes) {
  return (bytes + kPack - 1) / kPack * kPack;
}

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

// Bytes of a launch's lists, offsets and words.
std::uint64_t array_bytes(const RowLaunch& launch, std::uint32_t lists) {
  std::uint64_t numbers = launch.offsets.size() + launch.words.size();
  for (std::uint32_t l = 0; l < lists; ++l) numbers += launch.lists[l].size();
  return numbers * sizeof(std::uint32_t);
}

// As `Bound` of print_cuda.h lies in memory.
std::uint64_t bound_bytes(const Kernel& kernel) {
  const std::uint64_t accesses = std::max<std::uint64_t>(kernel.accesses.size(), 1);
  return round_up((2 * accesses + kernel.word_slots + 2 + 1) * sizeof(std::uint64_t));
}

// Copies arrays one behind the other.
class ArrayWriter {
 public:
  ArrayWriter(std::byte* image, std::uint64_t device, std::uint64_t first)
      : image_(image), device_(device), next_(first) {}

  // Its address; kNoArray of an empty one.
  std::uint64_t write(const std::vector<std::uint32_t>& numbers) {
    if (numbers.empty()) return kNoArray;
    const std::uint64_t bytes = numbers.size() * sizeof(std::uint32_t);
    std::memcpy(image_ + next_, numbers.data(), bytes);
    next_ += bytes;
    return device_ + next_ - bytes;
  }
  [[nodiscard]] std::uint64_t next() const { return next_; }

 private:
  std::byte* image_;
  std::uint64_t device_;
  std::uint64_t next_;
};

}  // namespace

void StepList::plan(const RowLaunches& launches, const binding::RecipeBook& book,
                    const StepCode& code, const Target& target) {
  book_ = &book;
  code_ = &code;
  target_ = &target;
  output_numbers_ = 0;
  for (const RowLaunches::Output& output : launches.outputs) output_numbers_ += output.shape.size();
  place(launches);
  const std::uint64_t bytes = bytes_;
  is_walk_ = true;
  add_steps(launches);
  choose_memory(launches);
  if (!walks(launches)) {
    is_walk_ = false;
    bytes_ = bytes;
    add_steps(launches);
    choose_memory(launches);
  }
}

// A chain of reads is what a small graph takes: its block's own memory answers at once.
void StepList::choose_memory(const RowLaunches& launches) {
  first_step_ = bytes_;
  bytes_ += round_up(steps_.size() * sizeof(LaunchStep));
  first_place_ = bytes_;
  most_places_ = 2 + steps_.size() + bound_places_;
  const std::uint64_t bytes = bytes_ + round_up(most_places_ * sizeof(std::uint32_t));
  is_here_ = is_walk_ && !runs_.empty() && bytes <= kImageHere &&
             code_->unit(runs_.front().unit).here != nullptr;
  has_weights_ = false;
  if (!is_here_) return;
  bytes_ = bytes;
  // Weights that are copied by the loads of one turn are in the image: all steps read some.
  first_weight_ = bytes_;
  const std::uint64_t weights = round_up(launches.weights->size());
  has_weights_ = weights > 0 && weights <= kCopied && bytes_ + weights <= kImageHere;
  if (has_weights_) bytes_ += weights;
}

// Values, lists, what kernels are called with; steps stand behind.
void StepList::place(const RowLaunches& launches) {
  bytes_ = round_up(launches.elements * byte_size(book_->dtype()));
  arrays_ = bytes_;
  for (std::uint32_t l = 0; l < launches.used; ++l) {
    const RowLaunch& launch = launches.launches[l];
    bytes_ += array_bytes(launch, book_->kernels()[launch.kernel].loads + 1);
  }
  bytes_ = round_up(bytes_ + output_numbers_ * sizeof(std::uint32_t));
  bounds_.clear();
  bound_places_ = 0;
  for (std::uint32_t l = 0; l < launches.used; ++l) {
    const Kernel& kernel = book_->kernels()[launches.launches[l].kernel].kernel;
    bounds_.push_back(bytes_);
    bytes_ += bound_bytes(kernel);
    bound_places_ += 2 * kernel.accesses.size() + kernel.word_slots + 1;
  }
  collect_ = bytes_;
  bytes_ += round_up(sizeof(CollectedNumbers));
}

std::uint32_t StepList::rows_at_once(const RowLaunch& launch) const {
  const KernelSchedule& schedule = code_->kernel(launch.kernel).schedule;
  return rows_of_block(schedule, schedule.members.of_class.front().slots, launch.rows, *target_);
}

// One block has all turns of rows one after another, and no launch waits for another; launches have
// all blocks of a stage side by side. Outside of a block's memory a step reads itself, then what
// its kernel is called with, and each turn of it a list, then numbers.
bool StepList::walks(const RowLaunches& launches) const {
  const double wait = target_->loops.wait;
  const double launch_cycles = target_->launches.launch * target_->megahertz;
  const double begin = is_here_ ? 0 : 2 * wait;
  double walk = static_cast<double>(divide_up(bytes_, kCopied)) * 2 * wait;
  double staged = 2 * launch_cycles + launch_cycles + 4 * wait;  // the copy, and outputs
  std::uint32_t at = 0;
  for (const std::uint32_t end : launches.stage_ends) {
    double longest = 0;
    std::uint64_t blocks = 0;
    for (; at < end; ++at) {
      const RowLaunch& launch = launches.launches[launches.order[at]];
      const StepKernelCode& code = code_->kernel(launch.kernel);
      if (code.unit != runs_.front().unit) return false;
      const std::uint64_t turns =
          divide_up(launch.rows, rows_at_once(launch)) * code.schedule.parts;
      walk += begin + static_cast<double>(turns) * (begin + code.cycles);
      longest = std::max(longest, 2 * wait + code.cycles);
      blocks += turns;
    }
    const std::uint64_t at_once = std::max(1u, target_->blocks_at_once(kCudaThreads));
    staged += launch_cycles + 2 * wait + static_cast<double>(divide_up(blocks, at_once)) * longest;
  }
  return walk <= staged;
}

void StepList::add_steps(const RowLaunches& launches) {
  steps_.clear();
  runs_.clear();
  std::uint32_t at = 0;
  for (const std::uint32_t end : launches.stage_ends) {
    const std::uint32_t first = at;
    if (!is_walk_) {
      // Steps of a unit side by side: they are one launch.
      by_unit_.assign(launches.order.begin() + first, launches.order.begin() + end);
      std::ranges::stable_sort(by_unit_, {}, [&](std::uint32_t l) {
        return code_->kernel(launches.launches[l].kernel).unit;
      });
    }
    for (; at < end; ++at) {
      const std::uint32_t l = is_walk_ ? launches.order[at] : by_unit_[at - first];
      add_launch(l, launches.launches[l], at == first);
    }
  }
  add_collection(launches);
}

void StepList::add_launch(std::uint32_t number, const RowLaunch& launch, bool waits) {
  const StepKernelCode& code = code_->kernel(launch.kernel);
  const auto before = static_cast<std::uint32_t>(steps_.size());
  // Kernels that join warps have the same memory of the block.
  const bool shares = is_walk_ && code_->unit(code.unit).here == nullptr;
  // A block goes on from its rows to the next ones by itself, but where it has them in blocks.
  const std::uint32_t rows =
      is_walk_ && !code.schedule.product ? launch.rows : rows_at_once(launch);
  for (std::uint32_t begin = 0; begin < launch.rows; begin += std::min(rows, launch.rows - begin)) {
    for (std::uint32_t part = 0; part < code.schedule.parts; ++part) {
      PlannedStep& planned = steps_.emplace_back();
      planned.launch = number;
      planned.step.kernel = code.number;
      planned.step.begin = begin;
      planned.step.end = begin + std::min(rows, launch.rows - begin);
      planned.step.type = part;
      planned.step.waits = (waits && steps_.size() == before + 1) || shares ? 1 : 0;
    }
  }
  const auto added = static_cast<std::uint32_t>(steps_.size()) - before;
  if (waits || runs_.back().unit != code.unit) {
    runs_.push_back({code.unit, before, added});
  } else {
    runs_.back().steps += added;
  }
}

void StepList::add_collection(const RowLaunches& launches) {
  const std::uint32_t unit =
      launches.order.empty() ? 0 : code_->kernel(launches.launches[launches.order[0]].kernel).unit;
  constexpr std::uint64_t kNumbers = 4 * kCudaThreads;  // of a block
  const std::uint64_t rows = is_walk_ ? std::max<std::uint64_t>(output_numbers_, 1) : kNumbers;
  const auto before = static_cast<std::uint32_t>(steps_.size());
  for (std::uint64_t begin = 0; begin < output_numbers_; begin += rows) {
    PlannedStep& planned = steps_.emplace_back();
    planned.launch = kNone;
    planned.step.kernel = code_->unit(unit).kernels;
    planned.step.begin = static_cast<std::uint32_t>(begin);
    planned.step.end = static_cast<std::uint32_t>(std::min(begin + rows, output_numbers_));
    planned.step.waits = 1;
  }
  const auto added = static_cast<std::uint32_t>(steps_.size()) - before;
  if (added > 0) runs_.push_back({unit, before, added});
}

void StepList::write(const RowLaunches& launches, std::byte* image, std::uint64_t device,
                     std::uint64_t weights, std::uint64_t outputs) {
  places_.clear();
  if (is_here_) device = 0;
  std::memcpy(image, launches.values.data(), launches.elements * byte_size(book_->dtype()));
  if (has_weights_) {
    std::memcpy(image + first_weight_, launches.weights->data(), launches.weights->size());
  }
  std::uint64_t next = arrays_;
  for (std::uint32_t l = 0; l < launches.used; ++l) {
    next = write_launch(launches.launches[l], bounds_[l], next, image, device, weights);
  }
  write_outputs(launches, next, image, device, outputs);
  write_steps(image, device);
  VECC_CHECK(places_.size() <= most_places_, "more addresses than there is room for");
  if (is_here_) {
    std::memcpy(image + first_place_, places_.data(), places_.size() * sizeof(std::uint32_t));
  }
}

void StepList::put_address(std::byte* image, std::uint64_t place, std::uint64_t address) {
  std::memcpy(image + place, &address, sizeof address);
  if (is_here_) places_.push_back(static_cast<std::uint32_t>(place));
}

void StepList::write_outputs(const RowLaunches& launches, std::uint64_t next, std::byte* image,
                             std::uint64_t device, std::uint64_t outputs) {
  put_address(image, collect_ + offsetof(CollectedNumbers, from), device);
  put_address(image, collect_ + offsetof(CollectedNumbers, index), device + next);
  std::memcpy(image + collect_ + offsetof(CollectedNumbers, to), &outputs, sizeof outputs);
  for (const RowLaunches::Output& output : launches.outputs) {
    for (std::uint32_t i = 0; i < output.shape.size(); ++i) {
      const std::uint32_t number = output.first + i;
      std::memcpy(image + next, &number, sizeof number);
      next += sizeof number;
    }
  }
}

void StepList::write_steps(std::byte* image, std::uint64_t device) {
  std::uint64_t next = first_step_;
  for (const PlannedStep& planned : steps_) {
    std::memcpy(image + next, &planned.step, sizeof planned.step);
    put_address(image, next + offsetof(LaunchStep, bound),
                device + (planned.launch == kNone ? collect_ : bounds_[planned.launch]));
    next += sizeof planned.step;
  }
}

// Its arrays from byte `next` on, and its Bound at `bound`; the byte behind the arrays.
std::uint64_t StepList::write_launch(const RowLaunch& launch, std::uint64_t bound,
                                     std::uint64_t next, std::byte* image, std::uint64_t device,
                                     std::uint64_t weights) {
  const auto& facts = book_->kernels()[launch.kernel];
  ArrayWriter arrays(image, device, next);
  const auto put = [&](const auto& value) {
    std::memcpy(image + bound, &value, sizeof value);
    bound += sizeof value;
  };
  const auto put_array = [&](std::uint64_t address) {
    if (address == kNoArray) return put(std::uint64_t{0});
    put_address(image, bound, address);
    bound += sizeof address;
  };
  const std::size_t accesses = facts.kernel.accesses.size();
  for (std::size_t a = 0; a < accesses; ++a) {
    if (facts.weights[a]) {
      has_weights_ ? put_array(first_weight_) : put(weights);
    } else {
      put_array(device);
    }
  }
  std::uint64_t list = kNoArray;
  for (std::size_t a = 0; a < accesses; ++a) {
    if (a <= facts.loads) list = arrays.write(launch.lists[a]);
    put_array(list);  // later accesses are of the same rows as the first store
  }
  VECC_CHECK(facts.kernel.word_slots <= 1, "row kernels have one list of words");
  if (facts.kernel.word_slots == 1) put_array(arrays.write(launch.words));
  put_array(arrays.write(launch.offsets));
  put(std::uint64_t{0});  // no order
  put(launch.rows);
  put(static_cast<std::uint32_t>(launch.members));
  return arrays.next();
}

}  // namespace vecc::cuda
