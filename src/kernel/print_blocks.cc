// Products in blocks. A matrix that a tile's rows share times their columns is one matrix product
// of several rows; a sum of outer products over members takes several members at once.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/kernel/body_printer.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

constexpr std::uint32_t kBlock = 8;                // rows, or members
constexpr std::uint32_t kLeastColumn = 8;          // shorter results fill no register
constexpr std::uint64_t kPackedEntries = 1 << 14;  // of a matrix that is transposed on the stack

bool is_shared(const KernelAccess& access) {
  return access.map == RowMap::One || access.map == RowMap::Tile;
}

}  // namespace

// A matrix of all rows times a column of each.
bool BodyPrinter::is_blocked_product(std::uint32_t number) const {
  const KernelNode& node = kernel_.nodes[number];
  if (node.kind != Kind::Times || node.transpose_right) return false;
  const KernelNode& left = kernel_.nodes[node.operands[0]];
  const Shape right = kernel_.nodes[node.operands[1]].shape;
  return left.kind == Kind::Load && is_shared(kernel_.accesses[left.access]) &&
         kernel_.accesses[left.access].space == KernelSpace::Row && left.shape.is_matrix() &&
         !right.is_scalar() && right.cols() == 1 &&
         (lanes_ > 0 ? block_rows_of(number) > 0 : node.shape.size() >= kLeastColumn);
}

// The first such product, if what stands after it needs of what stands before it only loads and
// constants, which are cheap to have again.
void BodyPrinter::find_blocked_product() {
  for (std::size_t p = 0; p < kernel_.phases.size(); ++p) {
    const KernelPhase& phase = kernel_.phases[p];
    for (std::size_t s = 0; s < phase.steps.size(); ++s) {
      if (phase.steps[s].store || !is_blocked_product(phase.steps[s].number)) continue;
      if (phase.space == KernelSpace::Row && can_split(p, s)) {
        blocked_ = phase.steps[s].number;
        arrays_[blocked_] = true;
        blocked_phase_ = p;
        blocked_step_ = s;
      }
      return;
    }
  }
}

bool BodyPrinter::can_split(std::size_t phase, std::size_t step) {
  repeated_.clear();
  std::vector<bool> before(kernel_.nodes.size(), false);
  bool after = false;
  for (std::size_t p = 0; p < kernel_.phases.size(); ++p) {
    const KernelPhase& here = kernel_.phases[p];
    if (p > phase && here.space == KernelSpace::Member) return false;
    for (std::size_t s = 0; s < here.steps.size(); ++s) {
      if (p == phase && s == step) {
        after = true;
        continue;
      }
      const bool store = here.steps[s].store;
      if (!after) {
        if (!store) before[here.steps[s].number] = true;
        continue;
      }
      const auto is_there = [&](std::uint32_t n) {
        const Kind kind = kernel_.nodes[n].kind;
        if (!before[n]) return true;
        if (kind != Kind::Load && kind != Kind::Constant) return false;
        if (std::ranges::find(repeated_, n) == repeated_.end()) repeated_.push_back(n);
        return true;
      };
      if (store) {
        if (!is_there(kernel_.stores[here.steps[s].number].value)) return false;
      } else if (!std::ranges::all_of(kernel_.nodes[here.steps[s].number].operands, is_there)) {
        return false;
      }
    }
  }
  return true;
}

