// The bytes of a file of the code cache.
#pragma once

#include <string>
#include <string_view>

namespace vecc::native {

/// What follows the library: the key's text, and a trailer of sizes and hash.
[[nodiscard]] std::string code_entry_end(std::string_view library, std::string_view key);

/// Whether `bytes` is a whole entry of that key.
[[nodiscard]] bool is_code_entry(std::string_view bytes, std::string_view key);

}  // namespace vecc::native
