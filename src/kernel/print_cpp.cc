#include "src/kernel/print_cpp.h"

#include <fmt/format.h>

#include "src/kernel/kernel_lists.h"
#include "src/kernel/print/body.h"
#include "src/kernel/print/fetch_rows.h"
#include "src/kernel/print/row_products.h"
#include "src/kernel/print/variables.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc {
namespace {

// Before what a row of a loop does.
std::string cpp_fetch_text(const Kernel& kernel, const KernelSchedule& schedule, bool order) {
  BodyText fetches(kernel, schedule, "    ");
  print_fetches(fetches, order ? "q" : "r", order ? "order[ahead]" : "ahead");
  return fetches.take();
}

// Before the loop.
std::string cpp_far_text(const Kernel& kernel, const KernelSchedule& schedule, bool order) {
  BodyText far(kernel, schedule, "  ");
  print_far(far, order ? "0" : kMembersEnd);
  return far.take();
}

std::string cpp_body_text(const Kernel& kernel, const KernelSchedule& schedule) {
  BodyText body(kernel, schedule, "    ");
  print_body(body);
  return body.take();
}

// The loop over rows, each printed row by row.
std::string cpp_loop_text(const Kernel& kernel, const KernelSchedule& schedule,
                          const CppVariants& variants) {
  const std::string row = cpp_body_text(kernel, schedule);
  const std::string direct = cpp_far_text(kernel, schedule, false) +
                             "  for (unsigned r = begin; r < end; ++r) {\n" +
                             cpp_fetch_text(kernel, schedule, false) + row + "  }\n";
  if (!has_order(kernel))
    return (schedule.rows_are_a_vector_loop ? "  VECC_NO_ALIAS\n" : "") + direct;
  const std::string ordered =
      cpp_far_text(kernel, schedule, true) + "  for (unsigned q = begin; q < end; ++q) {\n" +
      cpp_fetch_text(kernel, schedule, true) + "    const unsigned r = order[q];\n" + row + "  }\n";
  if (has_types(kernel) || !variants.direct) return ordered;
  if (!variants.ordered) return direct;
  // A choice row by row would cost short rows a tenth.
  return "  if (order) {\n" + ordered + "  } else {\n" + direct + "  }\n";
}

std::string cpp_rows_text(const Kernel& kernel, const KernelSchedule& schedule,
                          const CppVariants& variants) {
  if (schedule.loop == RowLoop::Numbers) {
    return fmt::format(
        "  VECC_NO_ALIAS\n"
        "  for (size_t r = size_t(begin) * {0}; r < size_t(end) * {0}; ++r) {{\n{1}  }}\n",
        schedule.entries, cpp_body_text(as_scalars(kernel), schedule));
  }
  if (schedule.loop == RowLoop::Rows) return cpp_loop_text(kernel, schedule, variants);
  BodyText body(kernel, schedule, "  ");
  print_cpp_row_products(body, row_text(kernel, "q + b"));
  return body.take();
}

}  // namespace

std::string print_cpp(const Kernel& kernel, const KernelSchedule& schedule, std::string_view name,
                      const CppVariants& variants) {
  std::string text = fmt::format(
      "namespace vecc_kernel {{\n"
      "template <class I>\n"
      "static void {}(const Arguments* a, unsigned begin, unsigned end, unsigned type) {{\n",
      name);
  text += variables_text(kernel);
  if (schedule.scratch_bytes > 0) text += "  T* const scratch = static_cast<T*>(a->scratch);\n";
  text += cpp_rows_text(kernel, schedule, variants) + "}\n}  // namespace vecc_kernel\n";
  for (const int bits : {16, 32}) {
    if (bits == 16 ? !has_lists(kernel) || !variants.narrow : has_lists(kernel) && !variants.wide) {
      continue;
    }
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
