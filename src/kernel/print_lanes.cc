// Nodes that see whole rows, where lanes of a GPU share a row. Totals go through the lanes,
// products are computed entry by entry, each lane its own; for all else every lane gets the whole
// row.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/kernel/body_printer.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

}  // namespace

// A row in registers, of which each lane has its entries.
bool BodyPrinter::is_distributed(std::uint32_t number) const {
  return size(number) > 1 && kernel_.nodes[number].kind != Kind::Load;
}

// Before a store that may be where others still read. (A lane alone does not wait: a compiler moves
// nothing past that.)
void BodyPrinter::print_sync(KernelSpace space) {
  if (lanes_ == 0) return;
  if (space == KernelSpace::Row) {
    line("sync_row<G, Slots>();");
  } else if (lanes_ > 1) {
    line("sync_lanes<G>();");
  }
}

void BodyPrinter::print_lanes_call(std::uint32_t number) {
  if (print_lanes_total(number)) return;
  switch (kernel_.nodes[number].kind) {
    case Kind::Guard: return print_lanes_guard(number);
    case Kind::Times: return print_lanes_times(number);
    case Kind::Transform:
    case Kind::TransformVjp:
    case Kind::Combine:
    case Kind::CombineVjp:
    case Kind::RowSum: return print_whole_row(number);  // its order decides between equal sums
    case Kind::Load:
    case Kind::Constant:
    case Kind::Reduce:
    case Kind::ReduceArg:
    case Kind::Selected:
    case Kind::Scan:
    case Kind::Threshold: break;
  }
  fail_check("a node of whole rows", __FILE__, __LINE__, std::to_string(number));
}

// The sum of a term of each entry.
void BodyPrinter::print_lanes_sum(std::uint32_t number, const std::string& term,
                                  std::uint64_t entries) {
  line(fmt::format("v{} = T(0);", number));
  line(fmt::format("{} v{} += {};", entry_loop(entries), number, term));
  line(fmt::format("v{0} = lanes_sum<T, G>(v{0});", number));
}

// A number made of all entries of rows of one size; false if it is something else.
bool BodyPrinter::print_lanes_total(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  if (size(number) != 1) return false;
  if (node.kind == Kind::Times) {  // a row times a column
    const std::uint32_t left = node.operands[0];
    const std::uint32_t right = node.operands[1];
    const auto is_there = [&](std::uint32_t n) { return kernel_.nodes[n].kind == Kind::Load; };
    if (is_there(left) && is_there(right) && size(left) == size(right)) {
      line(fmt::format("v{} = times_rows<T, {}, G>({}, {}, lane);", number, size(left),
                       pointer(left), pointer(right)));
    } else {
      print_lanes_sum(number, entry(left) + " * " + entry(right), size(left));
    }
    return true;
  }
  if (node.kind == Kind::TransformVjp && node.transformation.id == Transformation::Broadcast) {
    print_lanes_sum(number, entry(node.operands.back()), size(node.operands.back()));
    return true;
  }
  return false;
}

// Operand 1, or zeros if all of operand 0 is zero.
void BodyPrinter::print_lanes_guard(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  line(fmt::format("bool z{} = true;", number));
  line(fmt::format("{} z{} = z{} & ({} == T(0));", entry_loop(size(node.operands[0])), number,
                   number, entry(node.operands[0])));
  line(fmt::format("z{0} = all_lanes<G>(z{0});", number));
  const std::string value = fmt::format("zero_if(z{}, {});", number, entry(node.operands[1]));
  line(size(number) == 1 ? fmt::format("v{} = {}", number, value)
                         : fmt::format("{} v{}[j] = {}", entry_loop(size(number)), number, value));
}

// Every lane gets all entries of what is distributed.
void BodyPrinter::gather_operands(std::uint32_t number) {
  std::vector<std::uint32_t> rows(kernel_.nodes[number].operands.begin(),
                                  kernel_.nodes[number].operands.end());
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (const std::uint32_t row : rows) {
    if (!is_distributed(row)) continue;
    declare_array(fmt::format("x{}", row), size(row));
    line(fmt::format("all_entries<T, {0}, G>(v{1}, x{1});", size(row), row));
  }
}

