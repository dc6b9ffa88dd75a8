#include "src/kernel/print_cpp.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/kernel/body_printer.h"

namespace vecc {
namespace {

bool has_types(const Kernel& kernel) {
  return std::ranges::any_of(kernel.accesses,
                             [](const KernelAccess& a) { return a.map == RowMap::Tile; });
}
bool has_order(const Kernel& kernel) {
  return kernel.ordered || has_types(kernel);
}

// Row number `at` of the order; of a kernel without types a launch may have none.
std::string row_text(const Kernel& kernel, const std::string& at) {
  if (has_types(kernel)) return "order[" + at + "]";
  return kernel.ordered ? fmt::format("(order ? order[{0}] : {0})", at) : at;
}

// The variables that the body reads.
std::string head_text(const Kernel& kernel) {
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

// begin_of(r), end_of(r) and count_of(r).
std::string segments_text(const Kernel& kernel) {
  const std::string members = kernel.members > 0 ? std::to_string(kernel.members) : "a->members";
  switch (kernel.segments) {
    case KernelSegments::None: return "";
    case KernelSegments::Ragged:
      return "  const unsigned* offsets = a->offsets;\n"
             "  const auto begin_of = [=](unsigned r) { return offsets[r]; };\n"
             "  const auto end_of = [=](unsigned r) { return offsets[r + 1]; };\n"
             "  const auto count_of = [=](unsigned r) { return offsets[r + 1] - offsets[r]; };\n";
    case KernelSegments::Fixed:
    case KernelSegments::Strided: break;
  }
  return fmt::format(
      "  const unsigned members = {};\n"
      "  const unsigned rows = a->rows;\n"
      "  const auto begin_of = [=](unsigned r) {{ return r * members; }};\n"
      "  const auto end_of = [=](unsigned r) {{ return (r + 1) * members; }};\n"
      "  const auto count_of = [=](unsigned) {{ return members; }};\n",
      members);
}

// Rows of scalars: the loop over rows is what runs on whole registers.
bool is_scalar_only(const Kernel& kernel) {
  return kernel.segments == KernelSegments::None && !kernel.reloads &&
         std::ranges::all_of(kernel.nodes, [](const KernelNode& n) { return n.shape.size() == 1; });
}

// A flat kernel's entries as rows of their own.
Kernel as_scalars(Kernel kernel) {
  for (KernelAccess& access : kernel.accesses) access.shape = Shape::scalar();
  for (KernelNode& node : kernel.nodes) {
    node.shape = Shape::scalar();
    if (node.transformation.id == Transformation::Reshape) {
      node.transformation.target = Shape::scalar();
    }
  }
  return kernel;
}

// The loop over rows.
std::string rows_text(const Kernel& kernel, bool by_order) {
  const std::uint64_t entries = kernel.accesses.empty() ? 1 : kernel.accesses[0].shape.size();
  if (entries > 1 && is_flat(kernel, entries)) {
    return fmt::format(
        "  VECC_NO_ALIAS\n  for (size_t r = size_t(begin) * {0}; r < size_t(end) * {0}; ++r) "
        "{{\n{1}"
        "  }}\n",
        entries, BodyPrinter(as_scalars(kernel)).print());
  }
  BodyPrinter body(kernel);
  if (body.is_blocked()) return body.print_blocked(row_text(kernel, "q + b"));
  if (by_order) {
    const std::string text = body.print();
    const std::string ordered =
        "  for (unsigned q = begin; q < end; ++q) {\n    const unsigned r = order[q];\n" + text +
        "  }\n";
    if (has_types(kernel)) return ordered;
    // A choice row by row would cost short rows a tenth.
    return "  if (order) {\n" + ordered +
           "  } else {\n  for (unsigned r = begin; r < end; ++r) {\n" + text + "  }\n  }\n";
  }
  return std::string(is_scalar_only(kernel) ? "  VECC_NO_ALIAS\n" : "") +
         "  for (unsigned r = begin; r < end; ++r) {\n" + body.print() + "  }\n";
}

}  // namespace

bool has_lists(const Kernel& kernel) {
  return has_order(kernel) || std::ranges::any_of(kernel.accesses, [](const KernelAccess& a) {
           return a.map == RowMap::List;
         });
}

std::string print_cpp(const Kernel& kernel, std::string_view name) {
  const bool by_order = has_order(kernel);
  std::string text = fmt::format(
      "namespace vecc_kernel {{\n"
      "template <class I>\n"
      "static void {}(const Arguments* a, unsigned begin, unsigned end, unsigned type) {{\n",
      name);
  text += fmt::format("  using T = {};\n", kernel.dtype == DType::F32 ? "float" : "double");
  text += head_text(kernel) + segments_text(kernel);
  if (by_order) text += "  const I* order = static_cast<const I*>(a->order);\n";
  text += rows_text(kernel, by_order) + "}\n}  // namespace vecc_kernel\n";
  for (const int bits : {16, 32}) {
    if (bits == 16 && !has_lists(kernel)) continue;
    text += fmt::format(
        "extern \"C\" __attribute__((visibility(\"default\"))) void {0}_{1}(const void* arguments, "
        "unsigned begin, unsigned end, unsigned type) {{\n"
        "  vecc_kernel::{0}<unsigned{2}>(static_cast<const vecc_kernel::Arguments*>(arguments), "
        "begin, end, type);\n}}\n",
        name, bits, bits == 16 ? " short" : "");
  }
  return text;
}

}  // namespace vecc
