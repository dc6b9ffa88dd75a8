#include "backends/cuda/cuda_machine.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "backends/cuda/device_tables.h"
#include "backends/cuda/device_unit.h"
#include "src/kernel/print_cpp.h"
#include "src/plan/dependencies.h"
#include "src/support/quantity_text.h"

namespace vecc::cuda {
namespace {

constexpr std::uint32_t kStages = 2;

// A launch's arguments, as `Bound` of print_cuda() has them.
class ArgumentBytes {
 public:
  void add(CUdeviceptr address) { append(&address, sizeof address); }
  void add(std::uint32_t number) { append(&number, sizeof number); }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t size) {
    bytes_.resize(bytes_.size() + size);
    std::memcpy(bytes_.data() + bytes_.size() - size, from, size);
  }
  std::vector<std::byte> bytes_;
};

}  // namespace

Result<std::unique_ptr<CudaMachine>> CudaMachine::make(std::shared_ptr<Device> device, Plan plan,
                                                       const DeviceCodeOptions& options,
                                                       DeviceCodeCounts* counts) {
  std::unique_ptr<CudaMachine> made(new CudaMachine(std::move(device), std::move(plan)));
  VECC_TRY_VOID(made->check_memory());
  VECC_TRY_VOID(made->load_kernels(options, counts));
  made->allocate();
  return made;
}

Result<void> CudaMachine::load_kernels(const DeviceCodeOptions& options, DeviceCodeCounts* counts) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> numbers;  // by kernel and slots
  std::vector<std::string> texts;
  std::vector<std::size_t> unit_of;
  for (const Launch& launch : plan_.launches) {
    const Kernel& kernel = plan_.kernels[launch.kernel];
    slots_.push_back(choose_slots(plan_, launch, cuda_layout(kernel)));
    const auto [found, is_new] = numbers.try_emplace({launch.kernel, slots_.back()}, texts.size());
    if (is_new) {
      texts.push_back(unit_text(kernel, slots_.back()));
    }
    unit_of.push_back(found->second);
  }
  VECC_TRY(const std::vector<std::string> code,
           compile_device_code(texts, device_->capability(), options, counts));
  std::vector<std::shared_ptr<DeviceModule>> units;
  for (const std::string& image : code) {
    units.push_back(std::make_shared<DeviceModule>(device_, image));
  }
  for (const std::size_t unit : unit_of) units_.push_back(units[unit]);
  return {};
}

Result<void> CudaMachine::check_memory() const {
  const PlanStatistics need = statistics(plan_);
  const std::uint64_t all =
      need.arena_bytes + need.constant_bytes + need.parameter_bytes + need.index_bytes;
  const std::uint64_t free = device_->free_bytes();
  if (all <= free) return {};
  return Errors(ErrorCode::OutOfMemory, device_->name(),
                "needs " + text_of_bytes(all) + " (arena " + text_of_bytes(need.arena_bytes) +
                    ", constants " + text_of_bytes(need.constant_bytes) + ", parameters " +
                    text_of_bytes(need.parameter_bytes) + ", indices " +
                    text_of_bytes(need.index_bytes) + "), free are " + text_of_bytes(free) +
                    "; --emit=plan lists the buffers, a smaller --batch-size needs less, "
                    "--backend=cpu uses the host's memory");
}

void CudaMachine::allocate() {
  arena_ = DeviceBlock(device_, plan_.dtype, plan_.arena_elements);
  for (BufferIndex b = 0; b < plan_.buffers.size(); ++b) {
    PlanBuffer& buffer = plan_.buffers[b];
    if (buffer.kind == PlanBuffer::Kind::Arena) blocks_[b] = arena_;
    if (buffer.kind != PlanBuffer::Kind::Constant) continue;
    blocks_[b] = DeviceBlock(device_, plan_.dtype, buffer.elements);
    blocks_[b].write(*buffer.values);
    buffer.values = nullptr;
  }
}

void CudaMachine::bind() {
  DeviceTables tables(plan_);
  std::vector<std::uint64_t> block_tables;
  for (std::size_t l = 0; l < plan_.launches.size(); ++l) {
    const Launch& launch = plan_.launches[l];
    const CudaLayout layout = cuda_layout(plan_.kernels[launch.kernel]);
    const std::vector<BlockRows> blocks = cut_blocks(launch, layout, slots_[l]);
    launches_.emplace_back();
    launches_[l].block_count = static_cast<std::uint32_t>(blocks.size());
    block_tables.push_back(tables.add(blocks));
    add_tables(launch, tables);
  }
  table_bytes_ = tables.bytes();
  tables_ = DeviceMemory(device_, table_bytes_);
  tables.upload(tables_);
  for (std::size_t l = 0; l < plan_.launches.size(); ++l) {
    launches_[l].blocks = tables_.address() + block_tables[l];
    bind_launch(l, tables);
  }
  plan_.arrays.clear();
  graphs_.resize(kStages);
}