void BodyPrinter::print_lanes_times(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  const auto [m, k, n] = product_shape(kernel_, node);
  const std::uint64_t before = array_bytes_;
  line("{");
  indent_ += "  ";
  gather_operands(number);
  whole_ = true;
  const std::string operands = pointer(node.operands[0]) + ", " + pointer(node.operands[1]);
  whole_ = false;
  const KernelNode& left = kernel_.nodes[node.operands[0]];
  if (n == 1 && left.kind == Kind::Load && kernel_.accesses[left.access].aligned) {
    line(fmt::format("times_column<T, {}, {}, {}, G>({}, v{}, lane);", m, k, node.transpose_left,
                     operands, number));
  } else {
    line(fmt::format("times_entries<T, {}, {}, {}, {}, {}, G>({}, v{}, lane);", m, k, n,
                     node.transpose_left, node.transpose_right, operands, number));
  }
  indent_.resize(indent_.size() - 2);
  line("}");
  array_bytes_ = before;
}

// The prelude's function of whole rows, by every lane.
void BodyPrinter::print_whole_row(std::uint32_t number) {
  const bool is_row = size(number) > 1;
  const std::uint64_t before = array_bytes_;
  line("{");
  indent_ += "  ";
  gather_operands(number);
  if (is_row) declare_array(fmt::format("x{}", number), size(number));
  whole_ = true;
  print_call(number);
  whole_ = false;
  if (is_row) line(fmt::format("own_entries<T, {0}, G>(x{1}, v{1}, lane);", size(number), number));
  indent_.resize(indent_.size() - 2);
  line("}");
  array_bytes_ = before;
}

// Where few lanes have a row each of them takes numbers of its own: else all would load the same.
bool BodyPrinter::lanes_share_members(const KernelPhase& phase) const {
  constexpr std::uint32_t kMostLanes = 4;
  const auto is_number = [&](std::uint32_t node) { return kernel_.nodes[node].shape.is_scalar(); };
  return lanes_ > 1 && lanes_ <= kMostLanes && phase.space == KernelSpace::Member &&
         !phase.reversed && std::ranges::all_of(phase.steps, [&](const KernelStep& step) {
           if (step.store) return is_number(kernel_.stores[step.number].value);
           const KernelNode& node = kernel_.nodes[step.number];
           return node.kind != Kind::Scan && node.kind != Kind::Threshold &&
                  is_number(step.number) && std::ranges::all_of(node.operands, is_number);
         });
}

const char* BodyPrinter::first_member() const {
  return shared_ ? "slot * G + lane" : "slot";
}
const char* BodyPrinter::slot_count() const {
  return shared_ ? "(Slots * G)" : "Slots";
}

// What the slots of a row reduced their members to.
void BodyPrinter::join_slots(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  const bool reduces = node.kind == Kind::Reduce;
  if (!reduces && node.kind != Kind::ReduceArg) return;
  if (node.combination == Combination::Count) return;
  const std::string of = shared_ ? "1, Slots * G" : "G, Slots";
  if (node.combination == Combination::Max || node.combination == Combination::Min) {
    line(fmt::format("join_selections<T, {0}, {5}, {1}, {2}>(s{3}, b{3}, {4}, first_of(r));",
                     reduces ? size(number) : 0, node.combination == Combination::Max,
                     node.skips_nan, number, reduces ? pointer(number) : "static_cast<T*>(nullptr)",
                     of));
    return;
  }
  const char* op = node.combination == Combination::ElProduct ? "*" : "+";
  line(fmt::format("join_slots<T, {}, {}>({}, [](T a, T b) {{ return a {} b; }});", size(number),
                   of, pointer(number), op));
}

}  // namespace vecc
