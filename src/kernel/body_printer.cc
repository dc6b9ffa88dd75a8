#include "src/kernel/body_printer.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/kernel/print_cuda.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

constexpr std::uint64_t kUnrolled = 128;  // of a lane's entries: a GPU's thread has 255 registers
constexpr std::uint64_t kHeld = 8;        // that are loaded or stored at once
// Of a kernel's arrays on the stack: a thread may have as little as 512 KiB of it.
constexpr std::uint64_t kStackBytes = 256 << 10;
constexpr std::uint64_t kScratchAlignment = 64;

}  // namespace

std::uint64_t lane_pack(std::uint64_t entries, std::uint64_t lanes) {
  if (lanes > kWarpThreads) return 1;
  if (entries % 4 == 0 && entries > 2 * lanes) return 4;
  return entries % 2 == 0 && entries > lanes ? 2 : 1;
}

std::uint64_t lane_entries(std::uint64_t entries, std::uint64_t lanes) {
  const std::uint64_t pack = lane_pack(entries, lanes);
  return (entries + lanes * pack - 1) / (lanes * pack) * pack;
}

BodyPrinter::BodyPrinter(const Kernel& kernel, std::uint32_t lanes)
    : kernel_(kernel),
      lanes_(lanes),
      loops_(kernel.nodes.size(), 0),
      arrays_(kernel.nodes.size(), false),
      early_(kernel.nodes.size(), false) {
  assign_loops();
  find_arrays();
  find_blocked_product();
  if (is_blocked() && !fits_block()) blocked_ = kNoOperand;
}

std::uint64_t BodyPrinter::size(std::uint32_t number) const {
  return kernel_.nodes[number].shape.size();
}

// A loop goes on while steps compute rows of its length entry by entry; scalars in between are
// computed before it.
void BodyPrinter::assign_loops() {
  for (const KernelPhase& phase : kernel_.phases) {
    std::uint64_t open = 0;
    std::uint32_t loop = ++next_loop_;
    for (const KernelStep& step : phase.steps) {
      const std::uint32_t number = step.store ? kernel_.stores[step.number].value : step.number;
      const std::uint64_t entries = size(number);
      const bool entrywise = step.store || is_entrywise(kernel_, kernel_.nodes[number]);
      if (entries == 1 && entrywise) continue;
      if (!step.store && kernel_.nodes[number].kind == Kind::Load) continue;
      if (!entrywise || open != entries) loop = ++next_loop_;
      open = entrywise ? entries : 0;
      if (!step.store) loops_[number] = loop;
    }
  }
}

// Entries that something outside of their loop reads.
void BodyPrinter::find_arrays() {
  const auto read = [&](std::uint32_t operand, std::uint32_t loop, bool entrywise) {
    if (!entrywise || loops_[operand] != loop) arrays_[operand] = true;
  };
  for (const KernelPhase& phase : kernel_.phases) {
    std::uint64_t open = 0;
    std::uint32_t loop = 0;
    for (const KernelStep& step : phase.steps) {
      const std::uint32_t number = step.store ? kernel_.stores[step.number].value : step.number;
      const std::uint64_t entries = size(number);
      if (step.store) {
        // In the same loop if that is still open where the store stands.
        if (entries == 1) continue;
        if (open != entries) loop = 0;
        open = entries;
        read(number, loop, true);
        continue;
      }
      const KernelNode& node = kernel_.nodes[number];
      const bool entrywise = is_entrywise(kernel_, node);
      for (const std::uint32_t operand : node.operands) {
        if (entries == 1 && entrywise && size(operand) == 1) continue;
        read(operand, loops_[number], entrywise);
      }
      if ((entries == 1 && entrywise) || node.kind == Kind::Load) continue;
      loop = loops_[number];
      open = entrywise ? entries : 0;
    }
  }
}

std::string BodyPrinter::print() {
  indent_ = "    ";
  print_early_loads();
  for (const KernelPhase& phase : kernel_.phases) print_phase(phase);
  return std::move(text_);
}

