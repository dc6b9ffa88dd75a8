// The work that reorder-linear compares: multiply-adds, bytes and launches in one number.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/cost/work.h"
#include "vecc/program.h"

namespace vecc::opt {

/// Multiply-adds that take as long as moving a byte: between a core with warm caches (1) and a GPU
/// (8 in single precision).
inline constexpr double kMultiplyAddsPerByte = 4;
/// Multiply-adds that take as long as starting an op: a microsecond or two of a core.
inline constexpr double kMultiplyAddsPerLaunch = 20000;

[[nodiscard]] inline double in_multiply_adds(const Work& work) {
  return work.multiply_adds + kMultiplyAddsPerByte * work.bytes +
         kMultiplyAddsPerLaunch * work.launches;
}

/// The work of a Program once it is compiled well: what no weight reaches is computed at compile
/// time; a linear reads its operands in place, each distinct row once. `fuses_maps`: what only maps
/// read is computed where they read it, and stored nowhere (waits_for_products(), cost.h).
[[nodiscard]] Work counted_work(const Program& program, bool fuses_maps);

/// By value: whether it depends on facts alone.
[[nodiscard]] std::vector<bool> find_constants(const Program& program);

/// Work of parts of a Program that is not built yet, counted in the same way.
class WorkEstimate {
 public:
  explicit WorkEstimate(DType dtype) : element_(byte_size(dtype)) {}

  /// `rows` products of these shapes (after transposes); not their launch, nor what they read.
  void products(Shape left, Shape right, std::uint64_t rows);
  /// A linear's reading of this many distinct rows.
  void reads(Shape shape, std::uint64_t rows) { work_.bytes += bytes(shape, rows); }
  /// A stored gather.
  void gather(Shape shape, std::uint64_t rows);
  /// A map that adds up `addends` rows to each of its own, where what is added up, or the sum, is
  /// computed where it is read.
  void fused_sum(Shape shape, std::uint64_t rows, std::uint64_t addends);
  /// A sum or mean.
  void segment(Shape shape, std::uint64_t members, std::uint64_t segments, Combination combination);
  void launch() { ++work_.launches; }

  [[nodiscard]] double total() const { return in_multiply_adds(work_); }

 private:
  [[nodiscard]] double bytes(Shape shape, std::uint64_t rows) const {
    return static_cast<double>(shape.size()) * static_cast<double>(rows) * element_;
  }

  double element_;
  Work work_;
};

}  // namespace vecc::opt
