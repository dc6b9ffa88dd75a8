#include "src/kernel/print/cuda_member_loops.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/kernel/print/body.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc {
namespace {

constexpr const char* kBatchLoop = "_Pragma(\"unroll\") for (unsigned m = 0; m < Batch; ++m) {";

// The members of a batch, of which those that are not `here` count for nothing.
void open_batch(BodyText& out, const StepPlace& place) {
  out.open(kBatchLoop);
  out.line(fmt::format("[[maybe_unused]] const bool here = m == 0 || last - at > m * {};",
                       slot_count(place)));
  const std::string member = fmt::format("here ? at + m * {} : last - 1", slot_count(place));
  out.line(out.kernel().segments == KernelSegments::Strided
               ? fmt::format("const unsigned e = r + ({}) * rows;", member)
               : fmt::format("const unsigned e = {};", member));
}

// The loads of a batch into arrays, before what may store.
void declare_batch(BodyText& out, const KernelPhase& phase) {
  for (const KernelStep& step : phase.steps) {
    if (is_load(out.kernel(), step)) out.line(fmt::format("T c{}[Batch];", step.number));
  }
}
void load_batch(BodyText& out, const KernelPhase& phase) {
  for (const KernelStep& step : phase.steps) {
    if (!is_load(out.kernel(), step)) continue;
    const std::uint32_t access = out.nodes().node(step.number).access;
    out.line(fmt::format("c{}[m] = d{}[{}];", step.number, access,
                         out.nodes().row_of(access, counter_of(phase.space))));
  }
}
void print_loaded(BodyText& out, const KernelPhase& phase, const StepPlace& place) {
  for (const KernelStep& step : phase.steps) {
    if (is_load(out.kernel(), step)) {
      out.line(fmt::format("const T v{0} = c{0}[m];", step.number));
    } else {
      print_step(out, step, place);
    }
  }
  out.close_loop();
}

}  // namespace

// Of a GPU's slots each takes every member that it comes to, `Batch` at once: behind the last one
// that one again, of which nothing is kept. So no branch, and no store, stands between the loads of
// a batch.
void print_batches(BodyText& out, const KernelPhase& phase, StepPlace place) {
  const bool strided = out.kernel().segments == KernelSegments::Strided;
  out.line("_Pragma(\"unroll 1\")");
  out.open(fmt::format("for (unsigned at = {}{}, last = {}; at < last; at += Batch * {}) {{",
                       strided ? "" : "begin_of(r) + ", first_member(place),
                       strided ? "members" : "end_of(r)", slot_count(place)));
  const bool stores = std::ranges::any_of(phase.steps, &KernelStep::store);
  if (stores) {
    declare_batch(out, phase);
    open_batch(out, place);
    load_batch(out, phase);
    out.close();
  }
  open_batch(out, place);
  place.batched = true;
  if (stores) {
    print_loaded(out, phase, place);
  } else {
    for (const KernelStep& step : phase.steps) print_step(out, step, place);
    out.close_loop();
  }
  out.close();
  out.close();
}

void print_flat_batch(BodyText& out) {
  for (const KernelPhase& phase : out.kernel().phases) declare_batch(out, phase);
  for (const bool loads : {true, false}) {
    out.line(kBatchLoop);
    out.open("  [[maybe_unused]] const size_t r = at + m * kThreads;");
    for (const KernelPhase& phase : out.kernel().phases) {
      loads ? load_batch(out, phase) : print_loaded(out, phase, {phase.space});
    }
    out.close();
  }
}

}  // namespace vecc
