#include "vecc/shared_numbers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "src/support/list_room.h"
#include "src/support/list_threads.h"
#include "src/support/long_list.h"

namespace vecc {
namespace {

constexpr char kNothing[sizeof(double)] = {};  // where an empty list is

// From numbers of one type to as many of another.
template <class From, class To>
void convert(const From* from, To* to, std::size_t count) {
  ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
  });
}

// Doubles become floats at the beginning of their own memory. Numbers first .. 2 first - 1 are
// written where first / 2 .. first - 1 were, which are floats by then: they may be done in any
// order.
void narrow_in_place(double* values, std::size_t count) {
  constexpr std::size_t kFirst = 1 << 14;
  const auto narrow = [values](std::size_t begin, std::size_t end) {
    float block[1 << 10];
    for (std::size_t size = 0; begin < end; begin += size) {
      size = std::min(end - begin, std::size(block));
      for (std::size_t i = 0; i < size; ++i) block[i] = static_cast<float>(values[begin + i]);
      std::memcpy(reinterpret_cast<char*>(values) + begin * sizeof(float), block,
                  size * sizeof(float));
    }
  };
  narrow(0, std::min(kFirst, count));
  for (std::size_t first = kFirst; first < count; first *= 2) {
    ListThreads::for_ranges(
        std::min(first, count - first),
        [&](std::size_t begin, std::size_t end) { narrow(first + begin, first + end); });
  }
}

