// Index arrays of a Program: which row of an operand each row of a result reads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace vecc {

/// Rows are numbered by 32 bits: no value of a Program has more, no index names one beyond.
inline constexpr std::uint64_t kMaxRows = 0xFFFFFFFFull;

/// An immutable list of 32-bit row numbers. Regular forms are kept as such, so that a backend can
/// use a view or a broadcast instead of reading an array:
///   Slice       begin, begin+1, ...                    text `[4:9]`
///   Stride      begin, begin+step, ...                 text `[0:9:3]` (end exclusive)
///   Repeat      0..period-1, again and again           text `[repeat 4 x 3]`
///   Interleave  0 r times, then 1 r times, ...         text `[interleave 4 x 3]` (4 rows, 3 each)
///   List        explicit                               text `[4, 0, 2]`
/// Copies share the array.
class Index {
 public:
  enum class Form : std::uint8_t { Slice, Stride, Repeat, Interleave, List };

  static Index slice(std::uint32_t begin, std::uint32_t count);
  static Index stride(std::uint32_t begin, std::uint32_t step, std::uint32_t count);
  static Index repeat(std::uint32_t period, std::uint32_t times);
  static Index interleave(std::uint32_t rows, std::uint32_t times);
  /// Keeps the list as it is.
  static Index list(std::vector<std::uint32_t> rows);
  /// The same, shared.
  static Index shared_list(std::shared_ptr<const std::vector<std::uint32_t>> rows);
  /// A Slice or Stride where the list is one, else the list.
  static Index compact(std::vector<std::uint32_t> rows);

  [[nodiscard]] Form form() const { return form_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t operator[](std::uint32_t i) const {
    switch (form_) {
      case Form::Slice: return begin_ + i;
      case Form::Stride: return begin_ + i * step_;
      case Form::Repeat: return i % step_;
      case Form::Interleave: return i / step_;
      case Form::List: return (*list_)[i];
    }
    return 0;
  }
  /// Largest row + 1; 0 if empty.
  [[nodiscard]] std::uint32_t bound() const;
  /// Slice, Stride: first row.
  [[nodiscard]] std::uint32_t begin() const { return form_ == Form::List ? 0 : begin_; }
  /// Stride: the step. Repeat: the period. Interleave: how often each row occurs.
  [[nodiscard]] std::uint32_t step() const { return step_; }
  /// The array of a List (empty for the other forms).
  [[nodiscard]] std::span<const std::uint32_t> array() const {
    return list_ ? std::span<const std::uint32_t>(*list_) : std::span<const std::uint32_t>();
  }
  /// The array of a List, to be kept; null for the other forms.
  [[nodiscard]] const std::shared_ptr<const std::vector<std::uint32_t>>& shared_array() const {
    return list_;
  }
  /// Every form written out.
  [[nodiscard]] std::vector<std::uint32_t> materialize() const;
  /// Row by row, whatever the form.
  [[nodiscard]] bool operator==(const Index& other) const;
  /// Bytes of the array; 0 for regular forms.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  // In 32 bytes: a Program has one a level of a recursion.
  Form form_ = Form::Slice;
  std::uint32_t begin_ = 0;  // List: its bound
  std::uint32_t step_ = 1;
  std::uint32_t size_ = 0;
  std::shared_ptr<const std::vector<std::uint32_t>> list_;
};

}  // namespace vecc
