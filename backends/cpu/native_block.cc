#include "backends/cpu/native_block.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "src/support/list_threads.h"
#include "src/support/long_list.h"

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

// Calls body(begin, end) for pieces of 0 .. count-1, by all threads of a scope (ListThreads): of a
// few large pages each, which two threads that touch one would both clear.
template <class Body>
void for_each_piece(std::uint64_t count, const Body& body) {
  constexpr std::uint64_t kPiece = 1 << 19;
  if (count <= kPiece) return body(std::uint64_t{0}, count);
  ListThreads::for_pieces((count - 1) / kPiece + 1, [&](std::size_t piece) {
    body(piece * kPiece, std::min(count, (piece + 1) * kPiece));
  });
}

// From numbers of one type to as many of another.
template <class From, class To>
void convert(const From* from, To* to, std::uint64_t count) {
  for_each_piece(count, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
  });
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
  with_type(dtype_, at(first), [&](auto* to) { convert(values.data(), to, values.size()); });
}

void NativeBlock::write(const SharedNumbers& values) const {
  with_type(dtype_, at(0), [&](auto* to) {
    values.visit([&](auto from) { convert(from.data(), to, from.size()); });
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
    const auto element = static_cast<std::remove_reference_t<decltype(*to)>>(value);
    for_each_piece(elements_, [&](std::uint64_t begin, std::uint64_t end) {
      std::fill(to + begin, to + end, element);
    });
  });
}

void NativeBlock::read(std::uint64_t first, std::uint64_t count,
                       std::vector<double>& values) const {
  with_type(dtype_, at(first), [&](const auto* from) {
    if (values.empty() && values.capacity() < count) {  // one that grows leaves as much behind
      values = unset_list<double>(count);
      return convert(from, values.data(), count);
    }
    for (std::uint64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(from[i]));
  });
}

void NativeBlock::copy(std::uint64_t first, std::span<float> to) const {
  with_type(dtype_, at(first), [&](const auto* from) { convert(from, to.data(), to.size()); });
}

void NativeBlock::copy(std::uint64_t first, std::span<double> to) const {
  with_type(dtype_, at(first), [&](const auto* from) { convert(from, to.data(), to.size()); });
}

}  // namespace vecc::cpu
