#include "src/kernel/print_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/kernel/kernel_lists.h"
#include "src/kernel/prelude.h"
#include "src/kernel/print/body.h"
#include "src/kernel/print/cuda_member_loops.h"
#include "src/kernel/print/member_sums.h"
#include "src/kernel/print/row_products.h"
#include "src/kernel/print/variables.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc {
namespace {

// What a unit is started with beside its blocks, if not with one Bound.
const char* merged_text(CudaUnit unit) {
  switch (unit) {
    case CudaUnit::Kernel:
    case CudaUnit::Step: return "";
    case CudaUnit::Merged: return "struct Merged {\n  const Bound* all;\n};\n";
    case CudaUnit::Batch:
      return "struct Merged {\n  const Bound* all;\n  const Zeros* zeros;\n};\n";
    case CudaUnit::Range:
      return "struct Range {\n  Bound bound;\n  const unsigned* range;\n  unsigned step;\n};\n";
    case CudaUnit::Spans:
      return "struct RowSpan {\n  unsigned row;\n  unsigned members;\n  unsigned long long first;\n"
             "  unsigned long long second;\n};\n"
             "struct Spans {\n  Bound bound;\n  const RowSpan* spans;\n  const unsigned* range;\n"
             "  unsigned second;\n};\n";
  }
  return "";
}

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

template <class Printer>
std::string body_text(const Kernel& kernel, const KernelSchedule& schedule,
                      const std::string& indent, const Printer& print) {
  BodyText body(kernel, schedule, indent);
  print(body);
  return body.take();
}

// Numbers one by one: of what takes few instructions `Batch` of a thread's are loaded before the
// first is stored, as far as there are so many.
std::string numbers_text(const Kernel& kernel, const KernelSchedule& schedule) {
  const Kernel scalars = as_scalars(kernel);
  std::string text = fmt::format(
      "  constexpr int G = 1;\n  const int lane = 0;\n  const unsigned slot = 0;\n"
      "  size_t at = size_t(begin) * {0} + threadIdx.x;\n"
      "  const size_t last = size_t(end) * {0};\n",
      schedule.entries);
  if (schedule.in_flight > 1) {
    text += fmt::format(
        "  for (; at < last && last - at > (Batch - 1) * kThreads; at += Batch * kThreads) {{\n"
        "{}  }}\n",
        body_text(scalars, schedule, "    ", print_flat_batch));
  }
  return text + fmt::format("  for (size_t r = at; r < last; r += kThreads) {{\n{}  }}\n",
                            body_text(scalars, schedule, "    ", print_body));
}

// Which lane of which slot a thread is; where blocks share rows, of all their lanes. Those behind
// the rows' end have nothing to do.
std::string lanes_text(const Kernel& kernel, const KernelSchedule& schedule) {
  if (schedule.loop == RowLoop::Rows && schedule.parts > 1) {
    const std::uint32_t lanes = schedule.row_lanes();
    std::string text = fmt::format(
        "  constexpr int G = {0};\n"
        "  const int lane = threadIdx.x % {1} + part * {1};\n"
        "  const unsigned slot = threadIdx.x / {1} % Slots;\n",
        lanes, schedule.lanes());
    if (const std::uint64_t entries = widest_row(kernel); entries < lanes) {
      text += fmt::format("  if (lane >= {}) return;\n", entries);
    }
    return text;
  }
  return fmt::format("  constexpr int G = {};\n", schedule.lanes()) +
         "  const int lane = threadIdx.x % G;\n"
         "  const unsigned slot = threadIdx.x / G % Slots;\n";
}

std::string rows_text(const Kernel& kernel, const KernelSchedule& schedule) {
  if (schedule.loop == RowLoop::Numbers) return numbers_text(kernel, schedule);
  std::string text;
  if (schedule.parts > 1) {
    text = fmt::format("  const unsigned part = type % {0};\n  type /= {0};\n", schedule.parts);
  }
  if (schedule.loop == RowLoop::LargeSum) {
    return text + body_text(kernel, schedule, "  ",
                            [&](BodyText& body) { print_large_sums(body, row_text(kernel, "q")); });
  }
  text += lanes_text(kernel, schedule);
  if (schedule.product) {
    return text + body_text(kernel, schedule, "  ", [&](BodyText& body) {
             print_cuda_row_products(body, row_text(kernel, "q + b"));
           });
  }
  return text + fmt::format(
                    "  for (unsigned q = begin + threadIdx.x / ({0} * Slots); q < end; "
                    "q += kThreads / ({0} * Slots)) {{\n"
                    "    const unsigned r = {1};\n{2}  }}\n",
                    schedule.lanes(), row_text(kernel, "q"),
                    body_text(kernel, schedule, "    ", print_body));
}

// Each thread's first row: its segment's bounds and its entries of the lists.
std::string fetch_text(const Kernel& kernel, const KernelSchedule& schedule) {
  if (schedule.loop == RowLoop::Numbers || schedule.product) return "";
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
      schedule.lanes(), row_text(kernel, "q"), text);
}