// On a GPU, what a row loads after its members is under way before them.
void BodyPrinter::print_early_loads() {
  constexpr std::uint64_t kMost = 4;  // numbers of a lane, which stay in registers
  if (lanes_ == 0 || stores_alias_loads()) return;
  const auto members = std::ranges::find(kernel_.phases, KernelSpace::Member, &KernelPhase::space);
  std::uint64_t numbers = 0;
  for (auto phase = members; phase != kernel_.phases.end(); ++phase) {
    if (phase->space != KernelSpace::Row) continue;
    for (const KernelStep& step : phase->steps) {
      if (!is_load(step)) continue;
      const bool is_held = size(step.number) == 1 || moves_packs(kernel_.nodes[step.number].access);
      if (is_held && (numbers += array_size(size(step.number))) > kMost) return;
      print_load(step.number, KernelSpace::Row);
      early_[step.number] = true;
    }
  }
}

void BodyPrinter::line(const std::string& text) {
  text_ += indent_ + text + "\n";
}
void BodyPrinter::loop_line(const std::string& text) {
  loop_ += indent_ + "  " + text + "\n";
}
void BodyPrinter::open_loop(std::uint64_t entries) {
  if (loop_entries_ == entries) return;
  close_loop();
  loop_entries_ = entries;
}
// The head of a loop over entries, with what the compiler may know of it.
std::string BodyPrinter::entry_loop(std::uint64_t entries) const {
  if (lanes_ > 0) {
    return fmt::format("VECC_{}ENTRIES({})", array_size(entries) > kUnrolled ? "MANY_" : "",
                       entries);
  }
  const char* hint = kernel_.reloads ? "" : "VECC_NO_ALIAS ";
  return fmt::format("{}for (int i = 0; i < {}; ++i)", hint, entries);
}
void BodyPrinter::close_loop() {
  if (loop_entries_ > 0) {
    if (loop_stores_ && stores_alias_loads()) print_sync(space_);
    line(entry_loop(loop_entries_) + " {");
    text_ += loop_;
    line("}");
    text_ += after_loop_;
  }
  loop_.clear();
  after_loop_.clear();
  loop_entries_ = 0;
  loop_stores_ = false;
}

void BodyPrinter::print_phase(const KernelPhase& phase) {
  space_ = phase.space;
  if (phase.steps.empty()) return;
  if (phase.space == KernelSpace::Row) {
    for (const KernelStep& step : phase.steps) print_step(step, phase.space);
    close_loop();
    if (kernel_.reloads) print_sync(KernelSpace::Row);
    return;
  }
  if (sums_outer_products(phase)) {
    return lanes_ == 0 ? print_outer_products(phase) : print_lane_outer_products(phase);
  }
  if (lanes_ == 0) {
    if (const auto sum = member_sum(phase)) return print_member_sum(phase, *sum);
  }
  shared_ = lanes_share_members(phase);
  declare_reductions(phase);
  const bool only_threshold = std::ranges::all_of(phase.steps, [&](const KernelStep& step) {
    return !step.store && (kernel_.nodes[step.number].kind == Kind::Threshold ||
                           kernel_.nodes[step.number].kind == Kind::Load);
  });
  if (!only_threshold) print_members_loop(phase);
  finish_reductions(phase);
  shared_ = false;
  if (kernel_.reloads) print_sync(KernelSpace::Row);
}

