#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "src/kernel/schedule/entry_loops.h"
#include "src/kernel/schedule/entrywise.h"
#include "src/kernel/schedule/lanes.h"
#include "src/kernel/schedule/outer_products.h"
#include "src/kernel/schedule/row_products.h"
#include "src/kernel/schedule/segment_sum.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

// Of a kernel's arrays on the stack: a thread may have as little as 512 KiB of it.
constexpr std::uint64_t kStackBytes = 256 << 10;
constexpr std::uint64_t kScratchAlignment = 64;

// The arrays of a kernel's text, in its order.
class ArrayPlacer {
 public:
  ArrayPlacer(const Kernel& kernel, KernelSchedule& schedule)
      : kernel_(kernel), schedule_(schedule), is_early_(kernel.nodes.size(), false) {}

  void place() {
    for (const std::uint32_t load : schedule_.early_loads) {
      add_load(load);
      is_early_[load] = true;
    }
    if (!schedule_.product) {
      for (std::size_t p = 0; p < kernel_.phases.size(); ++p) add_phase(p, kernel_.phases[p].steps);
      return;
    }
    place_around(*schedule_.product);
  }

 private:
  [[nodiscard]] std::uint64_t size(std::uint32_t node) const {
    return kernel_.nodes[node].shape.size();
  }
  [[nodiscard]] std::uint64_t own(std::uint64_t entries) const {
    return own_entries(entries, schedule_.row_lanes());
  }

  void place_around(const ProductSchedule& product) {
    const ProductShape shape = product_shape(kernel_, kernel_.nodes[product.node]);
    if (!schedule_.on_gpu()) {
      if (product.packs_matrix) add("packed", std::uint64_t{shape.m} * shape.k);
      if (!product.columns) add("columns", std::uint64_t{product.rows} * shape.k);
      if (makes_columns(kernel_, product)) placed_ = kernel_.nodes[product.node].operands[1];
      if (!product.store) add("products", std::uint64_t{product.rows} * shape.m);
    }
    if (!product.columns) add_steps_before(product);
    if (product.store) return;
    if (schedule_.on_gpu()) add(fmt::format("v{}", product.node), own(size(product.node)));
    for (const std::uint32_t node : product.repeated) add_step({false, node});
    for (std::size_t p = product.phase; p < kernel_.phases.size(); ++p) {
      const auto& steps = kernel_.phases[p].steps;
      add_phase(p, std::span(steps).subspan(p == product.phase ? product.step + 1 : 0));
    }
  }

  void add_steps_before(const ProductSchedule& product) {
    for (std::size_t p = 0; p <= product.phase; ++p) {
      const auto& steps = kernel_.phases[p].steps;
      add_phase(p, std::span(steps).first(p == product.phase ? product.step : steps.size()));
    }
  }

  void add_phase(std::size_t number, std::span<const KernelStep> steps) {
    const KernelPhase& phase = kernel_.phases[number];
    if (phase.space == KernelSpace::Row) {
      for (const KernelStep& step : steps) add_step(step);
      return;
    }
    const PhaseLoop loop = schedule_.phases[number].loop;
    if (loop == PhaseLoop::RowSum) return add_node(segment_sum(kernel_, phase)->sum);
    for (const KernelStep& step : steps) add_reduction(step);
    if (loop == PhaseLoop::OuterProducts) {
      const OuterProductSum of = *outer_product_sums(kernel_, phase);
      const PhaseSchedule& phase_schedule = schedule_.phases[number];
      const std::uint64_t members = phase_schedule.members;
      if (!phase_schedule.left_in_place) {
        add(fmt::format("left{}", of.sum), members * size(of.left));
      }
      if (!phase_schedule.right_in_place) {
        add(fmt::format("right{}", of.sum), members * size(of.right));
      }
    } else if (loop == PhaseLoop::Steps || loop == PhaseLoop::Batches) {
      for (const KernelStep& step : steps) add_step(step);
    }
  }

  // What stands before the loop over members.
  void add_reduction(const KernelStep& step) {
    if (step.store || size(step.number) == 1) return;
    const KernelNode& node = kernel_.nodes[step.number];
    if (node.kind == Kind::Scan) {
      add(fmt::format("a{}", step.number), own(size(step.number)));
    } else if (node.kind == Kind::Reduce) {
      add_node(step.number);
    }
    if (is_entry_selection(node)) add_entry_selection(step.number);
  }

