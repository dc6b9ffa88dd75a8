#include "src/kernel/print_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/kernel/body_printer.h"
#include "src/kernel/kernel_loops.h"
#include "src/kernel/print_cpp.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

constexpr std::uint64_t kWideRow = 1024;
constexpr const char* kMergedText = "struct Merged {\n  const Bound* all;\n};\n";

// The widest row that is computed: what is only read by rows or columns (a matrix) counts not.
std::uint64_t widest_row(const Kernel& kernel) {
  std::uint64_t widest = 1;
  for (const KernelNode& node : kernel.nodes) {
    if (node.kind != Kind::Load) widest = std::max(widest, node.shape.size());
  }
  for (const KernelStore& store : kernel.stores) {
    widest = std::max(widest, kernel.nodes[store.value].shape.size());
  }
  return widest;
}

// Lanes that share a row. Each has two entries of an even row, and four or more where they would
// have several anyway: a thread moves as many at once, and more rows are under way. Those that add
// up the product of two loaded rows take twice four.
std::uint32_t lanes_of(const Kernel& kernel) {
  constexpr std::uint64_t kEntries = 4;
  constexpr std::uint64_t kLongRow = 2 * kWarpThreads;
  constexpr std::uint64_t kLongProduct = 16;
  std::uint64_t widest = widest_row(kernel);
  if (widest >= kLongRow) {
    widest /= kEntries;
  } else if (widest % 2 == 0) {
    widest /= 2;
  }
  for (const KernelNode& node : kernel.nodes) {
    if (node.kind != Kind::Times || node.shape.size() > 1) continue;
    const std::uint64_t terms = kernel.nodes[node.operands[0]].shape.size();
    if (terms >= kLongProduct) widest = std::max(widest, terms / (2 * kEntries));
  }
  std::uint32_t lanes = 1;
  while (lanes < std::min<std::uint64_t>(widest, kWarpThreads)) lanes *= 2;
  return lanes;
}

// Rows of few numbers, that read rows of few. Two lanes may have all of one, so that more are under
// way. (One alone would read and write them where no other does.)
bool is_narrow(const Kernel& kernel) {
  constexpr std::uint64_t kNarrowRow = 16;
  const bool reads_narrow = std::ranges::all_of(kernel.nodes, [](const KernelNode& node) {
    const bool is_matrix = node.shape.rows() > 1 && node.shape.cols() > 1;
    return is_matrix || node.shape.size() <= kNarrowRow;
  });
  return reads_narrow && widest_row(kernel) <= kNarrowRow;
}

// A running product, or members from the last to the first, is one walk.
bool shares_members(const Kernel& kernel) {
  return kernel.segments != KernelSegments::None &&
         std::ranges::none_of(kernel.nodes,
                              [](const KernelNode& n) { return n.kind == Kind::Scan; }) &&
         std::ranges::none_of(kernel.phases, &KernelPhase::reversed);
}

// Whether a product is one of those that are added up without being kept.
bool is_summed_product(const Kernel& kernel, const KernelNode& node) {
  const BodyPrinter printer(kernel, 1);
  return std::ranges::any_of(kernel.phases, [&](const KernelPhase& phase) {
    return printer.sums_outer_products(phase) && &kernel.nodes[phase.steps[2].number] == &node;
  });
}

// Rows so long that all threads of a block are their lanes: nothing in the kernel may pass from
// lane to lane.
bool is_wide(const Kernel& kernel) {
  // In place a lane stores the entry that it alone has loaded, but of a row of one number, which
  // all lanes load.
  const bool may_store =
      !kernel.in_place || std::ranges::none_of(kernel.stores, [&](const KernelStore& store) {
        return kernel.nodes[store.value].shape.is_scalar();
      });
  return widest_row(kernel) >= kWideRow && !kernel.reloads && may_store &&
         std::ranges::all_of(kernel.nodes, [&](const KernelNode& node) {
           return node.kind != Kind::Selected && node.kind != Kind::Scan &&
                  (is_entrywise(kernel, node) || is_summed_product(kernel, node));
         });
}

