// SharedNumbers: a list of numbers that never changes, in 4 bytes each where that loses nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace vecc {

/// Whether it is a float, bit for bit once it is a double again: -0, infinities and most NaNs are.
[[nodiscard]] bool is_exact_float(double value);
[[nodiscard]] bool are_exact_floats(std::span<const double> values);

/// A row of a list: numbers from some place on.
class NumberRow {
 public:
  explicit NumberRow(const float* floats) : first_(floats), floats_(true) {}
  explicit NumberRow(const double* doubles) : first_(doubles), floats_(false) {}
  [[nodiscard]] double operator[](std::size_t i) const {
    return floats_ ? double{static_cast<const float*>(first_)[i]}
                   : static_cast<const double*>(first_)[i];
  }
  /// `body` of the first `count` numbers, a span of floats or of doubles.
  template <class Body>
  decltype(auto) visit(std::size_t count, Body&& body) const {
    return floats_ ? body(std::span(static_cast<const float*>(first_), count))
                   : body(std::span(static_cast<const double*>(first_), count));
  }
  [[nodiscard]] bool are_floats() const { return floats_; }
  [[nodiscard]] const void* data() const { return first_; }

 private:
  const void* first_;
  bool floats_;
};

/// Copies share the numbers. They are kept as floats where each of them is one exactly
/// (is_exact_float), else as doubles; what is read does not depend on that. Long lists are gone
/// through by the threads of a scope (ListThreads).
class SharedNumbers {
 public:
  /// No list; an empty one is another thing.
  SharedNumbers() = default;
  SharedNumbers(std::nullptr_t) {}
  /// Takes them. A long list becomes floats in its own memory, of which the other half then goes
  /// back to the system: no moment has 12 bytes a number.
  [[nodiscard]] static SharedNumbers of(std::vector<double> values);
  [[nodiscard]] static SharedNumbers of(std::vector<float> values);
  /// Copies them.
  [[nodiscard]] static SharedNumbers of(std::span<const double> values);
  [[nodiscard]] static SharedNumbers of(std::span<const float> values);
  [[nodiscard]] static SharedNumbers repeated(std::size_t count, double value);
  /// Numbers in memory that `owner` holds, and that does not change.
  [[nodiscard]] static SharedNumbers shared(const std::shared_ptr<const void>& owner,
                                            std::span<const float> values);
  [[nodiscard]] static SharedNumbers shared(const std::shared_ptr<const void>& owner,
                                            std::span<const double> values);

  /// Whether there is a list.
  explicit operator bool() const { return first_ != nullptr; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] double operator[](std::size_t i) const { return row(0)[i]; }
  /// The numbers from there on.
  [[nodiscard]] NumberRow row(std::size_t first) const {
    return floats_ ? NumberRow(static_cast<const float*>(first_.get()) + first)
                   : NumberRow(static_cast<const double*>(first_.get()) + first);
  }
  /// `body` of all numbers, a span of floats or of doubles.
  template <class Body>
  decltype(auto) visit(Body&& body) const {
    return row(0).visit(size_, std::forward<Body>(body));
  }
  /// As many as `to` has, from number `first` on.
  void copy_to(std::size_t first, std::span<float> to) const;
  void copy_to(std::size_t first, std::span<double> to) const;
  [[nodiscard]] std::vector<double> doubles() const;
  /// Numbers first .. first+count-1: of the same memory if they are most of it, else a copy, so
  /// that a few keep no long list. A part of a part is a copy.
  [[nodiscard]] SharedNumbers part(std::size_t first, std::size_t count) const;

  [[nodiscard]] bool are_floats() const { return floats_; }
  /// What they take in memory.
  [[nodiscard]] std::uint64_t bytes() const {
    return size_ * (floats_ ? sizeof(float) : sizeof(double));
  }
  /// Where they are: equal for copies.
  [[nodiscard]] const void* data() const { return first_.get(); }
  /// The same bits: 0 and -0 differ, a NaN is itself. No list is no empty list.
  [[nodiscard]] bool is_same(const SharedNumbers& other) const;
  /// As numbers compare; no list equals no list alone.
  [[nodiscard]] bool operator==(const SharedNumbers& other) const;

 private:
  template <class T>
  [[nodiscard]] static SharedNumbers share(const std::shared_ptr<const void>& owner,
                                           std::span<const T> values);

  std::shared_ptr<const void> first_;
  std::uint64_t size_ : 62 = 0;
  std::uint64_t floats_ : 1 = 0;
  std::uint64_t is_part_ : 1 = 0;
};

/// A list that grows: of floats up to the first number that is none.
class NumberColumn {
 public:
  void reserve(std::size_t count);
  void push_back(double value) { append(std::span(&value, 1)); }
  void append(std::span<const double> values);
  void append(std::span<const float> values);
  void append(const NumberRow& row, std::size_t count) {
    row.visit(count, [&](auto values) { append(values); });
  }
  void append(const SharedNumbers& values) { append(values.row(0), values.size()); }

  [[nodiscard]] std::size_t size() const { return floats_.size() + doubles_.size(); }
  [[nodiscard]] double operator[](std::size_t i) const { return row(0)[i]; }
  [[nodiscard]] NumberRow row(std::size_t first) const {
    return doubles_.empty() ? NumberRow(floats_.data() + first)
                            : NumberRow(doubles_.data() + first);
  }
  /// Gives back unused room where it is worth a copy.
  void trim();
  /// What is reserved.
  [[nodiscard]] std::uint64_t bytes() const {
    return floats_.capacity() * sizeof(float) + doubles_.capacity() * sizeof(double);
  }
  /// Empty then.
  [[nodiscard]] SharedNumbers take();

 private:
  void widen();

  std::vector<float> floats_;  // all, or none
  std::vector<double> doubles_;
  std::size_t reserved_ = 0;
};

}  // namespace vecc
