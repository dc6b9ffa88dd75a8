// Reductions over members: what stands before the loop, in it and after it.
#include <fmt/format.h>

#include "src/kernel/body_printer.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

bool is_selection(const KernelNode& node) {
  return node.kind == Kind::ReduceArg ||
         (node.kind == Kind::Reduce &&
          (node.combination == Combination::Max || node.combination == Combination::Min));
}

}  // namespace

void BodyPrinter::declare_reductions(const KernelPhase& phase) {
  for (const KernelStep& step : phase.steps) {
    if (step.store) continue;
    const KernelNode& node = kernel_.nodes[step.number];
    const std::uint64_t entries = node.shape.size();
    if (is_selection(node)) {
      line(fmt::format("unsigned s{} = ~0u;", step.number));
      line(fmt::format("T b{} = T(0);", step.number));
      if (node.kind == Kind::Reduce) declare(step.number);
    } else if (node.kind == Kind::Scan || node.kind == Kind::Reduce) {
      const char* name = node.kind == Kind::Scan ? "a" : "v";
      const bool multiplies = node.kind == Kind::Scan || node.combination == Combination::ElProduct;
      if (entries == 1) {
        line(fmt::format("T {}{} = T({});", name, step.number, multiplies ? 1 : 0));
      } else {
        line(fmt::format("T {}{}[{}];", name, step.number, entries));
        line(fmt::format("{} {}{}[i] = T({});", entry_loop(entries), name, step.number,
                         multiplies ? 1 : 0));
      }
    }
  }
}

void BodyPrinter::print_reduce(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  if (node.combination == Combination::Count) return;
  if (is_selection(node)) return print_selection(number);
  const char* op = node.combination == Combination::ElProduct ? "*=" : "+=";
  const std::string member = entry(node.operands[0]);
  if (size(number) == 1) {
    line(fmt::format("v{} {} {};", number, op, member));
    return;
  }
  open_loop(size(number));
  loop_line(fmt::format("v{}[i] {} {};", number, op, member));
}

// The whole member with the largest (smallest) sum of entries, the first on ties. A first one that
// is no number stays, unless those are skipped.
void BodyPrinter::print_selection(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  const std::uint32_t member = node.operands[0];
  close_loop();
  const std::string sum = size(member) == 1
                              ? entry(member)
                              : fmt::format("row_sum<T, {}>({})", size(member), pointer(member));
  line(fmt::format("const T t{} = {};", number, sum));
  line(fmt::format("if (s{0} == ~0u || t{0} {1} b{0}{2}) {{", number,
                   node.combination == Combination::Max ? ">" : "<",
                   node.skips_nan ? fmt::format(" || b{0} != b{0}", number) : ""));
  line(fmt::format("  s{0} = e; b{0} = t{0};", number));
  if (node.kind == Kind::Reduce) {
    line(size(member) == 1
             ? fmt::format("  v{} = {};", number, entry(member))
             : fmt::format("  copy<T, {}>({}, v{});", size(member), pointer(member), number));
  }
  line("}");
}

void BodyPrinter::finish_reductions(const KernelPhase& phase) {
  for (const KernelStep& step : phase.steps) {
    if (step.store) continue;
    const KernelNode& node = kernel_.nodes[step.number];
    if (node.kind == Kind::Threshold) print_threshold(step.number);
    if (node.kind != Kind::Reduce) continue;
    if (node.combination == Combination::Count) {
      line(fmt::format("v{} = T(count_of(r));", step.number));
    } else if (node.combination == Combination::Avg) {
      line(fmt::format("const T n{} = count_of(r) ? T(1) / T(count_of(r)) : T(0);", step.number));
      line(node.shape.size() == 1 ? fmt::format("v{0} *= n{0};", step.number)
                                  : fmt::format("for (int i = 0; i < {1}; ++i) v{0}[i] *= n{0};",
                                                step.number, node.shape.size()));
    }
  }
}

// Members are walked again and again, each time through their loads.
void BodyPrinter::print_threshold(std::uint32_t number) {
  const KernelNode& load = kernel_.nodes[kernel_.nodes[number].operands[0]];
  const std::string row = row_of(kernel_.accesses[load.access], load.access, "e");
  const char* member =
      kernel_.segments == KernelSegments::Strided ? "r + k * rows" : "begin_of(r) + k";
  line(fmt::format("const T v{} = sparsemax_threshold<T>(count_of(r), [&](unsigned k) {{", number));
  line(fmt::format("  const unsigned e = {};", member));
  line(fmt::format("  return d{}[{}];", load.access, row));
  line("});");
}

}  // namespace vecc
