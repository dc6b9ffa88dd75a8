#include "src/kernel/print/body_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/kernel/schedule/entrywise.h"
#include "src/kernel/schedule/lanes.h"

namespace vecc {

void BodyText::open(const std::string& text) {
  line(text);
  indent_ += "  ";
}
void BodyText::close(const char* text) {
  indent_.resize(indent_.size() - 2);
  line(text);
}

void BodyText::open_loop(std::uint64_t entries) {
  if (loop_entries_ == entries) return;
  close_loop();
  loop_entries_ = entries;
}

void BodyText::close_loop() {
  if (loop_entries_ > 0) {
    if (stores_ && stores_alias_loads(kernel())) sync(*stores_);
    line(entry_loop(loop_entries_) + " {");
    text_ += loop_;
    line("}");
    text_ += after_loop_;
  }
  loop_.clear();
  after_loop_.clear();
  loop_entries_ = 0;
  stores_.reset();
}

std::string BodyText::entry_loop(std::uint64_t entries) const {
  if (on_gpu()) {
    const bool is_unrolled = unrolls(entries, schedule().row_lanes());
    return fmt::format("VECC_{}ENTRIES({})", is_unrolled ? "" : "MANY_", entries);
  }
  const char* hint = kernel().reloads ? "" : "VECC_NO_ALIAS ";
  return fmt::format("{}for (int i = 0; i < {}; ++i)", hint, entries);
}

void BodyText::declare(std::uint32_t node) {
  const std::string name = fmt::format("v{}", node);
  nodes_.size(node) == 1 ? line("T " + name + ";") : declare_own(name, nodes_.size(node));
}

void BodyText::declare_own(const std::string& name, std::uint64_t entries) {
  declare_array(name, own_entries(entries, schedule().row_lanes()));
}

void BodyText::declare_members(const std::string& name, std::uint64_t entries) {
  const auto& scratch = schedule().scratch;
  const auto found = std::ranges::find(scratch, name, &ScratchArray::name);
  if (found == scratch.end()) {
    return line(
        fmt::format("unsigned {}[{}];", name, own_entries(entries, schedule().row_lanes())));
  }
  line(fmt::format("unsigned* const __restrict__ {} = reinterpret_cast<unsigned*>(scratch + {});",
                   name, found->offset));
}

void BodyText::declare_array(const std::string& name, std::uint64_t entries) {
  const auto& scratch = schedule().scratch;
  const auto found = std::ranges::find(scratch, name, &ScratchArray::name);
  if (name == placed_.first) {
    line(fmt::format("T* const __restrict__ {} = {};", name, placed_.second));
  } else if (found != scratch.end()) {
    line(fmt::format("T* const __restrict__ {} = scratch + {};", name, found->offset));
  } else {
    line(fmt::format("T {}[{}];", name, entries));
  }
}

void BodyText::sync(KernelSpace space) {
  if (!on_gpu()) return;
  // What blocks share passes from no lane to another, and lanes behind its end have left.
  if (schedule().loop == RowLoop::Rows && schedule().parts > 1) return;
  if (space == KernelSpace::Row) {
    line("sync_row<G, Slots>();");
  } else if (schedule().lanes() > 1) {
    line("sync_lanes<G>();");
  }
}

}  // namespace vecc
