// The files of an emitted program's kernels.
#pragma once

#include <string>
#include <vector>

#include "vecc/kernel.h"

namespace vecc::cpp {

struct TextFile {
  std::string name;
  std::string text;
};

struct KernelFiles {
  std::vector<TextFile> files;  ///< the prelude, one a kernel, the table of all
  std::string digest;           ///< of the kernels and the prelude
};

[[nodiscard]] KernelFiles kernel_files(const std::vector<Kernel>& kernels);

}  // namespace vecc::cpp