const char* list_type(int bits) {
  return bits == 16 ? "unsigned short" : "unsigned";
}

// The rows of a block, by their class if there are several.
std::string calls_text(std::string_view name, int bits, const std::vector<MemberLoop>& classes,
                       std::string_view arguments) {
  std::string text;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const MemberLoop& loop = classes[c];
    text += c == 0 ? "  " : " else ";
    if (c + 1 < classes.size()) text += fmt::format("if (at.type == {}) ", c);
    text += fmt::format("{{\n    vecc_kernel::{}_rows<{}, {}, {}>({});\n  }}", name,
                        list_type(bits), loop.slots, loop.batch, arguments);
  }
  return text + "\n";
}

// Of a batch: not all blocks have rows. (One of them stays, for what waits for the kernel waits
// for all that it waits for.)
std::string batch_text(DType dtype) {
  return fmt::format(
      "  if (at.begin == at.end && blockIdx.x > 0) return;\n"
      "  if (at.type == vecc_kernel::kZeros) {{\n"
      "    vecc_kernel::set_zeros<{}>(a.zeros, at.begin, at.end);\n  }} else\n",
      type_text(dtype));
}

std::string kernel_text(std::string_view name, int bits, DType dtype,
                        const KernelSchedule& schedule, CudaUnit unit) {
  const bool merged = unit != CudaUnit::Kernel;
  const std::string least =
      schedule.least_blocks > 0 ? fmt::format(", {}", schedule.least_blocks) : "";
  const std::string arguments =
      fmt::format("{}, at.begin, at.end, at.type", merged ? "a.all + at.launch" : "&a");
  return fmt::format(
      "extern \"C\" __global__ void __launch_bounds__(vecc_kernel::kThreads{}) {}_{}(const "
      "__grid_constant__ vecc_kernel::{} a, const vecc_kernel::BlockRows* blocks) {{\n"
      "  const vecc_kernel::BlockRows at = blocks[blockIdx.x];\n{}  "
      "vecc_kernel::end_launch();\n}}\n",
      least, name, bits, merged ? "Merged" : "Bound",
      (unit == CudaUnit::Batch ? batch_text(dtype) : "") +
          calls_text(name, bits, schedule.members.of_class, arguments));
}

// The head of a kernel of one class of rows whose places are in memory.
std::string placed_head(std::string_view name, const KernelSchedule& schedule, const char* type) {
  const std::string least =
      schedule.least_blocks > 0 ? fmt::format(", {}", schedule.least_blocks) : "";
  return fmt::format(
      "extern \"C\" __global__ void __launch_bounds__(vecc_kernel::kThreads{}) {}_32(const "
      "__grid_constant__ vecc_kernel::{} a, const void*) {{\n"
      "  vecc_kernel::wait_for_launches();\n",
      least, name, type);
}

std::string range_text(std::string_view name, const KernelSchedule& schedule) {
  const MemberLoop& loop = schedule.members.of_class.front();
  return placed_head(name, schedule, "Range") +
         fmt::format(
             "  const unsigned begin = a.range[0] + blockIdx.x / {0} * a.step;\n"
             "  const unsigned last = a.range[1];\n"
             "  if (begin < last) {{\n"
             "    const unsigned end = last - begin < a.step ? last : begin + a.step;\n"
             "    vecc_kernel::{1}_rows<unsigned, {2}, {3}>(&a.bound, begin, end, blockIdx.x % "
             "{0});\n  }}\n  vecc_kernel::end_launch();\n}}\n",
             schedule.parts, name, loop.slots, loop.batch);
}

// Where an access of a span begins.
std::string moved_text(std::size_t number, const KernelAccess& access, const char* type) {
  const char* const first = access.space == KernelSpace::Row
                                ? "span.row"
                                : "(a.second >> {0} & 1 ? span.second : span.first)";
  if (access.map == RowMap::One) return "";
  const std::string place = fmt::format(fmt::runtime(first), number);
  if (access.map == RowMap::List) {
    return fmt::format("  b.lists[{0}] = static_cast<const unsigned*>(b.lists[{0}]) + {1};\n",
                       number, place);
  }
  return fmt::format("  b.data[{0}] = static_cast<{1}*>(b.data[{0}]) + size_t({2}) * {3};\n",
                     number, type, place, access.shape.size());
}

