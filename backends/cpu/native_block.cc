#include "backends/cpu/native_block.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace vecc::cpu {
namespace {

constexpr std::size_t kCacheLine = 64;
// Blocks from this size on are pages of their own, which the system gives as zeros when they are
// first written.
constexpr std::size_t kPaged = 1 << 20;

std::shared_ptr<std::byte> map_pages(std::size_t bytes) {
  void* const pages =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<std::byte*>(pages), [bytes](std::byte* p) { ::munmap(p, bytes); }};
}

// Calls body(pointer to the first element), as float or double.
template <class Body>
void with_type(DType dtype, std::byte* memory, Body&& body) {
  if (dtype == DType::F32) {
    body(reinterpret_cast<float*>(memory));
  } else {
    body(reinterpret_cast<double*>(memory));
  }
}

}  // namespace

std::uint64_t NativeBlock::taken_bytes(std::uint64_t bytes) {
  return (bytes + kCacheLine) / kCacheLine * kCacheLine;
}

NativeBlock::NativeBlock(DType dtype, std::uint64_t elements) : dtype_(dtype), elements_(elements) {
  const std::size_t bytes = taken_bytes(this->bytes());
  if (this->bytes() >= kPaged) {
    memory_ = map_pages(bytes);
    return;
  }
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(kCacheLine, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  memory_ = std::shared_ptr<std::byte>(memory, [](std::byte* p) { std::free(p); });
  std::memset(memory, 0, bytes);
}

void NativeBlock::write(std::span<const double> values, std::uint64_t first) const {
  with_type(dtype_, at(first), [&](auto* to) {
    for (const double value : values)
      *to++ = static_cast<std::remove_reference_t<decltype(*to)>>(value);
  });
}

void NativeBlock::write(std::span<const double> values, std::span<const std::uint32_t> rows) const {
  with_type(dtype_, at(0), [&](auto* to) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      to[rows[i]] = static_cast<std::remove_reference_t<decltype(*to)>>(values[i]);
    }
  });
}

void NativeBlock::clear(std::span<const std::uint32_t> rows) const {
  with_type(dtype_, at(0), [&](auto* to) {
    for (const std::uint32_t row : rows) to[row] = 0;
  });
}

void NativeBlock::give_back() const {
  if (bytes() >= kPaged) ::madvise(memory_.get(), bytes(), MADV_DONTNEED);
}

void NativeBlock::use_large_pages() const {
  if (bytes() >= kPaged) ::madvise(memory_.get(), bytes(), MADV_HUGEPAGE);
}

void NativeBlock::use_small_pages() const {
  if (bytes() >= kPaged) ::madvise(memory_.get(), bytes(), MADV_NOHUGEPAGE);
}

void NativeBlock::fill(double value) const {
  with_type(dtype_, at(0), [&](auto* to) {
    for (std::uint64_t i = 0; i < elements_; ++i) {
      to[i] = static_cast<std::remove_reference_t<decltype(*to)>>(value);
    }
  });
}

void NativeBlock::read(std::uint64_t first, std::uint64_t count,
                       std::vector<double>& values) const {
  if (values.empty()) values.reserve(count);  // one that grows leaves as much behind
  with_type(dtype_, at(first), [&](const auto* from) {
    for (std::uint64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(from[i]));
  });
}

void NativeBlock::copy(std::uint64_t first, std::span<float> to) const {
  with_type(dtype_, at(first), [&](const auto* from) {
    for (float& element : to) element = static_cast<float>(*from++);
  });
}

void NativeBlock::copy(std::uint64_t first, std::span<double> to) const {
  with_type(dtype_, at(first), [&](const auto* from) {
    for (double& element : to) element = static_cast<double>(*from++);
  });
}

}  // namespace vecc::cpu
