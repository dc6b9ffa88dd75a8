// Numbers for people, and numbers as data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vecc::tools {

/// `1,234,567`
[[nodiscard]] std::string text_of_count(std::uint64_t count);
/// `1 edge`, `1,234 edges`
[[nodiscard]] std::string text_of_count(std::uint64_t count, std::string_view noun);
/// `512 B`, `3.1 MB` (powers of 1024)
[[nodiscard]] std::string text_of_bytes(std::uint64_t bytes);
/// `1.234 s`, `12.3 ms`, `45.6 us`
[[nodiscard]] std::string text_of_seconds(double seconds);

/// The shortest text that reads back as the same number; `NaN`, `Infinity`, `-Infinity`. A value
/// that a single-precision program computed (`single`, and exactly a float) is written as the
/// shortest text of that float: 0.1, not 0.10000000149011612.
[[nodiscard]] std::string text_of_number(double value, bool single);

}  // namespace vecc::tools