std::string spans_text(std::string_view name, const Kernel& kernel,
                       const KernelSchedule& schedule) {
  std::string moved;
  for (std::size_t a = 0; a < kernel.accesses.size(); ++a) {
    moved += moved_text(a, kernel.accesses[a], type_text(kernel.dtype));
  }
  const MemberLoop& loop = schedule.members.of_class.front();
  return fmt::format(
             "namespace vecc_kernel {{\n"
             "static __device__ __forceinline__ Bound bound_of(const Spans& a, const RowSpan& "
             "span) "
             "{{\n  Bound b = a.bound;\n{}  b.rows = 1;\n  b.members = span.members;\n  return b;\n"
             "}}\n}}  // namespace vecc_kernel\n",
             moved) +
         placed_head(name, schedule, "Spans") +
         fmt::format(
             "  const unsigned number = a.range[0] + blockIdx.x / {0};\n"
             "  if (number < a.range[1]) {{\n"
             "    const vecc_kernel::Bound b = vecc_kernel::bound_of(a, a.spans[number]);\n"
             "    vecc_kernel::{1}_rows<unsigned, {2}, {3}>(&b, 0, 1, blockIdx.x % {0});\n"
             "  }}\n  vecc_kernel::end_launch();\n}}\n",
             schedule.parts, name, loop.slots, loop.batch);
}

// What stands before the prelude of a unit without a Kernel.
std::string number_text(DType dtype) {
  return fmt::format(
      "namespace vecc_kernel {{\nconstexpr unsigned kThreads = {};\nusing Number = {};\n}}\n",
      kCudaThreads, type_text(dtype));
}

}  // namespace

std::string print_cuda(const Kernel& kernel, const KernelSchedule& schedule, CudaUnit unit,
                       std::string_view name, CudaLists lists) {
  const bool is_step = unit == CudaUnit::Step;
  std::string text = fmt::format(
      "namespace vecc_kernel {{\n{}{}"
      "template <class I, int Slots, int Batch>\n"
      "static __device__ __forceinline__ void {}_rows(const Bound* a, unsigned begin, "
      "unsigned end, unsigned type) {{\n",
      is_step ? fmt::format("namespace {} {{\n", name) : "", bound_text(kernel) + merged_text(unit),
      name);
  text += variables_text(kernel);
  // A step waits for no launch; what it reads may be in a block's memory.
  if (!is_step) text += fetch_text(kernel, schedule) + "  wait_for_launches();\n";
  text += rows_text(kernel, schedule) + "}\n";
  if (is_step)
    return text + fmt::format("}}  // namespace {}\n}}  // namespace vecc_kernel\n", name);
  text += "}  // namespace vecc_kernel\n";
  if (unit == CudaUnit::Range) return text + range_text(name, schedule);
  if (unit == CudaUnit::Spans) return text + spans_text(name, kernel, schedule);
  for (const int bits : {16, 32}) {
    if (bits == 16 && (lists == CudaLists::Wide || !has_lists(kernel))) continue;
    if (bits == 32 && lists == CudaLists::Narrow && has_lists(kernel)) continue;
    text += kernel_text(name, bits, kernel.dtype, schedule, unit);
  }
  return text;
}

std::string print_end_run(DType dtype) {
  return number_text(dtype) + std::string(series_prelude()) +
         "namespace vecc_kernel {\nstruct Bound {\n  const Series* series;\n};\n}\n"
         "extern \"C\" __global__ void vecc_end_run(const __grid_constant__ vecc_kernel::Bound a, "
         "unsigned* run) {\n"
         "#if __CUDA_ARCH__ >= 900\n"
         "  asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n"
         "#endif\n"
         "  const unsigned now = *run;\n"
         "  __syncthreads();\n"
         "  vecc_kernel::end_run(*a.series, now);\n"
         "  if (threadIdx.x == 0) *run = now + 1;\n}\n";
}

std::string print_set_numbers(DType dtype) {
  return number_text(dtype) + std::string(number_prelude()) +
         "namespace vecc_kernel {\nstruct Bound {\n  unsigned count;\n};\n}\n"
         "extern \"C\" __global__ void vecc_set_numbers(const __grid_constant__ "
         "vecc_kernel::Bound a, const vecc_kernel::NumberWrite* writes) {\n"
         "  vecc_kernel::set_numbers(writes, a.count);\n}\n";
}

std::string print_make_batch(DType dtype) {
  std::string text =
      number_text(dtype) + std::string(number_prelude()) + std::string(make_batch_prelude());
  for (const char* step : {"unite_sets", "forget_weights", "take_weights", "search_step",
                           "mark_rests", "mark_numbers", "place_numbers", "write_image"}) {
    text += fmt::format(
        "extern \"C\" __global__ void vecc_{0}(const __grid_constant__ vecc_kernel::MakeBatch a, "
        "const void*) {{\n  vecc_kernel::{0}(a);\n}}\n",
        step);
  }
  return text;
}

}  // namespace vecc
