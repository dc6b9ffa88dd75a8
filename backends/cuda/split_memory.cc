#include "backends/cuda/split_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace vecc::cuda {
namespace {

CUmemLocation place_of(const Device& device) {
  return {.type = kOnDevice, .id = device.number()};
}

// The node next to the GPU; none: the driver does not say.
std::optional<CUmemLocation> host_place_of(const Device& device) {
  int node = -1;
  const CUresult asked = device.driver().device_attribute(&node, kHostNode, device.number());
  if (asked != kSuccess || node < 0) return std::nullopt;
  return CUmemLocation{.type = kOnHostNode, .id = node};
}

CUmemAllocationProp memory_in(const CUmemLocation& place) {
  CUmemAllocationProp memory;
  memory.location = place;
  return memory;
}

// 0: no memory of that place is mapped.
std::uint64_t page_of(const Device& device, const CUmemLocation& place) {
  std::size_t page = 0;
  const CUmemAllocationProp memory = memory_in(place);
  return device.driver().map_granularity(&page, &memory, 0) == kSuccess ? page : 0;
}

}  // namespace

std::uint64_t SplitMemory::page_bytes(const Device& device) {
  int maps = 0;
  const auto host = host_place_of(device);
  const CUresult asked = device.driver().device_attribute(&maps, kMapsMemory, device.number());
  if (asked != kSuccess || maps == 0 || !host) return 0;
  const std::uint64_t own = page_of(device, place_of(device));
  const std::uint64_t hosts = page_of(device, *host);
  return own == 0 || hosts == 0 ? 0 : std::max(own, hosts);  // powers of two
}

SplitMemory::SplitMemory(std::shared_ptr<Device> device, std::uint64_t device_bytes,
                         std::uint64_t host_bytes)
    : device_(std::move(device)) {
  const std::uint64_t page = page_bytes(*device_);
  VECC_CHECK(page > 0 && device_bytes > 0 && device_bytes % page == 0 && host_bytes > 0,
             "memory that is not split at a page");
  on_device_.bytes = device_bytes;
  on_host_.bytes = (host_bytes + page - 1) / page * page;
  try {
    device_->check(
        device_->driver().addresses_reserve(&first_, on_device_.bytes + on_host_.bytes, page, 0, 0),
        "reserving addresses");
    on_device_.first = first_;
    on_host_.first = first_ + on_device_.bytes;
    map(on_device_, place_of(*device_));
    map(on_host_, *host_place_of(*device_));
    device_->count_split(static_cast<std::int64_t>(on_device_.bytes));
  } catch (const DeviceError&) {
    free();
    throw;
  }
}

SplitMemory::~SplitMemory() {
  device_->count_split(-static_cast<std::int64_t>(on_device_.bytes));
  free();
}

// The GPU reads and writes both parts; the host its own, too.
void SplitMemory::map(Part& part, const CUmemLocation& place) const {
  const bool is_hosts = place.type == kOnHostNode;
  const char* const what = is_hosts ? "pinned memory of the host" : "memory of the GPU";
  const Driver& driver = device_->driver();
  const CUmemAllocationProp memory = memory_in(place);
  device_->check(driver.mapped_create(&part.memory, part.bytes, &memory, 0), what);
  part.is_created = true;
  device_->check(driver.mapped_at(part.first, part.bytes, 0, part.memory, 0), what);
  part.is_mapped = true;
  std::array<CUmemAccessDesc, 2> access;
  access[0].location = place_of(*device_);
  access[1].location = place;
  device_->check(driver.mapped_access(part.first, part.bytes, access.data(), is_hosts ? 2 : 1),
                 what);
}

// At the end of the process the driver may be gone: what it says does not matter.
void SplitMemory::free() noexcept {
  const Driver& driver = device_->driver();
  if (on_device_.is_mapped) (void)driver.stream_synchronize(device_->stream());  // none waits
  free(on_device_);
  free(on_host_);
  if (first_ != 0) (void)driver.addresses_free(first_, on_device_.bytes + on_host_.bytes);
}

void SplitMemory::free(const Part& part) const noexcept {
  const Driver& driver = device_->driver();
  if (part.is_mapped) (void)driver.unmap(part.first, part.bytes);
  if (part.is_created) (void)driver.mapped_release(part.memory);
}

std::uint64_t SplitMemory::on_device(std::uint64_t first, std::uint64_t bytes) const {
  return std::min(bytes, on_device_.bytes - std::min(first, on_device_.bytes));
}

void SplitMemory::write(std::uint64_t first, const void* from, std::uint64_t bytes) const {
  const std::uint64_t there = on_device(first, bytes);
  if (there > 0) {
    device_->check(device_->driver().copy_to_device(first_ + first, from, there, device_->stream()),
                   "copying to the GPU");
  }
  if (there == bytes) return;
  device_->wait();
  std::memcpy(host_address(first + there), static_cast<const std::byte*>(from) + there,
              bytes - there);
}

void SplitMemory::read(std::uint64_t first, void* to, std::uint64_t bytes) const {
  const std::uint64_t there = on_device(first, bytes);
  if (there > 0) {
    device_->check(device_->driver().copy_to_host(to, first_ + first, there, device_->stream()),
                   "copying from the GPU");
  }
  device_->wait();
  std::memcpy(static_cast<std::byte*>(to) + there, host_address(first + there), bytes - there);
}

}  // namespace vecc::cuda
