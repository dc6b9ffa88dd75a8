#include "src/emit/cuda/runtime/forward_pass.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "src/emit/cuda/runtime/block_table.h"
#include "src/emit/native/runtime/failure.h"
#include "src/emit/native/runtime/kernels.h"

namespace vecc::emitted {
namespace {

// Every buffer of weights begins at a multiple of this.
constexpr std::uint64_t kAlignment = 256;

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::string text_of_bytes(std::uint64_t bytes) {
  const char* const units[] = {"KB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1023.95; value /= 1024) ++unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, units[unit]);
  return text;
}

// A launch's arguments, as its kernel's `Bound` has them.
class ArgumentBytes {
 public:
  void add(const std::byte* address) { append(&address, sizeof address); }
  void add(std::uint64_t number) {
    const auto narrow = static_cast<unsigned>(number);
    append(&narrow, sizeof narrow);
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t size) {
    bytes_.resize(bytes_.size() + size);
    std::memcpy(bytes_.data() + bytes_.size() - size, from, size);
  }
  std::vector<std::byte> bytes_;
};

}  // namespace

ForwardPass::ForwardPass(const DataFile& data, const std::vector<std::vector<double>>& weights,
                         const MachineOptions& options)
    : data_(data),
      is_double_(data.is_double()),
      element_bytes_(is_double_ ? 8 : 4),
      device_(options.device) {
  const Need need = count_need();
  check_memory(need);
  allocate(need);
  bind_buffers(weights);
  bind_launches();
  graph_.emplace(device_, launches_);
}

ForwardPass::Need ForwardPass::count_need() const {
  const auto buffers = data_.rows<BufferRow>("buffers");
  Need need{
      arena_elements(buffers) * element_bytes_, data_.rows<std::byte>("constants").size(), 0,
      data_.rows<std::byte>("indices_16").size() + data_.rows<std::byte>("indices_32").size()};
  for (const BufferRow& row : buffers) {
    if (row.kind == BufferKind::Weight) need.weights += aligned(row.elements * element_bytes_);
  }
  return need;
}

void ForwardPass::check_memory(const Need& need) const {
  const std::uint64_t all = need.arena + need.constants + need.weights + need.indices;
  const std::uint64_t free = device_.free_bytes();
  if (all <= free) return;
  throw Failure(ExitCode::Device, device_.name(),
                "needs " + text_of_bytes(all) + " (arena " + text_of_bytes(need.arena) +
                    ", constants " + text_of_bytes(need.constants) + ", weights " +
                    text_of_bytes(need.weights) + ", indices " + text_of_bytes(need.indices) +
                    "), free are " + text_of_bytes(free));
}

void ForwardPass::allocate(const Need& need) {
  const auto upload = [&](std::optional<DeviceMemory>& memory, const char* tensor) {
    const auto bytes = data_.rows<std::byte>(tensor);
    memory.emplace(device_, bytes.size());
    memory->write(0, bytes.data(), bytes.size());
  };
  arena_.emplace(device_, need.arena);
  weights_.emplace(device_, need.weights);
  upload(constants_, "constants");
  upload(narrow_indices_, "indices_16");
  upload(wide_indices_, "indices_32");
}

void ForwardPass::bind_buffers(const std::vector<std::vector<double>>& weights) {
  std::uint64_t at = 0;  // of the weights
  std::vector<std::byte> elements;
  for (const BufferRow& row : data_.rows<BufferRow>("buffers")) {
    const std::uint64_t first = row.first * element_bytes_;
    switch (row.kind) {
      case BufferKind::Arena: buffers_.push_back(arena_->data() + first); break;
      case BufferKind::Constant: buffers_.push_back(constants_->data() + first); break;
      case BufferKind::Weight:
        buffers_.push_back(weights_->data() + at);
        elements.resize(row.elements * element_bytes_);
        write_values(weights[row.first], is_double_, elements.data());
        weights_->write(at, elements.data(), elements.size());
        at += aligned(elements.size());
        break;
    }
  }
}

const std::byte* ForwardPass::list(std::uint64_t place, bool is_wide) const {
  if (place == kNoPlace) return nullptr;
  return is_wide ? wide_indices_->data() + place * sizeof(std::uint32_t)
                 : narrow_indices_->data() + place * sizeof(std::uint16_t);
}

std::vector<std::byte> ForwardPass::bind_arguments(const LaunchTables& launch) const {
  ArgumentBytes arguments;
  for (const AccessRow& access : launch.accesses) {
    arguments.add(buffers_[access.buffer] + access.first * element_bytes_);
  }
  for (const AccessRow& access : launch.accesses) {
    arguments.add(list(access.list, launch.is_wide()));
  }
  for (const std::uint64_t place : launch.words) arguments.add(wide(place));
  arguments.add(wide(launch.row.offsets));
  arguments.add(list(launch.row.order, launch.is_wide()));
  arguments.add(launch.row.rows);
  arguments.add(launch.row.members);
  return arguments.take();
}

void ForwardPass::bind_launches() {
  const auto rows = data_.rows<BlockTableRow>("blocks");
  const auto indices = data_.rows<std::uint32_t>("indices_32");
  for (const LaunchTables& launch : launches_of(data_)) {
    const BlockTableRow& row = rows[launches_.size()];
    const KernelCode& code = kernels()[launch.row.kernel];
    BoundLaunch& bound = launches_.emplace_back();
    bound.function = launch.is_wide() ? code.wide : code.narrow;
    bound.arguments = bind_arguments(launch);
    bound.blocks = wide(row.blocks);
    bound.block_count = static_cast<std::uint32_t>(row.block_count);
    bound.before = indices.subspan(row.before, row.before_count);
  }
}

void ForwardPass::run() {
  copies_.clear();
  graph_->start();
  device_.wait();
}

const std::byte* ForwardPass::values(std::uint64_t buffer) {
  const auto [copy, is_new] = copies_.try_emplace(buffer);
  std::vector<std::byte>& bytes = copy->second;
  if (is_new) {
    bytes.resize(data_.rows<BufferRow>("buffers")[buffer].elements * element_bytes_);
    check(cudaMemcpyAsync(bytes.data(), buffers_[buffer], bytes.size(), cudaMemcpyDeviceToHost,
                          device_.stream()),
          "copying from the GPU");
    device_.wait();
  }
  return bytes.data();
}

}  // namespace vecc::emitted
