// The GPUs that are known by name, and what they have: of multiprocessors from "CUDA C++
// Programming Guide", table "Technical Specifications per Compute Capability"; of each GPU from its
// own document, named there.
#include <algorithm>
#include <array>

#include "vecc/target.h"

namespace vecc {
namespace {

constexpr std::uint32_t kKilobyte = 1024;
constexpr std::uint64_t kMegabyte = 1024 * 1024;

// What is the same of all of them: registers of a multiprocessor, loads of 16 bytes, lines of 128,
// kernels that run at once; the rest was measured on an H200.
Target gpu(const char* name, std::uint32_t capability, std::uint32_t multiprocessors) {
  Target target;
  target.name = name;
  target.vector_bytes = 0;
  target.tiles = {.rows = 0,
                  .block_bytes = 0,
                  .score_bytes = 0,
                  .rows_ahead = 0,
                  .fetched_bytes = 0,
                  .turn_bytes = 0};
  target.processor = {
      .compiled_kernel = 0, .interpreted_launch = 0, .interpreted_work = 0, .op = 0, .listing = 0};
  // Of one thread of an H100's host: batches of PROTEINS (127 ops, 2,800 rows and members) take
  // 25 us, of NCI1 (GIN; 470 ops, 121,000) 480 to 525.
  // Batches of mutagenesis, which take 46 us to bind, were slower with a thread of their own.
  target.host = {.number = 8e-4,
                 .launch = 150,
                 .listing = 5.4,
                 .bound_kilobyte = 2.57,
                 .binders = 4,
                 .most_binders = 8,
                 .shortest_binding = 50};
  // A thread of libtorch adds one column of one segment.
  target.torch = {
      .launch = 1 << 21, .product_additions = 0, .product_columns = 8, .longest_segment = 512};
  target.launches_at_once = 128;
  target.capability = capability;
  target.multiprocessors = multiprocessors;
  target.registers = 64 * kKilobyte;
  target.packed_bytes = 16;
  target.line_bytes = 128;
  target.pieces = {.longest = 512,
                   .shortest = 16,
                   .lanes = 32,
                   .products = 1024,
                   .softmax = 16 * kKilobyte,
                   .least_cut = 256,
                   .many_products = 16 * kKilobyte,
                   .tile_blocks = 2,
                   .tile_shortest = 512,
                   .tile_longest = 2048};
  // A graph takes 5 to 13 us a launch to make, and then 1.1 us to run where a stream takes 2.2 us
  // (an H100). One of 256 launches is made in less than a millisecond, whatever it is worth. The
  // kernels that make a batch took 77 us of NCI1's (ncu, an H200). Arrays of PROTEINS' batches take
  // 19 us, of MUTAG's 26.
  target.launches = {.launch = 1,
                     .long_kernel = 30,
                     .short_members = 4096,
                     .made_batch = 80,
                     .batch_arrays = 20,
                     .can_wait = 0.01,
                     .graph_nodes = 128,
                     .graph_launches = 256,
                     .graph_runs = 5};
  return target;
}

// Measured on an H200, in its cycles; what the whole GPU moves and computes is each GPU's own.
LoopTimes loop_times(double moved, double multiply_adds) {
  return {.instructions = 1.6,
          .wait = 900,
          .instruction_wait = 6,
          .line_wait = 16,
          .line_instructions = 1.6,
          .block_join = 12,
          .moved = moved,
          .multiply_adds = multiply_adds};
}

// "NVIDIA H200 Tensor Core GPU Datasheet", "NVIDIA H100 Tensor Core GPU Architecture" (the same
// multiprocessors). Its times are measured.
Target h200() {
  Target target = gpu("h200", 90, 132);
  target.threads = 2048;
  target.shared_bytes = 228 * kKilobyte;
  target.cache_bytes = 50 * kMegabyte;
  target.megahertz = 1755;
  target.loops = loop_times(1'100, 14'000);
  return target;
}

// "NVIDIA H100 Tensor Core GPU Architecture", SXM5: memory of 3.35 TB/s for 4.8 of an H200.
Target h100() {
  Target target = h200();
  target.name = "h100";
  target.loops.moved = 768;
  return target;
}

// "NVIDIA A100 Tensor Core GPU Architecture", "NVIDIA A100 Datasheet" (80 GB SXM): 64 units for
// multiply-adds a multiprocessor where an H200 has 128, memory of 2.039 TB/s, 1,410 MHz. What it
// moves and computes in a cycle is an H200's share of such peaks.
Target a100() {
  Target target = gpu("a100", 80, 108);
  target.threads = 2048;
  target.shared_bytes = 164 * kKilobyte;
  target.cache_bytes = 40 * kMegabyte;
  target.megahertz = 1410;
  target.loops = loop_times(582, 5'727);
  return target;
}

// "NVIDIA Ada GPU Architecture", "NVIDIA L4 Tensor Core GPU Datasheet": 58 multiprocessors of 128
// units, memory of 0.3 TB/s, 2,040 MHz; in a cycle an H200's share of such peaks.
Target l4() {
  Target target = gpu("l4", 89, 58);
  target.threads = 1536;
  target.shared_bytes = 100 * kKilobyte;
  target.cache_bytes = 48 * kMegabyte;
  target.megahertz = 2040;
  target.loops = loop_times(59, 6'151);
  return target;
}

// A word of a device's name: "H200" of "NVIDIA H200", "A100-SXM4-80GB" of another.
bool names(std::string_view device, std::string_view target) {
  const auto same = [](char a, char b) {
    return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b);
  };
  const auto begin = std::search(device.begin(), device.end(), target.begin(), target.end(), same);
  if (begin == device.end()) return false;
  const auto end = begin + static_cast<std::ptrdiff_t>(target.size());
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return (begin == device.begin() || !is_part(*(begin - 1))) &&
         (end == device.end() || !is_part(*end));
}

}  // namespace

std::span<const Target> known_targets() {
  static const std::array<Target, 4> targets{h200(), h100(), a100(), l4()};
  return targets;
}

const Target* find_target(std::string_view name) {
  const auto targets = known_targets();
  const auto found = std::ranges::find(targets, name, &Target::name);
  return found == targets.end() ? nullptr : &*found;
}

const Target& default_gpu() {
  return known_targets().front();
}

Target target_of(const GpuFacts& facts) {
  Target target = default_gpu();
  for (const Target& known : known_targets()) {
    if (names(facts.device, known.name)) target = known;
  }
  target.name = facts.device;
  const auto take = [](auto& to, auto fact) {
    if (fact > 0) to = fact;
  };
  if (facts.multiprocessors > 0) {
    const double share = static_cast<double>(facts.multiprocessors) / target.multiprocessors;
    target.loops.moved *= share;
    target.loops.multiply_adds *= share;
  }
  take(target.capability, facts.capability);
  take(target.multiprocessors, facts.multiprocessors);
  take(target.threads, facts.threads);
  take(target.registers, facts.registers);
  take(target.shared_bytes, facts.shared_bytes);
  take(target.cache_bytes, facts.cache_bytes);
  return target;
}

}  // namespace vecc
