#include "backends/cuda/step_list.h"

#include <algorithm>
#include <cstring>

#include "src/kernel/schedule/schedule_kernel.h"

namespace vecc::cuda {
namespace {

using binding::RowLaunch;
using binding::RowLaunches;

constexpr std::uint64_t kPack = 16;  // bytes that a thread copies at once

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

  // Its address on the device; 0 of an empty one.
  std::uint64_t write(const std::vector<std::uint32_t>& numbers) {
    if (numbers.empty()) return 0;
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
  is_walk_ = walks(launches);
  add_steps(launches);
  first_step_ = bytes_;
  bytes_ += round_up(steps_.size() * sizeof(LaunchStep));
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
  for (std::uint32_t l = 0; l < launches.used; ++l) {
    bounds_.push_back(bytes_);
    bytes_ += bound_bytes(book_->kernels()[launches.launches[l].kernel].kernel);
  }
  collect_ = bytes_;
  bytes_ += round_up(sizeof(CollectedNumbers));
}

std::uint32_t StepList::rows_at_once(const RowLaunch& launch) const {
  const KernelSchedule& schedule = code_->kernel(launch.kernel).schedule;
  return rows_of_block(schedule, schedule.members.of_class.front().slots, launch.rows, *target_);
}

// One block has all turns of rows one after another, and no launch waits for another; launches have
// all blocks of a stage side by side.
bool StepList::walks(const RowLaunches& launches) const {
  const std::uint64_t packs = bytes_ / kPack;
  double walk = static_cast<double>(divide_up(packs, kCudaThreads)) * target_->loops.wait;
  double staged = 0;
  const double launch_cycles = target_->launches.launch * target_->megahertz;
  std::uint32_t at = 0;
  for (const std::uint32_t end : launches.stage_ends) {
    double longest = 0;
    std::uint64_t blocks = 0;
    for (; at < end; ++at) {
      const RowLaunch& launch = launches.launches[launches.order[at]];
      const StepKernelCode& code = code_->kernel(launch.kernel);
      if (code.unit != code_->kernel(launches.launches[launches.order[0]].kernel).unit) {
        return false;
      }
      const std::uint64_t turns =
          divide_up(launch.rows, rows_at_once(launch)) * code.schedule.parts;
      const double turn = 2 * target_->loops.wait + code.cycles;
      walk += static_cast<double>(turns) * turn;
      longest = std::max(longest, turn);
      blocks += turns;
    }
    const std::uint64_t at_once = std::max(1u, target_->blocks_at_once(kCudaThreads));
    staged += launch_cycles + static_cast<double>(divide_up(blocks, at_once)) * longest;
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
      planned.step.waits = waits && steps_.size() == before + 1 ? 1 : 0;
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
                     std::uint64_t weights, std::uint64_t outputs) const {
  std::memcpy(image, launches.values.data(), launches.elements * byte_size(book_->dtype()));
  std::uint64_t next = arrays_;
  for (std::uint32_t l = 0; l < launches.used; ++l) {
    next = write_launch(launches.launches[l], bounds_[l], next, image, device, weights);
  }
  const CollectedNumbers collected{device, device + next, outputs};
  for (const RowLaunches::Output& output : launches.outputs) {
    for (std::uint32_t i = 0; i < output.shape.size(); ++i) {
      const std::uint32_t number = output.first + i;
      std::memcpy(image + next, &number, sizeof number);
      next += sizeof number;
    }
  }
  std::memcpy(image + collect_, &collected, sizeof collected);
  std::byte* to = image + first_step_;
  for (const PlannedStep& planned : steps_) {
    LaunchStep step = planned.step;
    step.bound = device + (planned.launch == kNone ? collect_ : bounds_[planned.launch]);
    std::memcpy(to, &step, sizeof step);
    to += sizeof step;
  }
}

// Its arrays from byte `next` on, and its Bound at `bound`; the byte behind the arrays.
std::uint64_t StepList::write_launch(const RowLaunch& launch, std::uint64_t bound,
                                     std::uint64_t next, std::byte* image, std::uint64_t device,
                                     std::uint64_t weights) const {
  const auto& facts = book_->kernels()[launch.kernel];
  ArrayWriter arrays(image, device, next);
  const auto put = [&](const auto& value) {
    std::memcpy(image + bound, &value, sizeof value);
    bound += sizeof value;
  };
  const std::size_t accesses = facts.kernel.accesses.size();
  for (std::size_t a = 0; a < accesses; ++a) put(facts.weights[a] ? weights : device);
  std::uint64_t list = 0;
  for (std::size_t a = 0; a < accesses; ++a) {
    if (a <= facts.loads) list = arrays.write(launch.lists[a]);
    put(list);  // later accesses are of the same rows as the first store
  }
  for (std::uint32_t w = 0; w < facts.kernel.word_slots; ++w) {
    VECC_CHECK(w == 0, "row kernels have one list of words");
    put(arrays.write(launch.words));
  }
  put(arrays.write(launch.offsets));
  put(std::uint64_t{0});  // no order
  put(launch.rows);
  put(static_cast<std::uint32_t>(launch.members));
  return arrays.next();
}

}  // namespace vecc::cuda
