// The files of an emitted program's kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/emit/native/source_files.h"
#include "vecc/kernel.h"

namespace vecc::emit {

/// How kernels are written in a language.
struct KernelSyntax {
  std::string_view ending;  ///< of a kernel's file
  std::string prelude;
  /// What the table of all kernels says of one: patterns of its number and the bits of its lists.
  std::string_view declaration;
  std::string_view function;  ///< its KernelFunction (runtime/kernels.h)
};

/// Kernel number k of a program: a text that defines what the table names.
struct KernelUnit {
  const Kernel* kernel;
  std::string text;
};

struct KernelFiles {
  std::vector<TextFile> files;  ///< the prelude, one a kernel, the table of all
  std::string digest;           ///< of the kernels and the prelude
};

[[nodiscard]] KernelFiles kernel_files(const KernelSyntax& syntax,
                                       const std::vector<KernelUnit>& units);

/// `kernel_12`: what the text of kernel 12 is printed with.
[[nodiscard]] std::string kernel_name(std::size_t number);

}  // namespace vecc::emit