void CudaMachine::bind_launch(std::size_t l, DeviceTables& tables) {
  const Launch& launch = plan_.launches[l];
  const bool narrow = runs_narrow(launch, tables);
  const auto table = [&](ArrayIndex array, bool of_16_bits) {
    return array == kNone ? 0 : tables_.address() + tables.add(array, of_16_bits);
  };
  launches_[l].function = units_[l]->function(narrow ? "vecc_kernel_16" : "vecc_kernel_32");
  ArgumentBytes arguments;
  for (const AccessBinding& access : launch.accesses) {
    arguments.add(blocks_[access.buffer].at(first(access.buffer) + access.first));
  }
  for (const AccessBinding& access : launch.accesses) arguments.add(table(access.list, narrow));
  for (const ArrayIndex words : launch.words) arguments.add(table(words, false));
  arguments.add(table(launch.offsets, false));
  arguments.add(table(launch.order, narrow));
  arguments.add(launch.rows);
  arguments.add(launch.members);
  launches_[l].arguments = arguments.take();
}

bool CudaMachine::runs_narrow(const Launch& launch, const DeviceTables& tables) const {
  return has_lists(plan_.kernels[launch.kernel]) && tables.is_narrow(launch);
}

void CudaMachine::add_tables(const Launch& launch, DeviceTables& tables) const {
  const bool narrow = runs_narrow(launch, tables);
  for (const AccessBinding& access : launch.accesses) {
    if (access.list != kNone) tables.add(access.list, narrow);
  }
  for (const ArrayIndex words : launch.words) tables.add(words, false);
  if (launch.offsets != kNone) tables.add(launch.offsets, false);
  if (launch.order != kNone) tables.add(launch.order, narrow);
}

std::unique_ptr<LaunchGraph> CudaMachine::make_graph(std::uint32_t stage) const {
  std::size_t first = 0;
  while (first < launches_.size() && plan_.launches[first].stage < stage) ++first;
  std::size_t last = first;
  while (last < launches_.size() && plan_.launches[last].stage == stage) ++last;
  const auto all = launch_dependencies(plan_);
  std::vector<std::vector<std::uint32_t>> before(all.begin() + static_cast<std::ptrdiff_t>(first),
                                                 all.begin() + static_cast<std::ptrdiff_t>(last));
  for (auto& launches : before) {
    for (std::uint32_t& launch : launches) launch -= static_cast<std::uint32_t>(first);
  }
  return std::make_unique<LaunchGraph>(device_, std::span(launches_).subspan(first, last - first),
                                       before);
}

void CudaMachine::start(std::uint32_t stage) {
  device_->use();
  if (graphs_[stage] == nullptr) graphs_[stage] = make_graph(stage);
  graphs_[stage]->start();
}

void CudaMachine::run_timed(std::uint32_t stage, std::vector<double>& seconds) {
  device_->use();
  const Driver& driver = device_->driver();
  CUevent begin = nullptr;
  CUevent end = nullptr;
  device_->check(driver.event_create(&begin, 0), "making an event");
  device_->check(driver.event_create(&end, 0), "making an event");
  seconds.assign(launches_.size(), 0);
  for (std::size_t l = 0; l < launches_.size(); ++l) {
    if (plan_.launches[l].stage != stage) continue;
    device_->check(driver.event_record(begin, device_->stream()), "timing a kernel");
    start_launch(*device_, launches_[l]);
    device_->check(driver.event_record(end, device_->stream()), "timing a kernel");
    device_->check(driver.event_synchronize(end), "running a kernel");
    float milliseconds = 0;
    device_->check(driver.event_elapsed(&milliseconds, begin, end), "timing a kernel");
    seconds[l] = milliseconds * 1e-3;
  }
  (void)driver.event_destroy(begin);
  (void)driver.event_destroy(end);
}

std::uint64_t CudaMachine::bytes() const {
  std::uint64_t bytes = arena_.bytes() + table_bytes_;
  for (BufferIndex b = 0; b < blocks_.size(); ++b) {
    if (plan_.buffers[b].kind == PlanBuffer::Kind::Constant) bytes += blocks_[b].bytes();
  }
  return bytes;
}

}  // namespace vecc::cuda
