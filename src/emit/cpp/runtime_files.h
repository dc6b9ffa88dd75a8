// The parts of an emitted program that are the same in all of them.
#pragma once

#include <span>
#include <string_view>

namespace vecc::cpp {

struct RuntimeFile {
  std::string_view name;
  std::string_view text;
};

/// Sources of the runtime, and templates (`.in`), whose
/// `{{NAME}}` are to be filled in.
[[nodiscard]] std::span<const RuntimeFile> runtime_files();

}  // namespace vecc::cpp
