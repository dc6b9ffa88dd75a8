// Reductions over members: what stands before the loop, in it and after it.
#include <fmt/format.h>

#include <algorithm>

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
        line(fmt::format("T {}{}[{}];", name, step.number, array_size(entries)));
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
    line(fmt::format("T x{}[{}];", member, entries));
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

// Not where rows of several numbers are loaded and others stored: a store might change what others
// read, as far as the compiler knows.
bool BodyPrinter::may_batch(const KernelPhase& phase) const {
  if (lanes_ == 0 || phase.reversed) return false;
  const bool stores = std::ranges::any_of(phase.steps, &KernelStep::store);
  return std::ranges::none_of(phase.steps, [&](const KernelStep& step) {
    if (step.store) return false;
    const KernelNode& node = kernel_.nodes[step.number];
    return node.kind == Kind::Scan || node.kind == Kind::Threshold ||
           (stores && node.kind == Kind::Load && !node.shape.is_scalar());
  });
}

bool BodyPrinter::uses_batches() const {
  return std::ranges::any_of(kernel_.phases, [&](const KernelPhase& phase) {
    return phase.space == KernelSpace::Member && !phase.steps.empty() && may_batch(phase) &&
           !sums_outer_products(phase);
  });
}

// Of a GPU's slots each takes every member that it comes to, `Batch` at once: behind the last one
// that one again, of which nothing is kept. So no branch, and no store, stands between the loads of
// a batch.
void BodyPrinter::print_batches(const KernelPhase& phase) {
  const bool strided = kernel_.segments == KernelSegments::Strided;
  line("_Pragma(\"unroll 1\")");
  line(strided ? "for (unsigned at = slot, last = members; at < last; at += Batch * Slots) {"
               : "for (unsigned at = begin_of(r) + slot, last = end_of(r); at < last; "
                 "at += Batch * Slots) {");
  indent_ += "  ";
  const bool stores = std::ranges::any_of(phase.steps, &KernelStep::store);
  if (stores) {
    for (const KernelStep& step : phase.steps) {
      if (is_load(step)) line(fmt::format("T c{}[Batch];", step.number));
    }
    open_batch(strided);
    for (const KernelStep& step : phase.steps) {
      if (!is_load(step)) continue;
      const std::uint32_t access = kernel_.nodes[step.number].access;
      line(fmt::format("c{}[m] = d{}[{}];", step.number, access,
                       row_of(kernel_.accesses[access], access, "e")));
    }
    close_block();
  }
  open_batch(strided);
  batched_ = true;
  for (const KernelStep& step : phase.steps) {
    if (stores && is_load(step)) {
      line(fmt::format("const T v{0} = c{0}[m];", step.number));
    } else {
      print_step(step, phase.space);
    }
  }
  close_loop();
  batched_ = false;
  close_block();
  close_block();
}

void BodyPrinter::close_block() {
  indent_.resize(indent_.size() - 2);
  line("}");
}

bool BodyPrinter::is_load(const KernelStep& step) const {
  return !step.store && kernel_.nodes[step.number].kind == Kind::Load;
}

// The members of a batch, of which those that are not `here` count for nothing.
void BodyPrinter::open_batch(bool strided) {
  line("_Pragma(\"unroll\") for (unsigned m = 0; m < Batch; ++m) {");
  indent_ += "  ";
  line("[[maybe_unused]] const bool here = m == 0 || last - at > m * Slots;");
  line(fmt::format("const unsigned e = {};", strided
                                                 ? "r + (here ? at + m * Slots : last - 1) * rows"
                                                 : "here ? at + m * Slots : last - 1"));
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