// Rows begin .. end - 1 in blocks; `row` is row number q's text.
std::string BodyPrinter::print_blocked(const std::string& row) {
  const KernelNode& node = kernel_.nodes[blocked_];
  const KernelNode& left = kernel_.nodes[node.operands[0]];
  const std::uint64_t m = node.shape.size();
  const std::uint64_t k = left.shape.size() / m;
  const bool packs = !node.transpose_left && m * k <= kPackedEntries;
  indent_ = "  ";
  const std::string matrix = row_pointer(left.access, "0", m * k);
  line(fmt::format("const T* matrix = {};", matrix));
  if (packs) {
    declare_array("packed", m * k);
    line(fmt::format("transp<T, {}, {}>(matrix, packed);", m, k));
  }
  declare_array("columns", kBlock * k, true);
  declare_array("products", kBlock * m);
  line(fmt::format("for (unsigned q = begin; q < end; q += {}) {{", kBlock));
  line(fmt::format("  const unsigned count = end - q < {0} ? end - q : {0};", kBlock));
  line("  for (unsigned b = 0; b < count; ++b) {");
  line(fmt::format("    const unsigned r = {};", row));
  indent_ = "      ";
  print_steps_before();
  line(fmt::format("copy<T, {}>({}, columns + b * {});", k, pointer(node.operands[1]), k));
  indent_ = "  ";
  line("  }");
  line(fmt::format("  times<T, {}, {}, {}, false, {}>(columns, {}, products);", kBlock, k, m,
                   !packs && !node.transpose_left, packs ? "packed" : "matrix"));
  line("  for (unsigned b = 0; b < count; ++b) {");
  line(fmt::format("    const unsigned r = {};", row));
  line(fmt::format("    const T* v{} = products + b * {};", blocked_, m));
  indent_ = "      ";
  print_steps_after();
  indent_ = "  ";
  line("  }");
  line("}");
  return std::move(text_);
}

void BodyPrinter::print_steps_before() {
  for (std::size_t p = 0; p <= blocked_phase_; ++p) {
    KernelPhase part = kernel_.phases[p];
    if (p == blocked_phase_) part.steps.resize(blocked_step_);
    // The matrix itself is not the rows'.
    std::erase_if(part.steps, [&](const KernelStep& step) {
      return !step.store && step.number == kernel_.nodes[blocked_].operands[0];
    });
    print_phase(part);
  }
}

void BodyPrinter::print_steps_after() {
  space_ = KernelSpace::Row;
  for (const std::uint32_t number : repeated_) print_node(number, KernelSpace::Row);
  for (std::size_t p = blocked_phase_; p < kernel_.phases.size(); ++p) {
    KernelPhase part = kernel_.phases[p];
    if (p == blocked_phase_) {
      part.steps.erase(part.steps.begin(),
                       part.steps.begin() + static_cast<std::ptrdiff_t>(blocked_step_) + 1);
    }
    print_phase(part);
  }
}

// A phase that only sums rows that it loads, each perhaps times a number: load x, [load factor,
// product,] sum. The number's node, if there is one.
std::optional<MemberSum> BodyPrinter::member_sum(const KernelPhase& phase) const {
  const auto& steps = phase.steps;
  const bool scales = steps.size() == 4;
  if (phase.space != KernelSpace::Member || phase.reversed || (steps.size() != 2 && !scales) ||
      kernel_.segments == KernelSegments::Strided ||
      std::ranges::any_of(steps, &KernelStep::store)) {
    return std::nullopt;
  }
  const KernelNode& sum = kernel_.nodes[steps.back().number];
  const std::uint32_t member = steps[steps.size() - 2].number;
  if (sum.kind != Kind::Reduce || sum.operands.empty() || sum.operands[0] != member ||
      (sum.combination != Combination::Sum && sum.combination != Combination::Avg) ||
      sum.shape.size() < kLeastColumn || kernel_.nodes[steps[0].number].kind != Kind::Load) {
    return std::nullopt;
  }
  if (!scales) return MemberSum{member, kNoOperand, steps.back().number};
  const KernelNode& product = kernel_.nodes[member];
  const bool multiplies =
      (product.kind == Kind::Times && is_entrywise(kernel_, product)) ||
      (product.kind == Kind::Combine && product.combination == Combination::ElProduct);
  if (!multiplies || product.operands.size() != 2 ||
      kernel_.nodes[steps[1].number].kind != Kind::Load) {
    return std::nullopt;
  }
  std::uint32_t factor = product.operands[0];
  std::uint32_t row = product.operands[1];
  if (size(factor) != 1) std::swap(factor, row);
  if (size(factor) != 1 || size(row) != sum.shape.size()) return std::nullopt;
  for (const std::uint32_t operand : {factor, row}) {
    if (operand != steps[0].number && operand != steps[1].number) return std::nullopt;
  }
  return MemberSum{row, factor, steps.back().number};
}