// The loop over a row's members.
void BodyPrinter::print_members_loop(const KernelPhase& phase) {
  if (may_batch(phase)) return print_batches(phase);
  const std::string first = lanes_ > 0 ? fmt::format(" + {}", first_member()) : "";
  const std::string step = lanes_ > 0 ? fmt::format(" += {}", slot_count()) : "";
  switch (kernel_.segments) {
    case KernelSegments::None: break;
    case KernelSegments::Ragged:
    case KernelSegments::Fixed:
      line(phase.reversed
               ? "for (unsigned e = end_of(r); e-- > begin_of(r);) {"
               : fmt::format("for (unsigned e = begin_of(r){}, last = end_of(r); e < last; {}) {{",
                             first, lanes_ > 0 ? "e" + step : "++e"));
      break;
    case KernelSegments::Strided:
      line(phase.reversed ? "for (unsigned k = members; k-- > 0;) {"
                          : fmt::format("for (unsigned k = 0{}; k < members; {}) {{", first,
                                        lanes_ > 0 ? "k" + step : "++k"));
      line("  const unsigned e = r + k * rows;");
      break;
  }
  indent_ += "  ";
  for (const KernelStep& each : phase.steps) print_step(each, phase.space);
  close_loop();
  indent_.resize(indent_.size() - 2);
  line("}");
}

void BodyPrinter::print_step(const KernelStep& step, KernelSpace space) {
  if (step.store) {
    print_store(kernel_.stores[step.number], space);
  } else {
    print_node(step.number, space);
  }
}

std::string BodyPrinter::row_of(const KernelAccess& access, std::uint32_t number,
                                const std::string& counter) const {
  switch (access.map) {
    case RowMap::Direct: return counter;
    case RowMap::List: return fmt::format("l{}[{}]", number, counter);
    case RowMap::One: return "0";
    case RowMap::Tile: return "type";
  }
  return counter;
}

// Where a row of so many entries begins.
std::string BodyPrinter::row_pointer(std::uint32_t access, const std::string& counter,
                                     std::uint64_t entries) const {
  return fmt::format("d{} + size_t({}) * {}", access,
                     row_of(kernel_.accesses[access], access, counter), entries);
}

void BodyPrinter::print_load(std::uint32_t number, KernelSpace space) {
  const KernelNode& node = kernel_.nodes[number];
  const KernelAccess& access = kernel_.accesses[node.access];
  const std::string counter = space == KernelSpace::Row ? "r" : "e";
  if (size(number) == 1) {
    line(fmt::format("const T v{} = d{}[{}];", number, node.access,
                     row_of(access, node.access, counter)));
  } else if (access.map == RowMap::One) {
    line(fmt::format("const T* v{} = d{};", number, node.access));
  } else {
    line(
        fmt::format("const T* v{} = {};", number, row_pointer(node.access, counter, size(number))));
  }
  if (moves_packs(node.access)) {
    declare_array(fmt::format("h{}", number), array_size(size(number)));
    line(fmt::format("load_own<T, {0}, G>(v{1}, h{1}, lane);", size(number), number));
  }
}

// Whether lanes have packs of the access' rows, and move them at once.
bool BodyPrinter::moves_packs(std::uint32_t access) const {
  const KernelAccess& of = kernel_.accesses[access];
  const std::uint64_t entries = of.shape.size();
  return lanes_ > 0 && of.aligned && lane_pack(entries, lanes_) > 1 && array_size(entries) <= kHeld;
}

// The members of a slot are its own; of a row all slots have the same, and of a number all lanes.
std::string BodyPrinter::store_condition(KernelSpace space, std::uint64_t entries) const {
  if (lanes_ == 0) return "";
  std::string text;
  if (entries == 1 && !shared_) text += " && lane == 0";
  if (space == KernelSpace::Row) text += " && slot == 0";
  if (batched_) text += " && here";
  return text.empty() ? "" : "if (" + text.substr(4) + ") ";
}

void BodyPrinter::print_store(const KernelStore& store, KernelSpace space) {
  const KernelAccess& access = kernel_.accesses[store.access];
  const std::string row = row_of(access, store.access, space == KernelSpace::Row ? "r" : "e");
  const std::uint64_t entries = size(store.value);
  const std::string if_alone = store_condition(space, entries);
  if (entries == 1) {
    if (stores_alias_loads() && !shared_) print_sync(space);
    line(fmt::format("{}d{}[{}] = {};", if_alone, store.access, row, entry(store.value)));
    return;
  }
  open_loop(entries);
  loop_stores_ = true;
  if (moves_packs(store.access)) {
    declare_array(fmt::format("o{}", store.access), array_size(entries));
    loop_line(fmt::format("o{}[j] = {};", store.access, entry(store.value)));
    after_loop_ +=
        fmt::format("{0}{1}store_own<T, {2}, G>(o{3}, d{3} + size_t({4}) * {2}, lane);\n", indent_,
                    if_alone, entries, store.access, row);
    return;
  }
  loop_line(fmt::format("{}d{}[size_t({}) * {} + i] = {};", if_alone, store.access, row, entries,
                        entry(store.value)));
}

