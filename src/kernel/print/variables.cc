#include "src/kernel/print/variables.h"

#include <fmt/format.h>

#include "src/kernel/kernel_lists.h"

namespace vecc {
namespace {

std::string data_text(const Kernel& kernel) {
  std::string text;
  for (std::size_t a = 0; a < kernel.accesses.size(); ++a) {
    const KernelAccess& access = kernel.accesses[a];
    const char* constant = access.store ? "" : "const ";
    const char* alone = access.store && !kernel.reloads && !kernel.in_place ? " __restrict__" : "";
    text +=
        fmt::format("  {0}T*{1} d{2} = static_cast<{0}T*>(a->data[{2}]);\n", constant, alone, a);
    if (access.map == RowMap::List) {
      text += fmt::format("  const I* l{0} = static_cast<const I*>(a->lists[{0}]);\n", a);
    }
  }
  for (std::uint32_t w = 0; w < kernel.word_slots; ++w) {
    text += fmt::format("  const unsigned* w{0} = a->words[{0}];\n", w);
  }
  return text;
}

std::string segments_text(const Kernel& kernel) {
  const std::string members = kernel.members > 0 ? std::to_string(kernel.members) : "a->members";
  switch (kernel.segments) {
    case KernelSegments::None: return "";
    case KernelSegments::Ragged:
      return "  const unsigned* offsets = a->offsets;\n"
             "  const auto begin_of = [=](unsigned r) { return offsets[r]; };\n"
             "  const auto end_of = [=](unsigned r) { return offsets[r + 1]; };\n"
             "  const auto count_of = [=](unsigned r) { return offsets[r + 1] - offsets[r]; };\n"
             "  [[maybe_unused]] const auto first_of = begin_of;\n";
    case KernelSegments::Fixed:
    case KernelSegments::Strided: break;
  }
  return fmt::format(
      "  const unsigned members = {};\n"
      "  const unsigned rows = a->rows;\n"
      "  const auto begin_of = [=](unsigned r) {{ return r * members; }};\n"
      "  const auto end_of = [=](unsigned r) {{ return (r + 1) * members; }};\n"
      "  const auto count_of = [=](unsigned) {{ return members; }};\n"
      "  [[maybe_unused]] const auto first_of = [=](unsigned r) {{ return {}; }};\n",
      members, kernel.segments == KernelSegments::Strided ? "r" : "r * members");
}

}  // namespace

const char* type_text(DType dtype) {
  return dtype == DType::F32 ? "float" : "double";
}

std::string row_text(const Kernel& kernel, const std::string& at) {
  if (has_types(kernel)) return "order[" + at + "]";
  return kernel.ordered ? fmt::format("(order ? order[{0}] : {0})", at) : at;
}

std::string variables_text(const Kernel& kernel) {
  std::string text = fmt::format("  using T = {};\n", type_text(kernel.dtype));
  text += data_text(kernel) + segments_text(kernel);
  if (has_order(kernel)) text += "  const I* order = static_cast<const I*>(a->order);\n";
  return text;
}

}  // namespace vecc