// Blocks that share such a row. One that sums outer products needs all entries of both columns.
std::uint32_t parts_of(const Kernel& kernel, std::uint64_t threads) {
  const std::uint32_t tiles = BodyPrinter(kernel, kCudaThreads).matrix_parts();
  if (tiles > 1) return tiles;
  const bool sums_products = std::ranges::any_of(
      kernel.nodes, [](const KernelNode& node) { return node.kind == Kind::Times; });
  if (sums_products) return 1;
  return static_cast<std::uint32_t>((widest_row(kernel) + threads - 1) / threads);
}

// Arguments, and the variables that the body reads.
std::string bound_text(const Kernel& kernel) {
  const std::size_t accesses = std::max<std::size_t>(kernel.accesses.size(), 1);
  return fmt::format(
      "struct Bound {{\n"
      "  void* data[{0}];\n  const void* lists[{0}];\n{1}"
      "  const unsigned* offsets;\n  const void* order;\n  unsigned rows;\n  unsigned members;\n"
      "}};\n",
      accesses,
      kernel.word_slots == 0 ? ""
                             : fmt::format("  const unsigned* words[{}];\n", kernel.word_slots));
}

// Numbers one by one: of what takes few instructions `Batch` of a thread's are loaded before the
// first is stored, as far as there are so many.
std::string flat_text(const Kernel& kernel, const CudaLayout& layout) {
  const Kernel scalars = as_scalars(kernel);
  const bool is_short = !kernel.in_place && !kernel.reloads &&
                        std::ranges::none_of(kernel.nodes, [](const KernelNode& node) {
                          return node.kind == Kind::Transform || node.kind == Kind::TransformVjp;
                        });
  std::string text = fmt::format(
      "  constexpr int G = 1;\n  const int lane = 0;\n  const unsigned slot = 0;\n"
      "  size_t at = size_t(begin) * {0} + threadIdx.x;\n"
      "  const size_t last = size_t(end) * {0};\n",
      layout.entries);
  if (is_short) {
    text += fmt::format(
        "  for (; at < last && last - at > (Batch - 1) * kThreads; at += Batch * kThreads) {{\n"
        "{}  }}\n",
        BodyPrinter(scalars, 1).print_flat_batch());
  }
  return text + fmt::format("  for (size_t r = at; r < last; r += kThreads) {{\n{}  }}\n",
                            BodyPrinter(scalars, 1).print());
}

struct CudaRows {
  std::string text;
  std::uint64_t array_bytes = 0;  // of a thread
};

CudaRows rows_text(const Kernel& kernel, const CudaLayout& layout) {
  if (layout.flat) return {flat_text(kernel, layout)};
  std::string place;
  if (layout.parts > 1) {
    place = fmt::format("  const unsigned part = type % {0};\n  type /= {0};\n", layout.parts);
  }
  BodyPrinter body(kernel, layout.lanes);
  if (body.matrix_parts() > 1 && !body.is_blocked()) {
    return {place + body.print_large_sums(row_text(kernel, "q")), body.array_bytes()};
  }
  const bool shares_rows = layout.parts > 1 && !body.is_blocked();
  place +=
      fmt::format("  constexpr int G = {};\n", layout.lanes * (shares_rows ? layout.parts : 1));
  place += shares_rows ? "  const int lane = threadIdx.x + part * kThreads;\n"
                         "  const unsigned slot = 0;\n"
                       : "  const int lane = threadIdx.x % G;\n"
                         "  const unsigned slot = threadIdx.x / G % Slots;\n";
  if (body.is_blocked()) {
    place += body.print_lane_blocks(row_text(kernel, "q + b"));
  } else {
    place += fmt::format(
        "  for (unsigned q = begin + threadIdx.x / ({0} * Slots); q < end; "
        "q += kThreads / ({0} * Slots)) {{\n"
        "    const unsigned r = {1};\n",
        layout.lanes, row_text(kernel, "q"));
    place += body.print() + "  }\n";
  }
  return {std::move(place), body.array_bytes()};
}

