#include "backends/cuda/device_block.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "backends/cuda/pinned_memory.h"
#include "src/support/list_threads.h"
#include "src/support/log.h"

namespace vecc::cuda {

namespace {

// Numbers that go to the GPU, or come from it, at once where they have to be converted: no second
// copy of a table.
constexpr std::size_t kPiece = std::size_t{1} << 22;

}  // namespace

DeviceMemory::DeviceMemory(std::shared_ptr<Device> device, std::uint64_t bytes, TablePlace place,
                           std::uint64_t hot_bytes)
    : device_(std::move(device)) {
  if (bytes == 0) return;
  if (hot_bytes > 0 && split(bytes, hot_bytes)) return;
  if (place == TablePlace::Host) {
    const auto pinned = std::make_shared<PinnedMemory>(
        device_, bytes,
        " for a table (--place=TABLE=device or a larger --gpu-memory needs less of it)");
    std::ranges::fill(pinned->bytes(), std::byte{});
    address_ = pinned->address();
    owner_ = pinned;
    return;
  }
  device_->check(device_->driver().memory_allocate(&address_, bytes), "allocating memory");
  owner_ =
      std::shared_ptr<const void>(nullptr, [device = device_, address = address_](const void*) {
        (void)device->driver().memory_free(address);  // at the end of the process it may be gone
      });
  device_->check(device_->driver().fill_bytes(address_, 0, bytes, device_->stream()),
                 "clearing memory");
}

bool DeviceMemory::split(std::uint64_t bytes, std::uint64_t hot_bytes) {
  try {
    const auto made = std::make_shared<const SplitMemory>(device_, hot_bytes, bytes - hot_bytes);
    address_ = made->address();
    split_ = made.get();
    owner_ = made;
  } catch (const DeviceError& error) {
    log_warning("rows that were to be on the device are in the host's memory: " +
                error.errors.text());
  }
  return split_ != nullptr;
}

void DeviceMemory::write(std::uint64_t first, const void* from, std::uint64_t bytes) const {
  if (bytes == 0) return;
  if (split_ != nullptr) return split_->write(first, from, bytes);
  device_->check(
      device_->driver().copy_to_device(address() + first, from, bytes, device_->stream()),
      "copying to the GPU");
}

void DeviceMemory::fill_words(unsigned word, std::uint64_t words) const {
  if (words == 0) return;
  device_->check(device_->driver().fill_words(address(), word, words, device_->stream()),
                 "setting memory");
}

void DeviceMemory::read(std::uint64_t first, void* to, std::uint64_t bytes) const {
  if (bytes == 0) return;
  if (split_ != nullptr) return split_->read(first, to, bytes);
  device_->check(device_->driver().copy_to_host(to, address() + first, bytes, device_->stream()),
                 "copying from the GPU");
  device_->wait();
}

DeviceBlock::DeviceBlock(std::shared_ptr<Device> device, DType dtype, std::uint64_t elements,
                         TablePlace place, std::uint64_t hot_bytes)
    : memory_(std::move(device), elements * byte_size(dtype), place, hot_bytes),
      dtype_(dtype),
      elements_(elements),
      place_(place) {}

template <class T>
void DeviceBlock::write_numbers(std::span<const T> values, std::uint64_t first) const {
  using Other = std::conditional_t<std::is_same_v<T, float>, double, float>;
  const std::uint64_t begin = first * byte_size(dtype_);
  if (byte_size(dtype_) == sizeof(T)) {
    return memory_.write(begin, values.data(), values.size_bytes());
  }
  std::vector<Other> converted;
  for (std::size_t i = 0; i < values.size(); i += kPiece) {
    const auto piece = values.subspan(i, std::min(kPiece, values.size() - i));
    converted.resize(piece.size());
    ListThreads::for_ranges(piece.size(), [&](std::size_t k, std::size_t end) {
      for (; k < end; ++k) converted[k] = static_cast<Other>(piece[k]);
    });
    memory_.write(begin + i * sizeof(Other), converted.data(), converted.size() * sizeof(Other));
  }
}
template void DeviceBlock::write_numbers(std::span<const float>, std::uint64_t) const;
template void DeviceBlock::write_numbers(std::span<const double>, std::uint64_t) const;

void DeviceBlock::fill(double value) const {
  if (dtype_ == DType::F32 && place_ == TablePlace::Device) {
    return memory_.fill_words(std::bit_cast<unsigned>(static_cast<float>(value)), elements_);
  }
  const std::vector<double> piece(std::min<std::uint64_t>(kPiece, elements_), value);
  for (std::uint64_t i = 0; i < elements_; i += kPiece) {
    write(std::span(piece).first(std::min<std::uint64_t>(kPiece, elements_ - i)), i);
  }
}

void DeviceBlock::read(std::uint64_t first, std::uint64_t count,
                       std::vector<double>& values) const {
  const std::size_t old = values.size();
  values.resize(old + count);
  copy(first, std::span(values).subspan(old));
}

template <class From, class To>
void DeviceBlock::convert(std::uint64_t first, std::span<To> to) const {
  std::vector<From> piece;
  for (std::size_t i = 0; i < to.size(); i += kPiece) {
    piece.resize(std::min(kPiece, to.size() - i));
    memory_.read((first + i) * sizeof(From), piece.data(), piece.size() * sizeof(From));
    ListThreads::for_ranges(piece.size(), [&](std::size_t k, std::size_t end) {
      for (; k < end; ++k) to[i + k] = static_cast<To>(piece[k]);
    });
  }
}

void DeviceBlock::copy(std::uint64_t first, std::span<float> to) const {
  if (dtype_ == DType::F64) return convert<double>(first, to);
  memory_.read(first * sizeof(float), to.data(), to.size_bytes());
}

void DeviceBlock::copy(std::uint64_t first, std::span<double> to) const {
  if (dtype_ == DType::F32) return convert<float>(first, to);
  memory_.read(first * sizeof(double), to.data(), to.size_bytes());
}

}  // namespace vecc::cuda
