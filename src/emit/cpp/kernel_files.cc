#include "src/emit/cpp/kernel_files.h"

#include <fmt/format.h>

#include <sstream>

#include "src/emit/cpp/runtime/digest.h"
#include "src/kernel/prelude.h"
#include "src/kernel/print_cpp.h"

namespace vecc::cpp {
namespace {

// The kernel as text, in comments.
std::string comment_of(const Kernel& kernel) {
  std::istringstream lines(text_of(kernel));
  std::string text;
  for (std::string line; std::getline(lines, line);) text += "// " + line + '\n';
  return text;
}

std::string table_text(const std::vector<Kernel>& kernels, const std::string& digest) {
  std::string declarations;
  std::string rows;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const bool narrow = has_lists(kernels[k]);
    const auto declare = [&](int bits) {
      declarations +=
          fmt::format("void kernel_{}_{}(const void*, unsigned, unsigned, unsigned);\n", k, bits);
    };
    if (narrow) declare(16);
    declare(32);
    rows += narrow ? fmt::format("    {{kernel_{0}_16, kernel_{0}_32}},\n", k)
                   : fmt::format("    {{nullptr, kernel_{}_32}},\n", k);
  }
  const std::string list = kernels.empty() ? "  return {};\n"
                                           : "  static constexpr KernelCode all[] = {\n" + rows +
                                                 "  };\n  return all;\n";
  return "// All kernels by number.\n#include \"../runtime/kernels.h\"\n\nextern \"C\" {\n" +
         declarations +
         "}\n\nnamespace vecc::emitted {\n\nstd::span<const KernelCode> kernels() {\n" + list +
         "}\n\nstd::string_view kernel_digest() {\n  return \"" + digest +
         "\";\n}\n\n}  // namespace vecc::emitted\n";
}

}  // namespace

KernelFiles kernel_files(const std::vector<Kernel>& kernels) {
  KernelFiles result;
  result.files.push_back({"prelude.h", "#pragma once\n" + std::string(kernel_prelude())});
  std::string all = result.files.front().text;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const std::string name = fmt::format("kernel_{}", k);
    result.files.push_back({name + ".cc", comment_of(kernels[k]) + "#include \"prelude.h\"\n\n" +
                                              print_cpp(kernels[k], name)});
    all += result.files.back().text;
  }
  result.digest = emitted::digest_text(all);
  result.files.push_back({"table.cc", table_text(kernels, result.digest)});
  return result;
}

}  // namespace vecc::cpp