// Each thread's first row: its segment's bounds and its entries of the lists.
std::string fetch_text(const Kernel& kernel, const CudaLayout& layout) {
  if (layout.flat || layout.block_rows > 0) return "";
  std::string text;
  for (std::size_t a = 0; a < kernel.accesses.size(); ++a) {
    const KernelAccess& access = kernel.accesses[a];
    if (access.map != RowMap::List) continue;
    text += fmt::format("    fetch(l{} + {});\n", a,
                        access.space == KernelSpace::Row ? "r" : "begin_of(r) + slot");
  }
  if (kernel.segments == KernelSegments::Ragged && text.empty()) text = "    fetch(offsets + r);\n";
  if (text.empty()) return "";
  return fmt::format(
      "  if (const unsigned q = begin + threadIdx.x / ({0} * Slots); q < end) {{\n"
      "    [[maybe_unused]] const unsigned slot = threadIdx.x / {0} % Slots;\n"
      "    [[maybe_unused]] const unsigned r = {1};\n{2}  }}\n",
      layout.lanes, row_text(kernel, "q"), text);
}

const char* list_type(int bits) {
  return bits == 16 ? "unsigned short" : "unsigned";
}

// Blocks that a processor runs at once, at least: where they wait for members that come from all
// over the memory, or for rows while matrix units have hardly anything to do, in as many registers
// as that leaves (next to none are spilled). Where many members are to be under way a compiler that
// hears of no number takes fewer registers, and one member after the other; of several loops with
// many numbers each it takes more than it needs.
std::string least_blocks(const Kernel& kernel, const MemberLoops& loops, const Target& target,
                         const std::string& rows) {
  constexpr std::uint32_t kFewRegisters = 64;  // of a thread
  constexpr std::uint32_t kRegisters = 80;
  constexpr std::uint32_t kManyRegisters = 128;
  constexpr std::uint64_t kMatrix = 4096;
  constexpr std::uint64_t kManyMembers = 4;
  constexpr std::uint64_t kManyNumbers = 16;
  const auto calls = [&](const char* name) { return rows.find(name) != std::string::npos; };
  const bool waits =
      calls("outer_products<") && kernel.dtype == DType::F32 && widest_row(kernel) <= kMatrix;
  const auto bound = [&](std::uint32_t registers, std::uint32_t shared_bytes) {
    const std::uint32_t of_registers = target.registers / (registers * kCudaThreads);
    const std::uint32_t of_memory =
        shared_bytes == 0 ? of_registers : target.shared_bytes / (shared_bytes + kReservedBytes);
    return fmt::format(
        ", {}", std::min({of_registers, of_memory, target.blocks_of_multiprocessor(kCudaThreads)}));
  };
  if (waits || calls("times_unit_block<") || calls("times_rows_of_memory<")) {
    return bound(kRegisters, kUnitKernelBytes);
  }
  if (kernel.dtype == DType::F32 && calls("times_large_matrix<")) {
    return bound(kRegisters, kUnitKernelBytes);
  }
  if (kernel.dtype == DType::F32 && calls("sum_large_products<")) {
    return bound(kManyRegisters, kUnitKernelBytes);
  }
  std::uint64_t most = kManyMembers;
  if (loops.of_class.size() > 1) {
    most = std::min(most, kManyNumbers / lane_entries(widest_row(kernel), loops.lanes));
  }
  const std::uint32_t batch = std::ranges::max(loops.of_class, {}, &MemberLoop::batch).batch;
  if (batch <= most) return "";
  return bound(kernel.dtype == DType::F32 ? kFewRegisters : kManyRegisters, 0);
}

// The rows of a block, by their class if there are several.
std::string calls_text(std::string_view name, int bits, const MemberLoops& loops,
                       std::string_view arguments, std::string_view type) {
  std::string text;
  for (std::size_t c = 0; c < loops.of_class.size(); ++c) {
    const MemberLoop& loop = loops.of_class[c];
    text += c == 0 ? "  " : " else ";
    if (c + 1 < loops.of_class.size()) text += fmt::format("if ({} == {}) ", type, c);
    text += fmt::format("{{\n    vecc_kernel::{}_rows<{}, {}, {}>({});\n  }}", name,
                        list_type(bits), loop.slots, loop.batch, arguments);
  }
  return text + "\n";
}

