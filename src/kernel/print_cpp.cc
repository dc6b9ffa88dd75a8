#include "src/kernel/print_cpp.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/kernel/body_printer.h"
#include "src/kernel/kernel_loops.h"

namespace vecc {
namespace {

// Rows of scalars: the loop over rows is what runs on whole registers.
bool is_scalar_only(const Kernel& kernel) {
  return kernel.segments == KernelSegments::None && !kernel.reloads &&
         std::ranges::all_of(kernel.nodes, [](const KernelNode& n) { return n.shape.size() == 1; });
}

struct RowsText {
  std::string text;
  std::uint64_t scratch_bytes = 0;
};

// The loop over rows, each printed row by row.
std::string loop_text(const Kernel& kernel, bool by_order, const std::string& row) {
  if (!by_order) {
    return std::string(is_scalar_only(kernel) ? "  VECC_NO_ALIAS\n" : "") +
           "  for (unsigned r = begin; r < end; ++r) {\n" + row + "  }\n";
  }
  const std::string ordered =
      "  for (unsigned q = begin; q < end; ++q) {\n    const unsigned r = order[q];\n" + row +
      "  }\n";
  if (has_types(kernel)) return ordered;
  // A choice row by row would cost short rows a tenth.
  return "  if (order) {\n" + ordered + "  } else {\n  for (unsigned r = begin; r < end; ++r) {\n" +
         row + "  }\n  }\n";
}

RowsText rows_text(const Kernel& kernel, bool by_order) {
  const std::uint64_t entries = kernel.accesses.empty() ? 1 : kernel.accesses[0].shape.size();
  if (entries > 1 && is_flat(kernel, entries)) {
    return {fmt::format(
        "  VECC_NO_ALIAS\n  for (size_t r = size_t(begin) * {0}; r < size_t(end) * {0}; ++r) "
        "{{\n{1}"
        "  }}\n",
        entries, BodyPrinter(as_scalars(kernel)).print())};
  }
  BodyPrinter body(kernel);
  std::string text = body.is_blocked() ? body.print_blocked(row_text(kernel, "q + b"))
                                       : loop_text(kernel, by_order, body.print());
  return {std::move(text), body.scratch_bytes()};
}

}  // namespace

CppKernel print_cpp(const Kernel& kernel, std::string_view name) {
  const bool by_order = has_order(kernel);
  std::string text = fmt::format(
      "namespace vecc_kernel {{\n"
      "template <class I>\n"
      "static void {}(const Arguments* a, unsigned begin, unsigned end, unsigned type) {{\n",
      name);
  text += fmt::format("  using T = {};\n", kernel.dtype == DType::F32 ? "float" : "double");
  text += head_text(kernel) + segments_text(kernel);
  if (by_order) text += "  const I* order = static_cast<const I*>(a->order);\n";
  const RowsText rows = rows_text(kernel, by_order);
  if (rows.scratch_bytes > 0) text += "  T* const scratch = static_cast<T*>(a->scratch);\n";
  text += rows.text + "}\n}  // namespace vecc_kernel\n";
  for (const int bits : {16, 32}) {
    if (bits == 16 && !has_lists(kernel)) continue;
    text += fmt::format(
        "extern \"C\" __attribute__((visibility(\"default\"))) void {0}_{1}(const void* arguments, "
        "unsigned begin, unsigned end, unsigned type) {{\n"
        "  vecc_kernel::{0}<unsigned{2}>(static_cast<const vecc_kernel::Arguments*>(arguments), "
        "begin, end, type);\n}}\n",
        name, bits, bits == 16 ? " short" : "");
  }
  return {std::move(text), rows.scratch_bytes};
}

}  // namespace vecc
