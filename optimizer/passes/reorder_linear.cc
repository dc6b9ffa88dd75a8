// reorder-linear: products in the order that takes the least counted work.
//
//   %3 = linear (gather %v [0, 0, 0]), %x ; %4 = linear (gather %w [0, 0, 0]), %3     W (V x)
//   =>
//   %3 = linear %w, %v ; %4 = linear (gather %3 [0, 0, 0]), %x                        (W V) x
//
// The rules (each in its file, reorder_linear_*.cc), all but the second and the last three in both
// directions:
//   - a product before or after a sum or mean: W x + W y is W (x + y)
//   - the same where products stand among other members, or times scalars: W x + b - W y is
//     W (x - y) + b
//   - three factors: W (V x) is (W V) x; scalar factors also change places
//   - more factors: the whole product at once
//   - a product with a matrix that is a product, before or after a sum
//   - a product with a sum of which a part is a product: W (V x + b) is (W V) x + W b
//   - a sum of such sums: of n members V x + b it is V (sum x) + n b
//   - a product that only products read, or a sum of it: A (W x), B (W x) is (A W) x, (B W) x
// (A product before or after a gather: dedup-linear-pairs and dedup-rows see to it that none is
// computed twice, or for nothing.) Sums and products only: never across another function, max, min,
// elproduct or softmax. A product that another op needs anyway is not counted as saved, row by row.
//
// Work is multiply-adds, bytes moved and launches (reorder_linear_work.h) over distinct rows, after
// what is constant was computed at compile time. All reorderings of a round that do not touch each
// other are done at once, the best first; rounds go on while the whole Program's counted work
// falls, 64 at most, so that all of it is linear in the Program. Outputs and gradients stay the
// same but for rounding.
#include <algorithm>
#include <utility>
#include <vector>

#include "optimizer/passes/passes.h"
#include "optimizer/passes/reorder_linear_rules.h"
#include "optimizer/passes/reorder_linear_work.h"
#include "optimizer/rewrite/needed_rows.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

constexpr std::uint32_t kMostRounds = 64;

std::optional<Reordering> better(std::optional<Reordering> a, std::optional<Reordering> b) {
  return b && (!a || b->saved > a->saved) ? std::move(b) : std::move(a);
}

std::optional<Reordering> best_for(const ProductView& view, const Readers& readers, ValueId id) {
  const Op& op = view.program().op(id);
  if (view.is_constant(id) || op.rows == 0) return {};
  if (op.kind() == OpKind::Segment) {
    return better(
        better(factor_out_of_sums(view, id), factor_out_of_scaled_sums(view, readers, id)),
        better(better(factor_out_of_matrices(view, readers, id),
                      factor_out_of_nested_sums(view, readers, id)),
               multiply_matrices_of_readers(view, readers, id)));
  }
  if (op.kind() == OpKind::Map) return factor_out_of_nested_sums(view, readers, id);
  const auto* linear = std::get_if<LinearOp>(&op.attributes);
  if (linear == nullptr || has_lifts(*linear)) return {};
  return better(better(distribute_over_sums(view, id), reassociate(view, id)),
                better(carry_through_sums(view, readers, id),
                       multiply_matrices_of_readers(view, readers, id)));
}

// The best reorderings that do not touch each other, by op; empty if there is none.
std::vector<std::optional<Reordering>> choose(const ProductView& view, const Readers& readers) {
  std::vector<Reordering> found = reorder_chains(view);
  const auto ops = static_cast<ValueId>(view.program().ops().size());
  for (ValueId id = 0; id < ops; ++id) {
    if (auto best = best_for(view, readers, id)) found.push_back(std::move(*best));
  }
  if (found.empty()) return {};
  std::ranges::stable_sort(found, std::ranges::greater(), &Reordering::saved);
  std::vector<std::optional<Reordering>> chosen(ops);
  std::vector<bool> touched(ops);
  for (Reordering& reordering : found) {
    std::vector<ValueId> all = reordering.inner;
    all.push_back(reordering.op);
    for (const Reordering& other : reordering.others) all.push_back(other.op);
    if (std::ranges::any_of(all, [&](ValueId id) { return bool{touched[id]}; })) continue;
    for (const ValueId id : all) touched[id] = true;
    for (Reordering& other : reordering.others) chosen[other.op] = std::move(other);
    chosen[reordering.op] = std::move(reordering);
  }
  return chosen;
}

// One round; the same Program if nothing was found.
Program reorder_once(const Program& program, bool fuses_maps, std::vector<const char*>& rules) {
  const ProductView view(program, fuses_maps);
  const Readers readers(program);
  const auto chosen = choose(view, readers);
  if (chosen.empty()) return program;
  Rewriter rewriter(program);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (!chosen[id]) {
      rewriter.copy(id);
      continue;
    }
    chosen[id]->apply(rewriter);
    rules.push_back(chosen[id]->rule);
  }
  Program result = compose_gathers(rewriter.finish());
  drop_unread_rows(result);
  return result;
}

// Whether a product reads a product or a sum, or a sum a product: each rule exchanges two.
bool has_orders(const Program& program) {
  const auto is_ours = [](const Op& op) {
    return op.kind() == OpKind::Linear || op.kind() == OpKind::Segment || op.kind() == OpKind::Map;
  };
  return std::ranges::any_of(program.ops(), [&](const Op& op) {
    return is_ours(op) && std::ranges::any_of(op.operands, [&](ValueId operand) {
             return is_ours(program.op(read_through(program, operand).source));
           });
  });
}

}  // namespace

bool reorder_linear(Program& program, PassContext& context) {
  if (!has_orders(program)) return false;
  const bool fuses_maps = context.waits_for_products();
  Work work = counted_work(program, fuses_maps);
  context.count("multiply-adds before", static_cast<std::uint64_t>(work.multiply_adds));
  bool changed = false;
  for (std::uint32_t round = 0; round < kMostRounds && SourceRows::fits(program); ++round) {
    std::vector<const char*> rules;
    Program next = reorder_once(program, fuses_maps, rules);
    if (rules.empty()) break;
    const Work next_work = counted_work(next, fuses_maps);
    if (in_multiply_adds(next_work) >= in_multiply_adds(work)) break;
    for (const char* rule : rules) context.count(rule, 1);
    context.count("rounds", 1);
    program = std::move(next);
    work = next_work;
    changed = true;
  }
  context.count("multiply-adds after", static_cast<std::uint64_t>(work.multiply_adds));
  return changed;
}

}  // namespace vecc::opt
