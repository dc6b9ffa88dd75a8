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
        declare_array(fmt::format("{}{}", name, step.number), array_size(entries));
        line(fmt::format("{} {}{}{} = T({});", entry_loop(entries), name, step.number, place(),
                         multiplies ? 1 : 0));
      }
    }
  }
}

void BodyPrinter::print_reduce(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  if (node.combination == Combination::Count) return;
  if (is_selection(node)) return print_selection(number);
  const bool multiplies = node.combination == Combination::ElProduct;
  const char* op = multiplies ? "*=" : "+=";
  const std::string member =
      batched_ ? fmt::format("here ? {} : T({})", entry(node.operands[0]), multiplies ? 1 : 0)
               : entry(node.operands[0]);
  if (size(number) == 1) {
    line(fmt::format("v{} {} {};", number, op, member));
    return;
  }
  open_loop(size(number));
  loop_line(fmt::format("v{}{} {} {};", number, place(), op, member));
}

// The whole member with the largest (smallest) sum of entries, the first on ties. A first one that
// is no number stays, unless those are skipped.
void BodyPrinter::print_selection(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  const std::uint32_t member = node.operands[0];
  close_loop();
  const bool is_max = node.combination == Combination::Max;
  const std::uint64_t entries = size(member);
  if (entries == 1) {
    line(fmt::format("const T t{} = {};", number, entry(member)));
  } else if (lanes_ > 0 && is_distributed(member)) {
    // In order, as everywhere: what two rows sum to decides between them.
    declare_array(fmt::format("x{}", member), entries);
    line(fmt::format("all_entries<T, {0}, G>(v{1}, x{1});", entries, member));
    line(fmt::format("const T t{} = row_sum<T, {}>(x{});", number, entries, member));
  } else {
    line(fmt::format("const T t{} = row_sum<T, {}>({});", number, entries, pointer(member)));
  }
  if (lanes_ > 0) {
    line(fmt::format("if (replaces<T, {1}, {2}>(t{0}, {3}, b{0}, s{0}, first_of(r))) {{", number,
                     is_max, node.skips_nan, batched_ ? "here ? e : ~0u" : "e"));
  } else {
    line(fmt::format("if (s{0} == ~0u || t{0} {1} b{0}{2}) {{", number, is_max ? ">" : "<",
                     node.skips_nan ? fmt::format(" || b{0} != b{0}", number) : ""));
  }
  line(fmt::format("  s{0} = e; b{0} = t{0};", number));
  if (node.kind == Kind::Reduce) {
    if (entries == 1) {
      line(fmt::format("  v{} = {};", number, entry(member)));
    } else if (lanes_ > 0) {
      line(fmt::format("  {} v{}[j] = {};", entry_loop(entries), number, entry(member)));
    } else {
      line(fmt::format("  copy<T, {}>({}, v{});", entries, pointer(member), number));
    }
  }
  line("}");
}

void BodyPrinter::finish_reductions(const KernelPhase& phase) {
  for (const KernelStep& step : phase.steps) {
    if (step.store) continue;
    const KernelNode& node = kernel_.nodes[step.number];
    if (node.kind == Kind::Threshold) print_threshold(step.number);
    if (lanes_ > 0) join_slots(step.number);
    if (node.kind != Kind::Reduce) continue;
    if (node.combination == Combination::Count) {
      line(fmt::format("v{} = T(count_of(r));", step.number));
    } else if (node.combination == Combination::Avg) {
      line(fmt::format("const T n{} = count_of(r) ? T(1) / T(count_of(r)) : T(0);", step.number));
      line(node.shape.size() == 1 ? fmt::format("v{0} *= n{0};", step.number)
                                  : fmt::format("{1} v{0}{2} *= n{0};", step.number,
                                                entry_loop(node.shape.size()), place()));
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
