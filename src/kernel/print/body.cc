#include "src/kernel/print/body.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/kernel/print/cuda_member_loops.h"
#include "src/kernel/print/expressions.h"
#include "src/kernel/print/fetch_rows.h"
#include "src/kernel/print/member_sums.h"
#include "src/kernel/print/row_functions.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

// Whether the lanes store it: the members of a slot are its own; of a row all slots have the same,
// and of a number all lanes.
std::string store_condition(const BodyText& out, const StepPlace& place, std::uint64_t entries) {
  if (!out.on_gpu()) return "";
  std::string text;
  if (entries == 1 && !place.by_lanes) text += " && lane == 0";
  if (place.space == KernelSpace::Row) text += " && slot == 0";
  if (place.batched) text += " && here";
  return text.empty() ? "" : "if (" + text.substr(4) + ") ";
}

void print_store(BodyText& out, const KernelStore& store, const StepPlace& place) {
  const NodeText& of = out.nodes();
  const std::string row = of.row_of(store.access, counter_of(place.space));
  const std::uint64_t entries = of.size(store.value);
  const std::string condition = store_condition(out, place, entries);
  const std::uint64_t stride = out.kernel().accesses[store.access].shape.size();
  const std::string from = store.first > 0 ? fmt::format(" + {}", store.first) : "";
  if (entries == 1) {
    if (stores_alias_loads(out.kernel()) && !place.by_lanes) out.sync(place.space);
    const std::string at = stride == 1 ? row : fmt::format("size_t({}) * {}{}", row, stride, from);
    out.line(fmt::format("{}d{}[{}] = {};", condition, store.access, at, of.entry(store.value)));
    return;
  }
  out.open_loop(entries);
  out.note_store(place.space);
  if (!of.moves_packs(store.access)) {
    return out.loop_line(fmt::format("{}d{}[size_t({}) * {}{} + i] = {};", condition, store.access,
                                     row, stride, from, of.entry(store.value)));
  }
  const std::string name = stored_entries_name(out.kernel(), store);
  out.declare_own(name, entries);
  out.loop_line(fmt::format("{}[j] = {};", name, of.entry(store.value)));
  out.after_loop(fmt::format("{}store_own<T, {}, G>({}, d{} + size_t({}) * {}{}, lane);", condition,
                             entries, name, store.access, row, stride, from));
}

void print_entrywise(BodyText& out, std::uint32_t number) {
  const NodeText& of = out.nodes();
  const KernelNode& node = of.node(number);
  const std::string value = entry_text(of, number);
  if (of.size(number) == 1) {
    out.line(fmt::format("const T v{} = {};", number, value));
    if (node.kind == Kind::Scan) {
      out.line(fmt::format("a{} *= {};", number, of.entry(node.operands[0])));
    }
    return;
  }
  out.open_loop(of.size(number));
  if (of.is_in_array(number)) {
    out.declare(number);
    out.loop_line(fmt::format("v{}{} = {};", number, of.place(), value));
  } else {
    out.loop_line(fmt::format("const T e{} = {};", number, value));
  }
  if (node.kind == Kind::Scan) {
    out.loop_line(fmt::format("a{}{} *= {};", number, of.place(), of.entry(node.operands[0])));
  }
}

bool is_early(const BodyText& out, std::uint32_t number) {
  return std::ranges::find(out.schedule().early_loads, number) != out.schedule().early_loads.end();
}

void print_node(BodyText& out, std::uint32_t number, const StepPlace& place) {
  const KernelNode& node = out.nodes().node(number);
  if (node.kind == Kind::Load) {
    if (!is_early(out, number)) print_load(out, number, place.space);
    return;
  }
  if (node.kind == Kind::Reduce || node.kind == Kind::ReduceArg) {
    return print_reduction(out, number, place);
  }
  if (node.kind == Kind::Threshold) return;  // behind the loop
  if (is_entrywise(out.kernel(), node)) return print_entrywise(out, number);
  out.close_loop();
  out.declare(number);
  out.on_gpu() ? print_whole_row(out, number, place.space)
               : print_row_function(out, out.nodes(), number, place.space);
}