std::string BodyPrinter::entry(std::uint32_t number) const {
  const KernelNode& node = kernel_.nodes[number];
  if (size(number) == 1) return fmt::format("v{}", number);
  if (node.kind == Kind::Load) {
    if (!whole_ && moves_packs(node.access)) return fmt::format("h{}[j]", number);
    return fmt::format("v{}[i]", number);
  }
  if (whole_) return fmt::format("x{}[i]", number);
  if (node.kind == Kind::Reduce || arrays_[number]) return fmt::format("v{}{}", number, place());
  return fmt::format("e{}", number);
}

std::string BodyPrinter::pointer(std::uint32_t number) const {
  const char* row = whole_ && is_distributed(number) ? "x" : "v";
  return (size(number) == 1 ? "&" : "") + std::string(row) + std::to_string(number);
}

std::uint64_t BodyPrinter::array_size(std::uint64_t entries) const {
  return lanes_ == 0 ? entries : lane_entries(entries, lanes_);
}

void BodyPrinter::declare(std::uint32_t number) {
  const std::string name = fmt::format("v{}", number);
  size(number) == 1 ? line("T " + name + ";") : declare_array(name, array_size(size(number)));
}

// Arrays of a C++ kernel that come when its stack is used up have places in the scratch memory,
// each its own: what is declared in a loop is the same array again.
void BodyPrinter::declare_array(const std::string& name, std::uint64_t entries, bool are_zeros) {
  const std::uint64_t bytes = entries * byte_size(kernel_.dtype);
  if (lanes_ == 0 && array_bytes_ + bytes > kStackBytes) {
    line(fmt::format("T* const __restrict__ {} = scratch + {};", name,
                     scratch_bytes_ / byte_size(kernel_.dtype)));
    if (are_zeros) line(fmt::format("for (int i = 0; i < {}; ++i) {}[i] = T(0);", entries, name));
    scratch_bytes_ += (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
    return;
  }
  line(fmt::format("T {}[{}]{};", name, entries, are_zeros ? " = {}" : ""));
  array_bytes_ += bytes;
  most_array_bytes_ = std::max(most_array_bytes_, array_bytes_);
}

void BodyPrinter::print_node(std::uint32_t number, KernelSpace space) {
  const KernelNode& node = kernel_.nodes[number];
  if (node.kind == Kind::Load) {
    if (!early_[number]) print_load(number, space);
    return;
  }
  if (node.kind == Kind::Reduce || node.kind == Kind::ReduceArg) return print_reduce(number);
  if (node.kind == Kind::Threshold) return;  // between the loops
  if (!is_entrywise(kernel_, node)) {
    close_loop();
    declare(number);
    if (lanes_ > 0) return print_lanes_call(number);
    print_call(number);
    return;
  }
  const std::string value = entry_text(node, number);
  if (size(number) == 1) {
    line(fmt::format("const T v{} = {};", number, value));
    if (node.kind == Kind::Scan) line(fmt::format("a{} *= {};", number, entry(node.operands[0])));
    return;
  }
  if (loop_entries_ != size(number)) close_loop();
  if (arrays_[number]) declare(number);
  open_loop(size(number));
  loop_line(arrays_[number] ? fmt::format("v{}{} = {};", number, place(), value)
                            : fmt::format("const T e{} = {};", number, value));
  if (node.kind == Kind::Scan) {
    loop_line(fmt::format("a{}{} *= {};", number, place(), entry(node.operands[0])));
  }
}

}  // namespace vecc
