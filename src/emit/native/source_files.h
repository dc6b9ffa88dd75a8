// Files of an emitted program that are text.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vecc::emit {

/// Written for one program.
struct TextFile {
  std::string name;
  std::string text;
};

/// The same in all programs; of templates (`NAME.in`) `{{NAME}}` are to be filled in.
struct SourceFile {
  std::string_view name;
  std::string_view text;
};

/// The runtime that all languages share.
[[nodiscard]] std::span<const SourceFile> native_files();

}  // namespace vecc::emit