std::string kernel_text(std::string_view name, int bits, const MemberLoops& loops, CudaUnit unit,
                        const std::string& least) {
  const bool merged = unit == CudaUnit::Merged;
  const std::string arguments =
      fmt::format("{}, at.begin, at.end, at.type", merged ? "a.all + at.launch" : "&a");
  return fmt::format(
      "extern \"C\" __global__ void __launch_bounds__(vecc_kernel::kThreads{}) {}_{}(const "
      "__grid_constant__ vecc_kernel::{} a, const vecc_kernel::BlockRows* blocks) {{\n"
      "  const vecc_kernel::BlockRows at = blocks[blockIdx.x];\n{}  "
      "vecc_kernel::end_launch();\n}}\n",
      least, name, bits, merged ? "Merged" : "Bound",
      calls_text(name, bits, loops, arguments, "at.type"));
}

}  // namespace

CudaLayout cuda_layout(const Kernel& kernel, std::uint32_t lanes, std::uint32_t threads) {
  CudaLayout layout;
  const std::uint64_t entries = kernel.accesses.empty() ? 1 : kernel.accesses[0].shape.size();
  if (is_flat(kernel, entries)) {
    layout.flat = true;
    layout.entries = static_cast<std::uint32_t>(entries);
    return layout;
  }
  if (is_wide(kernel)) {
    layout.lanes = layout.fewest_lanes = layout.threads;
    layout.parts = parts_of(kernel, layout.threads);
    return layout;
  }
  layout.lanes = lanes > 0 ? lanes : lanes_of(kernel);
  const bool narrow = is_narrow(kernel);
  layout.fewest_lanes = narrow ? std::min(layout.lanes, 2u) : layout.lanes;
  if (narrow) layout.fewest_threads = kNarrowThreads;
  if (threads > 0) layout.threads = threads;
  layout.shares_members = shares_members(kernel);
  const BodyPrinter body(kernel, layout.lanes);
  layout.block_rows = body.blocked_rows();
  layout.parts = body.matrix_parts();
  return layout;
}

std::uint32_t warp_slots(const CudaLayout& layout) {
  if (!layout.shares_members || layout.lanes > kWarpThreads) return 1;
  return kWarpThreads / layout.lanes;
}
std::uint32_t block_slots(const CudaLayout& layout) {
  return layout.shares_members ? layout.threads / layout.lanes : 1;
}

std::uint64_t thread_array_bytes(const Kernel& kernel) {
  return rows_text(kernel, cuda_layout(kernel)).array_bytes;
}

std::string print_cuda(const Kernel& kernel, const MemberLoops& loops, CudaUnit unit,
                       const Target& target, std::string_view name) {
  const CudaLayout layout = cuda_layout(kernel, loops.lanes);
  std::string text = fmt::format(
      "namespace vecc_kernel {{\n{}"
      "template <class I, int Slots, int Batch>\n"
      "static __device__ __forceinline__ void {}_rows(const Bound* a, unsigned begin, "
      "unsigned end, unsigned type) {{\n",
      bound_text(kernel) + (unit == CudaUnit::Merged ? kMergedText : ""), name);
  text += fmt::format("  using T = {};\n", kernel.dtype == DType::F32 ? "float" : "double");
  text += head_text(kernel) + segments_text(kernel);
  if (has_order(kernel)) text += "  const I* order = static_cast<const I*>(a->order);\n";
  text += fetch_text(kernel, layout) + "  wait_for_launches();\n";
  const std::string rows = rows_text(kernel, layout).text;
  text += rows + "}\n}  // namespace vecc_kernel\n";
  for (const int bits : {16, 32}) {
    if (bits == 16 && !has_lists(kernel)) continue;
    text += kernel_text(name, bits, loops, unit, least_blocks(kernel, loops, target, rows));
  }
  return text;
}

}  // namespace vecc
