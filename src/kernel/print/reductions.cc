#include "src/kernel/print/reductions.h"

#include <fmt/format.h>

#include "src/kernel/schedule/entrywise.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

bool multiplies(const KernelNode& node) {
  return node.kind == Kind::Scan || node.combination == Combination::ElProduct;
}

// The sum of a member's entries, by which it is selected. In order, as everywhere: what two rows
// sum to decides between them.
void print_member_total(BodyText& out, std::uint32_t number) {
  const NodeText& of = out.nodes();
  const std::uint32_t member = of.node(number).operands[0];
  const std::uint64_t entries = of.size(member);
  if (entries == 1) {
    return out.line(fmt::format("const T t{} = {};", number, of.entry(member)));
  }
  std::string row = of.pointer(member);
  if (out.on_gpu() && of.is_shared_out(member)) {
    row = fmt::format("x{}_{}", member, number);  // others may select among the same members
    out.declare_array(row, entries);
    out.line(fmt::format("all_entries<T, {}, G>(v{}, {});", entries, member, row));
  }
  out.line(fmt::format("const T t{} = row_sum<T, {}>({});", number, entries, row));
}

// The whole member with the largest (smallest) sum of entries, the first on ties. A first one that
// is no number stays, unless those are skipped.
void print_selection(BodyText& out, std::uint32_t number, bool batched) {
  const NodeText& of = out.nodes();
  const KernelNode& node = of.node(number);
  const std::uint32_t member = node.operands[0];
  const bool is_max = selects_largest(node.combination);
  const std::uint64_t entries = of.size(member);
  out.close_loop();
  print_member_total(out, number);
  if (out.on_gpu()) {
    out.line(fmt::format("if (replaces<T, {1}, {2}>(t{0}, {3}, b{0}, s{0}, first_of(r))) {{",
                         number, is_max, node.skips_nan, batched ? "here ? e : ~0u" : "e"));
  } else {
    out.line(fmt::format("if (s{0} == ~0u || t{0} {1} b{0}{2}) {{", number, is_max ? ">" : "<",
                         node.skips_nan ? fmt::format(" || b{0} != b{0}", number) : ""));
  }
  out.line(fmt::format("  s{0} = e; b{0} = t{0};", number));
  if (node.kind == Kind::Reduce) {
    if (entries == 1) {
      out.line(fmt::format("  v{} = {};", number, of.entry(member)));
    } else if (out.on_gpu()) {
      out.line(fmt::format("  {} v{}[j] = {};", out.entry_loop(entries), number, of.entry(member)));
    } else {
      out.line(fmt::format("  copy<T, {}>({}, v{});", entries, of.pointer(member), number));
    }
  }
  out.line("}");
}

// The best so far of each entry: the value of a Reduce.
std::string best_name(const KernelNode& node, std::uint32_t number) {
  return fmt::format("{}{}", node.kind == Kind::Reduce ? "v" : "b", number);
}

// The same entry by entry. C++ goes through members in order, and needs their numbers for gradients
// only; on a GPU they say which of equal ones is the first.
void print_entry_selection(BodyText& out, std::uint32_t number, bool batched) {
  const NodeText& of = out.nodes();
  const KernelNode& node = of.node(number);
  const bool is_max = selects_largest(node.combination);
  const std::string x = of.entry(node.operands[0]);
  const std::string best = best_name(node, number) + of.place();
  const std::string selected = fmt::format("s{}{}", number, of.place());
  out.open_loop(of.size(number));
  if (out.on_gpu()) {
    return out.loop_line(fmt::format(
        "if (replaces<T, {}, {}>({}, {}, {}, {}, first_of(r))) {{ {} = e; {} = {}; }}", is_max,
        node.skips_nan, x, batched ? "here ? e : ~0u" : "e", best, selected, selected, best, x));
  }
  const std::string is_better =
      fmt::format("(e == first_of(r)) | ({0} {1} {2}){3}", x, is_max ? ">" : "<", best,
                  node.skips_nan ? fmt::format(" | ({0} != {0})", best) : "");
  if (node.kind == Kind::Reduce) {
    return out.loop_line(fmt::format("{0} = ({1}) ? {2} : {0};", best, is_better, x));
  }
  out.loop_line(fmt::format("{{ const bool c = {0}; {1} = c ? e : {1}; {2} = c ? {3} : {2}; }}",
                            is_better, selected, best, x));
}

// What the slots of a row reduced their members to.
void join_slots(BodyText& out, std::uint32_t number, bool by_lanes) {
  const NodeText& nodes = out.nodes();
  const KernelNode& node = nodes.node(number);
  const bool reduces = node.kind == Kind::Reduce;
  if ((!reduces && node.kind != Kind::ReduceArg) || node.combination == Combination::Count) return;
  const std::string of = by_lanes ? "1, Slots * G" : "G, Slots";
  if (is_entry_selection(node)) {
    return out.line(fmt::format("join_entry_selections<T, {}, {}, {}, {}>(s{}, {}, first_of(r));",
                                nodes.size(number), of, selects_largest(node.combination),
                                node.skips_nan, number, best_name(node, number)));
  }
  if (is_selection(node)) {
    return out.line(fmt::format(
        "join_selections<T, {0}, {5}, {1}, {2}>(s{3}, b{3}, {4}, first_of(r));",
        reduces ? nodes.size(number) : 0, selects_largest(node.combination), node.skips_nan, number,
        reduces ? nodes.pointer(number) : "static_cast<T*>(nullptr)", of));
  }
  const char* op = node.combination == Combination::ElProduct ? "*" : "+";
  out.line(fmt::format("join_slots<T, {}, {}>({}, [](T a, T b) {{ return a {} b; }});",
                       nodes.size(number), of, nodes.pointer(number), op));
}

