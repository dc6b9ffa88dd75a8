// Functions of whole rows in CUDA, whose entries several lanes have.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/kernel/print/row_functions.h"
#include "src/kernel/schedule/entrywise.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

// The sum of a term of each entry.
void print_lanes_sum(BodyText& out, std::uint32_t number, const std::string& term,
                     std::uint64_t entries) {
  out.line(fmt::format("v{} = T(0);", number));
  out.line(fmt::format("{} v{} += {};", out.entry_loop(entries), number, term));
  out.line(fmt::format("v{0} = lanes_sum<T, G>(v{0});", number));
}

// A number made of all entries of rows of one size; false if it is something else.
bool print_total(BodyText& out, std::uint32_t number) {
  const NodeText& of = out.nodes();
  const KernelNode& node = of.node(number);
  if (of.size(number) != 1) return false;
  if (node.kind == Kind::TransformVjp && node.transformation.id == Transformation::Broadcast) {
    const std::uint32_t g = node.operands.back();
    print_lanes_sum(out, number, of.entry(g), of.size(g));
    return true;
  }
  if (node.kind != Kind::Times) return false;
  const std::uint32_t left = node.operands[0];  // a row times a column
  const std::uint32_t right = node.operands[1];
  if (of.node(left).kind == Kind::Load && of.node(right).kind == Kind::Load &&
      of.size(left) == of.size(right)) {
    out.line(fmt::format("v{} = times_rows<T, {}, G>({}, {}, lane);", number, of.size(left),
                         of.pointer(left), of.pointer(right)));
  } else {
    print_lanes_sum(out, number, of.entry(left) + " * " + of.entry(right), of.size(left));
  }
  return true;
}

// Operand 1, or zeros if all of operand 0 is zero.
void print_lanes_guard(BodyText& out, std::uint32_t number) {
  const NodeText& of = out.nodes();
  const KernelNode& node = of.node(number);
  out.line(fmt::format("bool z{} = true;", number));
  out.line(fmt::format("{0} z{1} = z{1} & ({2} == T(0));",
                       out.entry_loop(of.size(node.operands[0])), number,
                       of.entry(node.operands[0])));
  out.line(fmt::format("z{0} = all_lanes<G>(z{0});", number));
  const std::string value = fmt::format("zero_if(z{}, {});", number, of.entry(node.operands[1]));
  out.line(of.size(number) == 1
               ? fmt::format("v{} = {}", number, value)
               : fmt::format("{} v{}[j] = {}", out.entry_loop(of.size(number)), number, value));
}

// Every lane gets all entries of what is shared out.
void gather_operands(BodyText& out, std::uint32_t number) {
  const NodeText& of = out.nodes();
  std::vector<std::uint32_t> rows(of.node(number).operands.begin(), of.node(number).operands.end());
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (const std::uint32_t row : rows) {
    if (!of.is_shared_out(row)) continue;
    out.declare_array(fmt::format("x{}", row), of.size(row));
    out.line(fmt::format("all_entries<T, {0}, G>(v{1}, x{1});", of.size(row), row));
  }
}

void print_lanes_times(BodyText& out, std::uint32_t number) {
  const NodeText whole(out.kernel(), out.schedule(), true);
  const KernelNode& node = whole.node(number);
  const auto [m, k, n] = product_shape(out.kernel(), node);
  out.open("{");
  gather_operands(out, number);
  const std::string operands =
      whole.pointer(node.operands[0]) + ", " + whole.pointer(node.operands[1]);
  const KernelNode& left = whole.node(node.operands[0]);
  if (n == 1 && left.kind == Kind::Load && out.kernel().accesses[left.access].aligned) {
    out.line(fmt::format("times_column<T, {}, {}, {}, G>({}, v{}, lane);", m, k,
                         node.transpose_left, operands, number));
  } else {
    out.line(fmt::format("times_entries<T, {}, {}, {}, {}, {}, G>({}, v{}, lane);", m, k, n,
                         node.transpose_left, node.transpose_right, operands, number));
  }
  out.close();
}

// The prelude's function of whole rows, by every lane. (Its order decides between equal sums.)
void print_by_every_lane(BodyText& out, std::uint32_t number, KernelSpace space) {
  const NodeText whole(out.kernel(), out.schedule(), true);
  const std::uint64_t entries = whole.size(number);
  out.open("{");
  gather_operands(out, number);
  if (entries > 1) out.declare_array(fmt::format("x{}", number), entries);
  print_row_function(out, whole, number, space);
  if (entries > 1) {
    out.line(fmt::format("own_entries<T, {0}, G>(x{1}, v{1}, lane);", entries, number));
  }
  out.close();
}

}  // namespace

void print_whole_row(BodyText& out, std::uint32_t number, KernelSpace space) {
  if (print_total(out, number)) return;
  const Kind kind = out.nodes().node(number).kind;
  if (kind == Kind::Guard) return print_lanes_guard(out, number);
  if (kind == Kind::Times) return print_lanes_times(out, number);
  print_by_every_lane(out, number, space);
}

}  // namespace vecc
