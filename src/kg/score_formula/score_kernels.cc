#include "src/kg/score_formula/score_kernels.h"

#include <optional>
#include <utility>

#include "src/kg/score_formula/part_kernels.h"
#include "src/kg/score_formula/score_kernel_builder.h"
#include "src/plan/lower/expr_nodes.h"

namespace vecc::kg {
namespace {

// Kernels of pairs: q and e to a score.
class PairBuilder {
 public:
  PairBuilder(const SplitScore& split, DType dtype)
      : split_(split), expr_(expr_of(split.pair)), dtype_(dtype) {}

  [[nodiscard]] PairKernels kernels() const {
    return {score(), pull(/*by_query=*/true), pull(/*by_query=*/false)};
  }

 private:
  [[nodiscard]] ScoreKernel score() const {
    ScoreKernelBuilder builder(dtype_);
    builder.begin_members();
    const auto inputs = load_inputs(builder, /*query_is_row=*/true);
    const KernelBuilder members = builder.at(KernelSpace::Member);
    builder.store(ScoreArray::Score, ExprNodes(members, expr_, inputs).result());
    return builder.take();
  }

  [[nodiscard]] ScoreKernel pull(bool by_query) const {
    ScoreKernelBuilder builder(dtype_);
    builder.begin_members();
    const auto inputs = load_inputs(builder, by_query);
    const KernelBuilder members = builder.at(KernelSpace::Member);
    const NodeIndex g =
        builder.load(ScoreArray::Score, Shape::scalar(), KernelSpace::Member, RowMap::Direct);
    ExprNodes nodes(members, expr_, inputs);
    std::vector<NodeIndex> gradients;  // by part, of members
    for (std::uint32_t i = 0; i < split_.pair_inputs.size(); ++i) {
      if (split_.pair_inputs[i].of_query != by_query) continue;
      const auto gradient = nodes.differentiate(i, g);
      gradients.push_back(gradient ? *gradient : members.zeros(split_.pair_inputs[i].shape));
    }
    for (NodeIndex& gradient : gradients) gradient = members.reduce(Combination::Sum, gradient);
    const KernelBuilder rows = builder.at(KernelSpace::Row);
    // Of what fills the column up nothing is read.
    std::uint64_t rest = (by_query ? split_.query : split_.answer)->shape.size();
    for (const NodeIndex gradient : gradients) rest -= rows.shape_of(gradient).size();
    if (rest > 0) {
      gradients.push_back(rows.zeros(Shape::column(static_cast<std::uint32_t>(rest))));
    }
    builder.store(ScoreArray::Made, column_of(rows, gradients));
    return builder.take();
  }

  static NodeIndex column_of(const KernelBuilder& rows, const std::vector<NodeIndex>& parts) {
    std::uint64_t size = 0;
    for (const NodeIndex part : parts) size += rows.shape_of(part).size();
    const Shape column = Shape::column(static_cast<std::uint32_t>(size));
    if (parts.size() == 1) {
      // A row's phase of its own: what members make is there in the next one.
      rows.group().begin_phase(KernelSpace::Row);
      return rows.reshape(parts.front(), column);
    }
    KernelNode node = node_of(KernelNode::Kind::Combine, column);
    node.combination = Combination::Concat;
    for (const NodeIndex part : parts) node.operands.push_back(part);
    return rows.add(std::move(node));
  }

  // The row's parts are taken once, the members' for each.
  std::vector<NodeIndex> load_inputs(ScoreKernelBuilder& builder, bool query_is_row) const {
    std::vector<NodeIndex> nodes(split_.pair_inputs.size());
    for (const bool of_row : {true, false}) {
      const KernelSpace space = of_row ? KernelSpace::Row : KernelSpace::Member;
      const bool of_query = of_row == query_is_row;
      const Shape whole = of_query ? split_.query->shape : split_.answer->shape;
      const NodeIndex column = builder.load(of_query ? ScoreArray::Query : ScoreArray::Answer,
                                            whole, space, RowMap::Direct);
      const KernelBuilder at = builder.at(space);
      for (std::size_t i = 0; i < split_.pair_inputs.size(); ++i) {
        const PairInput& input = split_.pair_inputs[i];
        if (input.of_query != of_query) continue;
        const Expr part = expr_of(part_term(input_term(0, whole), input.begin, input.shape));
        nodes[i] = ExprNodes(at, part, {&column, 1}).result();
      }
    }
    return nodes;
  }

  const SplitScore& split_;
  Expr expr_;
  DType dtype_;
};

}  // namespace

PairKernels make_pair_kernels(const SplitScore& split, DType dtype) {
  return PairBuilder(split, dtype).kernels();
}

namespace {

// Rows as they lie in tables.
std::vector<PartInput> row_inputs(const ScoreFormula& formula) {
  std::vector<PartInput> inputs;
  inputs.push_back(
      {ScoreArray::OwnRow, Shape::column(formula.entity_width), RowMap::List, ScoreArray::Made});
  inputs.push_back({ScoreArray::RelationRow, Shape::column(formula.relation_width), RowMap::List,
                    ScoreArray::MadeRelation});
  for (const ScoreParameter& shared : shared_parameters(formula)) {
    const auto number = static_cast<std::uint32_t>(inputs.size()) - kFirstShared;
    inputs.push_back({shared_array(number), shared.shape, RowMap::One, {}});
  }
  return inputs;
}

PartKernels part_kernels(const PartBuilder& part, std::size_t inputs) {
  PartKernels result{part.make(), part.pull(), {}};
  for (std::uint32_t input = kFirstShared; input < inputs; ++input) {
    result.pull_shared.push_back(part.pull_sum(input));
  }
  return result;
}

}  // namespace

ScoreKernels make_score_kernels(const ScoreFormula& formula, SplitScore split, DType dtype) {
  ScoreKernels kernels;
  kernels.split = std::move(split);
  const std::vector<PartInput> inputs = row_inputs(formula);
  kernels.query = part_kernels({inputs, kernels.split.query, dtype}, inputs.size());
  if (!kernels.split.answer_is_row) {
    kernels.answer = part_kernels({inputs, kernels.split.answer, dtype}, inputs.size());
  }
  if (kernels.split.kind == PairKind::Other) {
    kernels.pair = make_pair_kernels(kernels.split, dtype);
  }
  return kernels;
}

}  // namespace vecc::kg
