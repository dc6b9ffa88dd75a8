// The bytes of a file of the code cache.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vecc::native {

/// What follows the library: the key's text, and a trailer of sizes and hash.
[[nodiscard]] std::string code_entry_end(std::string_view library, std::string_view key);

/// Of a whole entry its key; none of other bytes.
[[nodiscard]] std::optional<std::string_view> key_of_code_entry(std::string_view bytes);

}  // namespace vecc::native