// The loop over a row's members, one after the other; on a GPU each slot takes those of its number.
void print_members_loop(BodyText& out, const KernelPhase& phase, const StepPlace& place) {
  const bool on_gpu = out.on_gpu();
  const std::string first = on_gpu ? fmt::format(" + {}", first_member(place)) : "";
  const auto next = [&](const char* counter) {
    return on_gpu ? fmt::format("{} += {}", counter, slot_count(place))
                  : fmt::format("++{}", counter);
  };
  if (out.kernel().segments != KernelSegments::Strided) {
    out.open(
        phase.reversed
            ? "for (unsigned e = end_of(r); e-- > begin_of(r);) {"
            : fmt::format("for (unsigned e = begin_of(r){}, last = end_of(r); e < last; {}) {{",
                          first, next("e")));
  } else {
    out.open(phase.reversed
                 ? "for (unsigned k = members; k-- > 0;) {"
                 : fmt::format("for (unsigned k = 0{}; k < members; {}) {{", first, next("k")));
    out.line("const unsigned e = r + k * rows;");
  }
  for (const KernelStep& step : phase.steps) {
    if (!phase.reversed && is_load(out.kernel(), step)) print_member_fetch(out, step.number);
  }
  for (const KernelStep& step : phase.steps) print_step(out, step, place);
  out.close_loop();
  out.close();
}

void print_row_phase(BodyText& out, std::span<const KernelStep> steps) {
  for (const KernelStep& step : steps) print_step(out, step, {});
  out.close_loop();
  if (out.kernel().reloads) out.sync(KernelSpace::Row);
}

void print_members_phase(BodyText& out, const KernelPhase& phase, const PhaseSchedule& schedule) {
  const StepPlace place{KernelSpace::Member, schedule.by_lanes};
  declare_reductions(out, phase);
  if (schedule.loop == PhaseLoop::Batches) {
    print_batches(out, phase, place);
  } else if (schedule.loop != PhaseLoop::NoLoop) {
    print_members_loop(out, phase, place);
  }
  finish_reductions(out, phase, place);
  if (out.kernel().reloads) out.sync(KernelSpace::Row);
}

}  // namespace

void print_body(BodyText& out) {
  for (const std::uint32_t load : out.schedule().early_loads) {
    print_load(out, load, KernelSpace::Row);
  }
  for (std::size_t p = 0; p < out.kernel().phases.size(); ++p) {
    print_phase(out, p, out.kernel().phases[p].steps);
  }
}

void print_phase(BodyText& out, std::size_t number, std::span<const KernelStep> steps) {
  if (steps.empty()) return;
  const KernelPhase& phase = out.kernel().phases[number];
  if (phase.space == KernelSpace::Row) return print_row_phase(out, steps);
  const PhaseSchedule& schedule = out.schedule().phases[number];
  switch (schedule.loop) {
    case PhaseLoop::RowSum: return print_segment_sum(out, phase);
    case PhaseLoop::OuterProducts: return print_cpp_outer_products(out, phase, schedule);
    case PhaseLoop::WarpTiles:
    case PhaseLoop::BlockTiles:
    case PhaseLoop::TensorTiles: return print_cuda_outer_products(out, phase, schedule);
    case PhaseLoop::Steps:
    case PhaseLoop::Batches:
    case PhaseLoop::NoLoop: return print_members_phase(out, phase, schedule);
  }
}

void print_step(BodyText& out, const KernelStep& step, const StepPlace& place) {
  if (step.store) {
    print_store(out, out.kernel().stores[step.number], place);
  } else {
    print_node(out, step.number, place);
  }
}

void print_load(BodyText& out, std::uint32_t number, KernelSpace space) {
  const NodeText& of = out.nodes();
  const std::uint32_t access = of.node(number).access;
  const std::string counter = counter_of(space);
  if (of.size(number) == 1) {
    out.line(fmt::format("const T v{} = d{}[{}];", number, access, of.row_of(access, counter)));
  } else if (out.kernel().accesses[access].map == RowMap::One) {
    out.line(fmt::format("const T* v{} = d{};", number, access));
  } else {
    out.line(fmt::format("const T* v{} = {};", number,
                         of.row_pointer(access, counter, of.size(number))));
  }
  if (!of.moves_packs(access)) return;
  out.declare_own(fmt::format("h{}", number), of.size(number));
  out.line(fmt::format("load_own<T, {0}, G>(v{1}, h{1}, lane);", of.size(number), number));
}

}  // namespace vecc
