#include "src/emit/native/kernel_files.h"

#include <fmt/format.h>

#include <sstream>

#include "src/emit/native/runtime/digest.h"
#include "src/kernel/kernel_lists.h"

namespace vecc::emit {
namespace {

// The kernel as text, in comments.
std::string comment_of(const Kernel& kernel) {
  std::istringstream lines(text_of(kernel));
  std::string text;
  for (std::string line; std::getline(lines, line);) text += "// " + line + '\n';
  return text;
}

std::string table_text(const KernelSyntax& syntax, const std::vector<KernelUnit>& units,
                       const std::string& digest) {
  std::string declarations;
  std::string rows;
  for (std::size_t k = 0; k < units.size(); ++k) {
    std::string narrow = "nullptr";
    const auto add = [&](int bits) {
      declarations += fmt::format(fmt::runtime(syntax.declaration), k, bits) + '\n';
      return fmt::format(fmt::runtime(syntax.function), k, bits);
    };
    if (has_lists(*units[k].kernel)) narrow = add(16);
    rows += fmt::format("      {{{}, {}}},\n", narrow, add(32));
  }
  const std::string list =
      units.empty() ? "  return {};\n"
                    : "  static const KernelCode all[] = {\n" + rows + "  };\n  return all;\n";
  return "// All kernels by number.\n#include \"../runtime/kernels.h\"\n\nextern \"C\" {\n" +
         declarations +
         "}\n\nnamespace vecc::emitted {\n\nstd::span<const KernelCode> kernels() {\n" + list +
         "}\n\nstd::string_view kernel_digest() {\n  return \"" + digest +
         "\";\n}\n\n}  // namespace vecc::emitted\n";
}

}  // namespace

std::string kernel_name(std::size_t number) {
  return fmt::format("kernel_{}", number);
}

KernelFiles kernel_files(const KernelSyntax& syntax, const std::vector<KernelUnit>& units) {
  KernelFiles result;
  result.files.push_back({"prelude.h", "#pragma once\n" + syntax.prelude});
  std::string all = result.files.front().text;
  for (std::size_t k = 0; k < units.size(); ++k) {
    result.files.push_back(
        {kernel_name(k) + std::string(syntax.ending),
         comment_of(*units[k].kernel) + "#include \"prelude.h\"\n\n" + units[k].text});
    all += result.files.back().text;
  }
  result.digest = emitted::digest_text(all);
  result.files.push_back({"table.cc", table_text(syntax, units, result.digest)});
  return result;
}

}  // namespace vecc::emit
