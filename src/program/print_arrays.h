// Text of arrays, long or short.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "vecc/program_text.h"

namespace vecc {

/// The shortest text that reads back as the same double; `nan` for every NaN.
[[nodiscard]] std::string double_text(double value);

/// What takes the long arrays of a text with LongArrays::SideFile, and says how the text names
/// them: `@128:1000`. An array lives as long as the Program that is printed.
class ArraySink {
 public:
  virtual ~ArraySink() = default;
  [[nodiscard]] virtual std::string add(std::span<const std::uint32_t> words) = 0;
  [[nodiscard]] virtual std::string add(const SharedNumbers& numbers) = 0;
};

/// Prints arrays as `options` say; long ones go to `*side` with LongArrays::SideFile.
class ArrayPrinter {
 public:
  ArrayPrinter(const PrintOptions& options, ArraySink* side);

  /// `[0, 4, 8]`, `[0, 3, 7, ... 1000 #9f2c41d8]`, `@128:1000`
  [[nodiscard]] std::string words(std::span<const std::uint32_t> values) const;
  /// The same in braces.
  [[nodiscard]] std::string numbers(const SharedNumbers& values) const;
  /// `[4:9]`, `[0:9:3]`, `[repeat 4 x 3]`, `[interleave 4 x 3]` or words().
  [[nodiscard]] std::string index(const Index& index) const;
  /// `[fixed 4 dim 2]` or words() of the offsets.
  [[nodiscard]] std::string segments(const Segments& segments) const;

 private:
  template <class Values>
  [[nodiscard]] std::string print(const Values& values, char open, char close) const;

  const PrintOptions& options_;
  ArraySink* side_;
};

}  // namespace vecc