// Members are walked again and again, each time through their loads.
void print_threshold(BodyText& out, std::uint32_t number) {
  const NodeText& of = out.nodes();
  const std::uint32_t access = of.node(of.node(number).operands[0]).access;
  const bool strided = out.kernel().segments == KernelSegments::Strided;
  out.line(
      fmt::format("const T v{} = sparsemax_threshold<T>(count_of(r), [&](unsigned k) {{", number));
  out.line(fmt::format("  const unsigned e = {};", strided ? "r + k * rows" : "begin_of(r) + k"));
  out.line(fmt::format("  return d{}[{}];", access, of.row_of(access, "e")));
  out.line("});");
}

// What a selection of no member is, as a batch may have it: of a piece what any other replaces, of
// a segment 0, for rows that the batch does not read may be added to it times 0.
std::string selected_of_none(const KernelNode& node) {
  if (!node.skips_nan) return "T(0)";
  return fmt::format("{}infinity<T>()", selects_largest(node.combination) ? "-" : "");
}

void declare_selection(BodyText& out, std::uint32_t number) {
  const NodeText& of = out.nodes();
  const KernelNode& node = of.node(number);
  out.line(fmt::format("unsigned s{} = ~0u;", number));
  out.line(fmt::format("T b{} = T(0);", number));
  if (node.kind != Kind::Reduce) return;
  const std::uint64_t entries = node.shape.size();
  const std::string none = selected_of_none(node);
  if (entries == 1) return out.line(fmt::format("T v{} = {};", number, none));
  out.declare(number);
  out.line(fmt::format("{} v{}{} = {};", out.entry_loop(entries), number, of.place(), none));
}

void declare_entry_selection(BodyText& out, std::uint32_t number) {
  const NodeText& of = out.nodes();
  const KernelNode& node = of.node(number);
  const std::uint64_t entries = node.shape.size();
  const std::string best = best_name(node, number);
  out.declare_own(best, entries);
  out.line(fmt::format("{} {}{} = {};", out.entry_loop(entries), best, of.place(),
                       selected_of_none(node)));
  if (node.kind == Kind::Reduce && !out.on_gpu()) return;
  out.declare_members(fmt::format("s{}", number), entries);
  out.line(fmt::format("{} s{}{} = ~0u;", out.entry_loop(entries), number, of.place()));
}

}  // namespace

void declare_reductions(BodyText& out, const KernelPhase& phase) {
  const NodeText& of = out.nodes();
  for (const KernelStep& step : phase.steps) {
    if (step.store) continue;
    const KernelNode& node = of.node(step.number);
    const std::uint64_t entries = node.shape.size();
    if (is_entry_selection(node)) {
      declare_entry_selection(out, step.number);
    } else if (is_selection(node)) {
      declare_selection(out, step.number);
    } else if (node.kind == Kind::Scan || node.kind == Kind::Reduce) {
      const std::string name =
          fmt::format("{}{}", node.kind == Kind::Scan ? "a" : "v", step.number);
      const int first = multiplies(node) ? 1 : 0;
      if (entries == 1) {
        out.line(fmt::format("T {} = T({});", name, first));
        continue;
      }
      out.declare_own(name, entries);
      out.line(fmt::format("{} {}{} = T({});", out.entry_loop(entries), name, of.place(), first));
    }
  }
}

void print_reduction(BodyText& out, std::uint32_t number, const StepPlace& place) {
  const NodeText& of = out.nodes();
  const KernelNode& node = of.node(number);
  if (node.combination == Combination::Count) return;
  if (is_entry_selection(node)) return print_entry_selection(out, number, place.batched);
  if (is_selection(node)) return print_selection(out, number, place.batched);
  std::string member = of.entry(node.operands[0]);
  if (place.batched) member = fmt::format("here ? {} : T({})", member, multiplies(node) ? 1 : 0);
  const char* op = multiplies(node) ? "*=" : "+=";
  if (of.size(number) == 1) return out.line(fmt::format("v{} {} {};", number, op, member));
  out.open_loop(of.size(number));
  out.loop_line(fmt::format("v{}{} {} {};", number, of.place(), op, member));
}

void finish_reductions(BodyText& out, const KernelPhase& phase, const StepPlace& place) {
  for (const KernelStep& step : phase.steps) {
    if (step.store) continue;
    const KernelNode& node = out.nodes().node(step.number);
    if (node.kind == Kind::Threshold) print_threshold(out, step.number);
    if (out.on_gpu()) join_slots(out, step.number, place.by_lanes);
    if (node.kind != Kind::Reduce) continue;
    if (node.combination == Combination::Count) {
      out.line(fmt::format("v{} = T(count_of(r));", step.number));
    } else if (node.combination == Combination::Avg) {
      const std::uint64_t entries = node.shape.size();
      out.line(
          fmt::format("const T n{} = count_of(r) ? T(1) / T(count_of(r)) : T(0);", step.number));
      out.line(entries == 1 ? fmt::format("v{0} *= n{0};", step.number)
                            : fmt::format("{1} v{0}{2} *= n{0};", step.number,
                                          out.entry_loop(entries), out.nodes().place()));
    }
  }
}

}  // namespace vecc