// Whole pages between two numbers of a list that is read no more.
void give_back_pages(const double* begin, const double* end) {
  static const std::uintptr_t page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
  const auto last = reinterpret_cast<std::uintptr_t>(end) / page * page;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

template <class T>
SharedNumbers owned(std::vector<T> values) {
  const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  return SharedNumbers::shared(owner, std::span<const T>(*owner));
}

template <class To, class From>
SharedNumbers copy_as(std::span<const From> values) {
  std::vector<To> copy = unset_list<To>(values.size());
  convert(values.data(), copy.data(), values.size());
  return owned(std::move(copy));
}

bool have_same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

bool is_exact_float(double value) {
  const bool fits = !std::isfinite(value) || std::abs(value) <= std::numeric_limits<float>::max();
  return fits && have_same_bits(static_cast<double>(static_cast<float>(value)), value);
}

bool are_exact_floats(std::span<const double> values) {
  return holds_for_all(values.size(), [&](std::size_t i) { return is_exact_float(values[i]); });
}

template <class T>
SharedNumbers SharedNumbers::share(const std::shared_ptr<const void>& owner,
                                   std::span<const T> values) {
  SharedNumbers result;
  const void* const first = values.empty() ? kNothing : static_cast<const void*>(values.data());
  result.first_ = std::shared_ptr<const void>(owner, first);
  result.size_ = values.size();
  result.floats_ = std::is_same_v<T, float> || values.empty();
  return result;
}

SharedNumbers SharedNumbers::shared(const std::shared_ptr<const void>& owner,
                                    std::span<const float> values) {
  return share(owner, values);
}

SharedNumbers SharedNumbers::shared(const std::shared_ptr<const void>& owner,
                                    std::span<const double> values) {
  return share(owner, values);
}

SharedNumbers SharedNumbers::of(std::vector<double> values) {
  if (!are_exact_floats(values)) return owned(std::move(values));
  constexpr std::size_t kLong = std::size_t{1} << 20;
  if (values.size() < kLong) return copy_as<float>(std::span<const double>(values));
  const auto owner = std::make_shared<std::vector<double>>(std::move(values));
  narrow_in_place(owner->data(), owner->size());
  give_back_pages(owner->data() + (owner->size() + 1) / 2, owner->data() + owner->size());
  const auto* const floats = reinterpret_cast<const float*>(owner->data());
  return shared(owner, std::span(floats, owner->size()));
}

SharedNumbers SharedNumbers::of(std::vector<float> values) {
  return owned(std::move(values));
}

SharedNumbers SharedNumbers::of(std::span<const double> values) {
  return are_exact_floats(values) ? copy_as<float>(values) : copy_as<double>(values);
}

SharedNumbers SharedNumbers::of(std::span<const float> values) {
  return copy_as<float>(values);
}

SharedNumbers SharedNumbers::repeated(std::size_t count, double value) {
  if (is_exact_float(value)) return owned(long_list(count, static_cast<float>(value)));
  return owned(long_list(count, value));
}

void SharedNumbers::copy_to(std::size_t first, std::span<float> to) const {
  row(first).visit(to.size(), [&](auto from) { convert(from.data(), to.data(), to.size()); });
}

void SharedNumbers::copy_to(std::size_t first, std::span<double> to) const {
  row(first).visit(to.size(), [&](auto from) { convert(from.data(), to.data(), to.size()); });
}

std::vector<double> SharedNumbers::doubles() const {
  std::vector<double> result = unset_list<double>(size_);
  copy_to(0, result);
  return result;
}

SharedNumbers SharedNumbers::part(std::size_t first, std::size_t count) const {
  if (count == size_) return *this;
  const NumberRow numbers = row(first);
  const bool is_copied = is_part_ || count < size_ / 2;
  SharedNumbers result = numbers.visit(count, [&](auto values) {
    if constexpr (std::is_same_v<decltype(values), std::span<const double>>) {
      if (are_exact_floats(values)) return of(values);
    }
    return is_copied ? of(values) : shared(first_, values);
  });
  if (result.data() != numbers.data()) return result;
  result.is_part_ = true;
  return result;
}

bool SharedNumbers::is_same(const SharedNumbers& other) const {
  if (!*this || !other) return !*this && !other;
  if (size_ != other.size_) return false;
  if (first_ == other.first_) return true;
  if (floats_ != other.floats_) {
    return holds_for_all(size_,
                         [&](std::size_t i) { return have_same_bits((*this)[i], other[i]); });
  }
  const std::size_t width = floats_ ? sizeof(float) : sizeof(double);
  const auto* const a = static_cast<const char*>(data());
  const auto* const b = static_cast<const char*>(other.data());
  return holds_for_ranges(size_, [&](std::size_t begin, std::size_t end) {
    return std::memcmp(a + begin * width, b + begin * width, (end - begin) * width) == 0;
  });
}

bool SharedNumbers::operator==(const SharedNumbers& other) const {
  if (!*this || !other) return !*this && !other;
  return size_ == other.size_ &&
         holds_for_all(size_, [&](std::size_t i) { return (*this)[i] == other[i]; });
}

// Of floats the first one makes room: a list of doubles has none for them.
void NumberColumn::reserve(std::size_t count) {
  reserved_ = count;
  if (!doubles_.empty()) doubles_.reserve(count);
}

void NumberColumn::append(std::span<const float> values) {
  if (doubles_.empty()) {
    if (reserved_ > floats_.capacity()) floats_.reserve(reserved_);
    make_room(floats_, values.size());
    floats_.insert(floats_.end(), values.begin(), values.end());
  } else {
    make_room(doubles_, values.size());
    doubles_.insert(doubles_.end(), values.begin(), values.end());
  }
}

void NumberColumn::append(std::span<const double> values) {
  if (doubles_.empty() && std::ranges::all_of(values, is_exact_float)) {
    if (reserved_ > floats_.capacity()) floats_.reserve(reserved_);
    make_room(floats_, values.size());
    for (const double value : values) floats_.push_back(static_cast<float>(value));
    return;
  }
  if (doubles_.empty()) widen();
  make_room(doubles_, values.size());
  doubles_.insert(doubles_.end(), values.begin(), values.end());
}

void NumberColumn::widen() {
  const std::vector<float> held(floats_.begin(), floats_.end());
  std::vector<float>().swap(floats_);  // its room goes back before doubles have theirs
  doubles_.reserve(std::max(reserved_, held.size()));
  doubles_.assign(held.begin(), held.end());
}

void NumberColumn::trim() {
  trim_list(floats_);
  trim_list(doubles_);
}

SharedNumbers NumberColumn::take() {
  trim();
  reserved_ = 0;
  return doubles_.empty() ? owned(std::exchange(floats_, {})) : owned(std::exchange(doubles_, {}));
}

}  // namespace vecc
