// On a GPU, several members of a row, or several numbers of a flat kernel, that a thread loads
// before it computes the first: a loop that a compiler unrolls itself has a branch behind each, or
// a store that might change what is loaded next, as far as it knows, and so waits for each by
// itself.
#include <fmt/format.h>

#include <algorithm>

#include "src/kernel/body_printer.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

}  // namespace

// Not where rows of several numbers are loaded and others stored: a store might change what others
// read, as far as the compiler knows. Nor where a load may read what the same member has stored.
bool BodyPrinter::may_batch(const KernelPhase& phase) const {
  if (lanes_ == 0 || phase.reversed) return false;
  const bool stores = std::ranges::any_of(phase.steps, &KernelStep::store);
  bool has_stored = false;
  for (const KernelStep& step : phase.steps) {
    has_stored = has_stored || step.store;
    if (step.store) continue;
    const KernelNode& node = kernel_.nodes[step.number];
    if (node.kind == Kind::Scan || node.kind == Kind::Threshold) return false;
    if (stores && is_load(step) && !node.shape.is_scalar()) return false;
    if (has_stored && is_load(step) && kernel_.reloads) return false;
  }
  return true;
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
  line(fmt::format("for (unsigned at = {}{}, last = {}; at < last; at += Batch * {}) {{",
                   strided ? "" : "begin_of(r) + ", first_member(),
                   strided ? "members" : "end_of(r)", slot_count()));
  indent_ += "  ";
  const bool stores = std::ranges::any_of(phase.steps, &KernelStep::store);
  if (stores) {
    declare_batch(phase);
    open_batch(strided);
    load_batch(phase);
    close_block();
  }
  open_batch(strided);
  batched_ = true;
  if (stores) {
    print_loaded(phase);
  } else {
    for (const KernelStep& step : phase.steps) print_step(step, phase.space);
    close_loop();
  }
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
  line(fmt::format("[[maybe_unused]] const bool here = m == 0 || last - at > m * {};",
                   slot_count()));
  const std::string member = fmt::format("here ? at + m * {} : last - 1", slot_count());
  line(strided ? fmt::format("const unsigned e = r + ({}) * rows;", member)
               : fmt::format("const unsigned e = {};", member));
}

// The loads of a batch into arrays, before what may store.
void BodyPrinter::declare_batch(const KernelPhase& phase) {
  for (const KernelStep& step : phase.steps) {
    if (is_load(step)) line(fmt::format("T c{}[Batch];", step.number));
  }
}
void BodyPrinter::load_batch(const KernelPhase& phase) {
  const std::string counter = phase.space == KernelSpace::Row ? "r" : "e";
  for (const KernelStep& step : phase.steps) {
    if (!is_load(step)) continue;
    const std::uint32_t access = kernel_.nodes[step.number].access;
    line(fmt::format("c{}[m] = d{}[{}];", step.number, access,
                     row_of(kernel_.accesses[access], access, counter)));
  }
}
void BodyPrinter::print_loaded(const KernelPhase& phase) {
  for (const KernelStep& step : phase.steps) {
    if (is_load(step)) {
      line(fmt::format("const T v{0} = c{0}[m];", step.number));
    } else {
      print_step(step, phase.space);
    }
  }
  close_loop();
}

// Numbers at, at + kThreads, ... of a flat kernel that loads nothing that it stores.
std::string BodyPrinter::print_flat_batch() {
  indent_ = "    ";
  const std::string loop = "_Pragma(\"unroll\") for (unsigned m = 0; m < Batch; ++m) {";
  const std::string number = "  [[maybe_unused]] const size_t r = at + m * kThreads;";
  for (const KernelPhase& phase : kernel_.phases) declare_batch(phase);
  for (const bool loads : {true, false}) {
    line(loop);
    line(number);
    indent_ += "  ";
    for (const KernelPhase& phase : kernel_.phases) {
      space_ = phase.space;
      loads ? load_batch(phase) : print_loaded(phase);
    }
    close_block();
  }
  return std::move(text_);
}

}  // namespace vecc