void BodyPrinter::print_member_sum(const KernelPhase& phase, const MemberSum& of) {
  const auto place = [&](std::uint32_t node) {
    const std::uint32_t access = kernel_.nodes[node].access;
    return std::pair(access, row_of(kernel_.accesses[access], access, "e"));
  };
  const auto [access, row] = place(of.row);
  declare(of.sum);
  line(fmt::format("sum_members<T, {}>(begin_of(r), end_of(r),", size(of.sum)));
  line(fmt::format("    [=](unsigned e) {{ return d{} + size_t({}) * {}; }},", access, row,
                   size(of.row)));
  if (of.factor == kNoOperand) {
    line("    [](auto x, auto sum, unsigned) { return sum + x; },");
  } else {
    const auto [factor, factor_row] = place(of.factor);
    line(fmt::format(
        "    [=](auto x, auto sum, unsigned e) {{ return madd(d{}[{}] - decltype(x){{}}, "
        "x, sum); }},",
        factor, factor_row));
  }
  line(fmt::format("    v{});", of.sum));
  finish_reductions(phase);
}

// A phase that only sums outer products of two columns that it loads.
bool BodyPrinter::sums_outer_products(const KernelPhase& phase) const {
  if (phase.space != KernelSpace::Member || phase.reversed || phase.steps.size() != 4 ||
      kernel_.segments == KernelSegments::Strided) {
    return false;
  }
  if (std::ranges::any_of(phase.steps, &KernelStep::store)) return false;
  const KernelNode& g = kernel_.nodes[phase.steps[0].number];
  const KernelNode& x = kernel_.nodes[phase.steps[1].number];
  const KernelNode& product = kernel_.nodes[phase.steps[2].number];
  const KernelNode& sum = kernel_.nodes[phase.steps[3].number];
  return g.kind == Kind::Load && x.kind == Kind::Load && product.kind == Kind::Times &&
         sum.kind == Kind::Reduce && sum.combination == Combination::Sum &&
         product.operands[0] == phase.steps[0].number &&
         product.operands[1] == phase.steps[1].number && sum.operands[0] == phase.steps[2].number &&
         !product.transpose_left && product.transpose_right && g.shape.cols() == 1 &&
         x.shape.cols() == 1 && x.shape.size() >= kLeastColumn && !g.shape.is_scalar();
}

void BodyPrinter::print_outer_products(const KernelPhase& phase) {
  const std::uint32_t g = phase.steps[0].number;
  const std::uint32_t x = phase.steps[1].number;
  const std::uint32_t sum = phase.steps[3].number;
  declare_reductions(phase);
  declare_array(fmt::format("left{}", sum), kBlock * size(g), true);
  declare_array(fmt::format("right{}", sum), kBlock * size(x), true);
  line(fmt::format("for (unsigned f = begin_of(r), last = end_of(r); f < last; f += {}) {{",
                   kBlock));
  line(fmt::format("  const unsigned count = last - f < {0} ? last - f : {0};", kBlock));
  line("  for (unsigned b = 0; b < count; ++b) {");
  line("    const unsigned e = f + b;");
  indent_ += "    ";
  print_load(g, KernelSpace::Member);
  print_load(x, KernelSpace::Member);
  line(fmt::format("copy<T, {0}>(v{1}, left{2} + b * {0});", size(g), g, sum));
  line(fmt::format("copy<T, {0}>(v{1}, right{2} + b * {0});", size(x), x, sum));
  indent_.resize(indent_.size() - 4);
  line("  }");
  for (const auto& [name, number] : {std::pair("left", g), std::pair("right", x)}) {
    line(fmt::format("  for (unsigned i = count * {0}; i < {1}; ++i) {2}{3}[i] = T(0);",
                     size(number), kBlock * size(number), name, sum));
  }
  line(fmt::format("  times_add<T, {}, {}, {}, true, false>(left{}, right{}, v{});", size(g),
                   kBlock, size(x), sum, sum, sum));
  line("}");
}

}  // namespace vecc
