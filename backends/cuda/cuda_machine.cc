#include "backends/cuda/cuda_machine.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/kernel/kernel_lists.h"
#include "src/support/timed_stage.h"

namespace vecc::cuda {
namespace {

// A launch's arguments, as `Bound` of print_cuda() has them.
class ArgumentBytes {
 public:
  explicit ArgumentBytes(std::size_t size) { bytes_.reserve(size); }
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

// Each row goes to its place, some rows at a time: no second copy of a table.
void write_in_order(const DeviceBlock& to, const SharedNumbers& values, const HotRows& hot) {
  constexpr std::uint64_t kPieceElements = std::uint64_t{1} << 20;
  const std::uint64_t at_once = std::max<std::uint64_t>(1, kPieceElements / hot.row_elements);
  values.visit([&]<class T>(std::span<const T> numbers) {
    std::vector<T> piece;
    piece.reserve(at_once * hot.row_elements);
    for (std::uint64_t begin = 0; begin < hot.order->size(); begin += at_once) {
      piece.clear();
      for (std::uint64_t place = begin; place < std::min(begin + at_once, hot.of); ++place) {
        const auto row = numbers.subspan((*hot.order)[place] * hot.row_elements, hot.row_elements);
        piece.insert(piece.end(), row.begin(), row.end());
      }
      to.write(std::span<const T>(piece), begin * hot.row_elements);
    }
  });
}

}  // namespace

CudaMachine::CudaMachine(std::shared_ptr<Device> device, Plan plan,
                         const std::vector<PlacedTable>& places)
    : device_(std::move(device)), plan_(std::move(plan)), blocks_(plan_.buffers.size()) {
  for (const PlacedTable& table : places) {
    if (table.place == TablePlace::Host) on_host_.insert(table_of(plan_, table.buffer));
    if (table.hot) hot_.emplace(table.buffer, *table.hot);
  }
}

Result<std::unique_ptr<CudaMachine>> CudaMachine::make(std::shared_ptr<Device> device, Plan plan,
                                                       const std::vector<PlacedTable>& places,
                                                       std::uint64_t runs,
                                                       const DeviceCodeOptions& options,
                                                       DeviceCodeCounts* counts) {
  std::unique_ptr<CudaMachine> made(new CudaMachine(std::move(device), std::move(plan), places));
  VECC_TRY(made->graphs_, PlanGraphs::load(made->device_, made->plan_, runs, options, counts));
  made->allocate();
  return made;
}

std::unique_ptr<CudaMachine> CudaMachine::make_for_batches(std::shared_ptr<Device> device,
                                                           Plan plan,
                                                           const std::vector<PlacedTable>& places,
                                                           std::unique_ptr<BatchRunner> batches) {
  std::unique_ptr<CudaMachine> made(new CudaMachine(std::move(device), std::move(plan), places));
  made->batches_ = std::move(batches);
  made->allocate();
  return made;
}

DeviceBlock CudaMachine::make_block(const StoredRequest& asked) const {
  const auto kind =
      asked.kind == StoredKind::State ? PlanBuffer::Kind::State : PlanBuffer::Kind::Parameter;
  return {device_, plan_.dtype, asked.elements(), place_of({kind, asked.source})};
}

void CudaMachine::allocate() {
  const TimedStage stage("cuda: allocate, write constants");
  arena_ = DeviceBlock(device_, plan_.dtype, plan_.arena_elements);
  for (BufferIndex b = 0; b < plan_.buffers.size(); ++b) {
    PlanBuffer& buffer = plan_.buffers[b];
    if (buffer.kind == PlanBuffer::Kind::Arena) blocks_[b] = arena_;
    if (buffer.kind != PlanBuffer::Kind::Constant) continue;
    const auto hot = hot_.find(b);
    blocks_[b] = DeviceBlock(device_, plan_.dtype, buffer.elements, place_of(table_of(plan_, b)),
                             hot == hot_.end() ? 0 : hot->second.bytes);
    if (hot == hot_.end() || hot->second.order == nullptr) {
      blocks_[b].write(buffer.values);
    } else {
      write_in_order(blocks_[b], buffer.values, hot->second);
    }
    buffer.values = nullptr;
  }
  hot_.clear();
}

void CudaMachine::bind() {
  DeviceTables tables(plan_);
  std::vector<bool> narrow;
  for (const Launch& launch : plan_.launches) narrow.push_back(runs_narrow(launch, tables));
  if (batches_) batches_->forget_arrays(plan_);
  for (std::size_t l = 0; l < narrow.size(); ++l) add_tables(plan_.launches[l], narrow[l], tables);
  table_bytes_ = tables.bytes();
  tables_ = DeviceMemory(device_, table_bytes_);
  tables.upload(tables_);
  std::vector<LaunchArguments> arguments;
  arguments.reserve(plan_.launches.size());
  for (std::size_t l = 0; l < narrow.size(); ++l) {
    arguments.push_back(arguments_of(plan_.launches[l], narrow[l], tables));
    plan_.launches[l].accesses = std::vector<AccessBinding>();  // that nothing reads from here on
  }
  if (batches_) {
    batches_->bind(std::move(arguments), buffer_addresses());
  } else {
    graphs_->bind(std::move(arguments));
  }
  plan_.arrays.clear();
}

std::vector<CUdeviceptr> CudaMachine::buffer_addresses() const {
  std::vector<CUdeviceptr> addresses;
  for (BufferIndex b = 0; b < blocks_.size(); ++b) addresses.push_back(blocks_[b].at(first(b)));
  return addresses;
}

LaunchArguments CudaMachine::arguments_of(const Launch& launch, bool narrow,
                                          DeviceTables& tables) const {
  const auto table = [&](ArrayIndex array, bool of_16_bits) {
    return array == kNone ? 0 : tables_.address() + tables.add(array, of_16_bits);
  };
  const std::size_t addresses = 2 * launch.accesses.size() + launch.words.size() + 2;
  ArgumentBytes arguments(addresses * sizeof(CUdeviceptr) + 2 * sizeof(std::uint32_t));
  for (const AccessBinding& access : launch.accesses) {
    arguments.add(blocks_[access.buffer].at(first(access.buffer) + access.first));
  }
  for (const AccessBinding& access : launch.accesses) arguments.add(table(access.list, narrow));
  for (const ArrayIndex words : launch.words) arguments.add(table(words, false));
  arguments.add(table(launch.offsets, false));
  arguments.add(table(launch.order, narrow));
  arguments.add(launch.rows);
  arguments.add(launch.members);
  return {arguments.take(), narrow};
}

bool CudaMachine::runs_narrow(const Launch& launch, const DeviceTables& tables) const {
  return has_lists(plan_.kernels[launch.kernel]) && tables.is_narrow(launch);
}

void CudaMachine::add_tables(const Launch& launch, bool narrow, DeviceTables& tables) {
  for (const AccessBinding& access : launch.accesses) {
    if (access.list != kNone) tables.add(access.list, narrow);
  }
  for (const ArrayIndex words : launch.words) tables.add(words, false);
  if (launch.offsets != kNone) tables.add(launch.offsets, false);
  if (launch.order != kNone) tables.add(launch.order, narrow);
}

Result<void> CudaMachine::start(std::uint32_t stage) {
  device_->use();
  graphs_->start(stage);
  return {};
}

void CudaMachine::run_series(const SeriesPlaces& places, std::uint32_t runs,
                             std::span<const double> values, std::vector<double>& totals) {
  device_->use();
  if (series_ == nullptr || series_->places() != places) {
    series_ = std::make_unique<DeviceSeries>(device_, plan_.dtype, places);
  }
  series_->begin(runs, values);
  graphs_->start_series(*series_);
  series_->read_totals(totals);
}

Result<double> CudaMachine::run_measured(std::uint32_t stage) {
  device_->use();
  const EventPair events(device_);
  VECC_TRY_VOID(start(stage));
  return events.end();
}

Result<void> CudaMachine::run_timed(std::uint32_t stage, std::vector<double>& seconds) {
  device_->use();
  seconds.assign(plan_.launches.size(), 0);
  for (std::uint32_t l = 0; l < plan_.launches.size(); ++l) {
    if (plan_.launches[l].stage != stage) continue;
    const EventPair events(device_);
    graphs_->start_alone(l);
    seconds[l] = events.end();
  }
  return {};
}

std::uint64_t CudaMachine::bytes() const {
  std::uint64_t bytes = arena_.bytes() + table_bytes_;
  bytes += batches_ ? batches_->bytes() : graphs_->bytes();
  for (BufferIndex b = 0; b < blocks_.size(); ++b) {
    if (plan_.buffers[b].kind == PlanBuffer::Kind::Constant) bytes += blocks_[b].bytes();
  }
  return bytes;
}

}  // namespace vecc::cuda
