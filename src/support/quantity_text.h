// Numbers for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vecc {

/// `1,234,567`
[[nodiscard]] std::string text_of_count(std::uint64_t count);
/// `1 edge`, `1,234 edges`
[[nodiscard]] std::string text_of_count(std::uint64_t count, std::string_view noun);
/// `512 B`, `3.1 MB` (powers of 1024)
[[nodiscard]] std::string text_of_bytes(std::uint64_t bytes);
/// `1.234 s`, `12.3 ms`, `45.6 us`
[[nodiscard]] std::string text_of_seconds(double seconds);

}  // namespace vecc