  void add_step(const KernelStep& step) {
    if (step.store) return add_store(kernel_.stores[step.number]);
    const KernelNode& node = kernel_.nodes[step.number];
    if (node.kind == Kind::Load) {
      if (!is_early_[step.number]) add_load(step.number);
      return;
    }
    if (node.kind == Kind::Reduce || node.kind == Kind::ReduceArg) {
      return add_selected(step.number);
    }
    if (node.kind == Kind::Threshold) return;
    const bool entrywise = is_entrywise(kernel_, node);
    if (!entrywise || std::ranges::binary_search(schedule_.arrays, step.number)) {
      add_node(step.number);
    }
    if (!entrywise) add_operands(step.number);
  }

  void add_load(std::uint32_t node) {
    if (schedule_.packs[kernel_.nodes[node].access] > 1) {
      add(fmt::format("h{}", node), own(size(node)));
    }
  }
  void add_store(const KernelStore& store) {
    if (schedule_.packs[store.access] > 1) {
      add(stored_entries_name(kernel_, store), own(size(store.value)));
    }
  }
  void add_node(std::uint32_t node) {
    if (size(node) > 1 && node != placed_) add(fmt::format("v{}", node), own(size(node)));
  }

  // A row that lanes have in parts, of which each of them gets all.
  [[nodiscard]] bool is_shared_out(std::uint32_t node) const {
    return schedule_.on_gpu() && size(node) > 1 && kernel_.nodes[node].kind != Kind::Load;
  }
  void add_entry_selection(std::uint32_t number) {
    const bool reduces = kernel_.nodes[number].kind == Kind::Reduce;
    if (!reduces) add(fmt::format("b{}", number), own(size(number)));
    if (!reduces || schedule_.on_gpu()) add(fmt::format("s{}", number), own(size(number)));
  }
  void add_selected(std::uint32_t number) {
    const KernelNode& node = kernel_.nodes[number];
    if (!is_selection(node) || is_entry_selection(node)) return;
    if (!is_shared_out(node.operands[0])) return;
    add(fmt::format("x{}_{}", node.operands[0], number), size(node.operands[0]));
  }

  // What a function of whole rows has while it is computed.
  void add_operands(std::uint32_t number) {
    const KernelNode& node = kernel_.nodes[number];
    const std::uint64_t before = bytes_;
    if (schedule_.on_gpu()) {
      if (is_total(node) || node.kind == Kind::Guard) return;
      std::vector<std::uint32_t> rows(node.operands.begin(), node.operands.end());
      std::ranges::sort(rows);
      rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
      for (const std::uint32_t row : rows) {
        if (is_shared_out(row)) add(fmt::format("x{}", row), size(row));
      }
      if (node.kind != Kind::Times && size(number) > 1)
        add(fmt::format("x{}", number), size(number));
    }
    if (node.kind == Kind::Combine && node.combination == Combination::CrossSum) {
      std::uint64_t length = size(node.operands[0]);
      for (std::size_t k = 1; k + 1 < node.operands.size(); ++k) {
        length *= size(node.operands[k]);
        add(fmt::format("c{}_{}", number, k), length);
      }
    }
    if (schedule_.on_gpu()) bytes_ = before;
  }
  // A number that lanes add up together.
  [[nodiscard]] static bool is_total(const KernelNode& node) {
    return node.shape.size() == 1 &&
           (node.kind == Kind::Times || (node.kind == Kind::TransformVjp &&
                                         node.transformation.id == Transformation::Broadcast));
  }

  void add(const std::string& name, std::uint64_t entries) {
    const std::uint64_t number_bytes = byte_size(kernel_.dtype);
    const std::uint64_t bytes = entries * number_bytes;
    if (!schedule_.on_gpu() && bytes_ + bytes > kStackBytes) {
      schedule_.scratch.push_back({name, schedule_.scratch_bytes / number_bytes});
      schedule_.scratch_bytes +=
          (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
      return;
    }
    bytes_ += bytes;
    schedule_.array_bytes = std::max(schedule_.array_bytes, bytes_);
  }

  const Kernel& kernel_;
  KernelSchedule& schedule_;
  std::vector<bool> is_early_;
  std::uint32_t placed_ = kNoOperand;  // a column, which is in an array of several rows' columns
  std::uint64_t bytes_ = 0;            // of the arrays that are there
};

}  // namespace

void place_arrays(const Kernel& kernel, KernelSchedule& schedule) {
  ArrayPlacer(kernel, schedule).place();
}

}  // namespace vecc
