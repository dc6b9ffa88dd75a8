#include "src/kg/score_formula/score_kernels.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/plan/lower/expr_nodes.h"
#include "src/plan/lower/kernel_builder.h"

namespace vecc::kg {
namespace {

ScoreArray shared_array(std::size_t k) {
  return static_cast<ScoreArray>(static_cast<std::size_t>(ScoreArray::Shared) + k);
}

// One kernel that grows: loads and stores of arrays, and nodes.
class ScoreKernelBuilder {
 public:
  explicit ScoreKernelBuilder(DType dtype)
      : program_(dtype),
        analysis_(analyze(program_, {})),
        grouping_(program_, analysis_),
        group_(grouping_.groups.add(dtype, 1, 0, 1)) {}

  // Rows have members, as many as a launch says.
  void begin_members() {
    constexpr std::uint32_t kSome = 1024;  // more than a kernel has as a constant
    grouping_.groups[group_].set_segments(Segments::fixed(kSome), kSome);
  }
  [[nodiscard]] KernelBuilder at(KernelSpace space) {
    return {program_, grouping_, 0, group_, space};
  }
  NodeIndex load(ScoreArray array, Shape shape, KernelSpace space, RowMap map) {
    return grouping_.groups[group_].load(access_of(array, shape, space, map));
  }
  void store(ScoreArray array, NodeIndex node) {
    KernelGroup& group = grouping_.groups[group_];
    group.store(node, access_of(array, group.shape_of(node), group.space_of(node), RowMap::Direct));
  }

  ScoreKernel take() {
    KernelGroup& group = grouping_.groups[group_];
    ScoreKernel made;
    for (const GroupAccess& access : group.accesses()) {
      made.arrays.push_back(static_cast<ScoreArray>(access.value));
    }
    made.kernel = group.take_kernel();
    const auto verified = vecc::verify(made.kernel);
    VECC_CHECK(verified, "a score's kernel breaks a rule");
    return made;
  }

 private:
  static GroupAccess access_of(ScoreArray array, Shape shape, KernelSpace space, RowMap map) {
    GroupAccess access{{false, space, map, shape}, static_cast<ValueId>(array)};
    // Every list is one of its own.
    if (map == RowMap::List) access.list = static_cast<ArrayIndex>(array);
    return access;
  }

  Program program_;
  ProgramAnalysis analysis_;
  Grouping grouping_;
  GroupIndex group_;
};

bool reads_input(const Expr& expr, std::uint32_t input) {
  return std::ranges::any_of(expr.nodes, [&](const ExprNode& node) {
    return node.kind == ExprNode::Kind::Input && node.input == input;
  });
}

// Kernels of q or of e.
class PartBuilder {
 public:
  PartBuilder(const ScoreFormula& formula, const TermPtr& part, DType dtype)
      : formula_(formula),
        shared_(shared_parameters(formula)),
        expr_(expr_of(part)),
        shape_(part->shape),
        dtype_(dtype) {}

  [[nodiscard]] PartKernels kernels() const {
    PartKernels result{make(), pull(), {}};
    for (std::uint32_t k = 0; k < shared_.size(); ++k) {
      const bool depends = reads_input(expr_, kFirstShared + k);
      result.pull_shared.push_back(depends ? pull_shared(k) : ScoreKernel());
    }
    return result;
  }

 private:
  [[nodiscard]] ScoreKernel make() const {
    ScoreKernelBuilder builder(dtype_);
    const auto inputs = load_inputs(builder, KernelSpace::Row);
    const KernelBuilder rows = builder.at(KernelSpace::Row);
    builder.store(ScoreArray::Made, ExprNodes(rows, expr_, inputs).result());
    return builder.take();
  }

  [[nodiscard]] ScoreKernel pull() const {
    ScoreKernelBuilder builder(dtype_);
    const auto inputs = load_inputs(builder, KernelSpace::Row);
    const KernelBuilder rows = builder.at(KernelSpace::Row);
    const NodeIndex g =
        builder.load(ScoreArray::Gradient, shape_, KernelSpace::Row, RowMap::Direct);
    ExprNodes nodes(rows, expr_, inputs);
    bool stores = false;
    for (const auto& [input, array] : {std::pair(kOwnRow, ScoreArray::Made),
                                       std::pair(kRelationRow, ScoreArray::MadeRelation)}) {
      const auto gradient = nodes.differentiate(input, g);
      if (!gradient) continue;
      builder.store(array, *gradient);
      stores = true;
    }
    return stores ? builder.take() : ScoreKernel();
  }

  [[nodiscard]] ScoreKernel pull_shared(std::uint32_t k) const {
    ScoreKernelBuilder builder(dtype_);
    builder.begin_members();
    const auto inputs = load_inputs(builder, KernelSpace::Member);
    const KernelBuilder members = builder.at(KernelSpace::Member);
    const NodeIndex g =
        builder.load(ScoreArray::Gradient, shape_, KernelSpace::Member, RowMap::Direct);
    ExprNodes nodes(members, expr_, inputs);
    const auto gradient = nodes.differentiate(kFirstShared + k, g);
    if (!gradient) return {};
    builder.store(ScoreArray::Made, members.reduce(Combination::Sum, *gradient));
    return builder.take();
  }

  // By input of the expression; of those that it does not read, none.
  std::vector<NodeIndex> load_inputs(ScoreKernelBuilder& builder, KernelSpace space) const {
    std::vector<NodeIndex> nodes(kFirstShared + shared_.size(), kNone);
    const auto load = [&](std::uint32_t input, ScoreArray array, Shape shape, RowMap map) {
      if (reads_input(expr_, input)) nodes[input] = builder.load(array, shape, space, map);
    };
    load(kOwnRow, ScoreArray::OwnRow, Shape::column(formula_.entity_width), RowMap::List);
    load(kRelationRow, ScoreArray::RelationRow, Shape::column(formula_.relation_width),
         RowMap::List);
    for (std::uint32_t k = 0; k < shared_.size(); ++k) {
      load(kFirstShared + k, shared_array(k), shared_[k].shape, RowMap::One);
    }
    return nodes;
  }

  const ScoreFormula& formula_;
  std::vector<ScoreParameter> shared_;
  Expr expr_;
  Shape shape_;
  DType dtype_;
};

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

ScoreKernels make_score_kernels(const ScoreFormula& formula, SplitScore split, DType dtype) {
  ScoreKernels kernels;
  kernels.split = std::move(split);
  kernels.query = PartBuilder(formula, kernels.split.query, dtype).kernels();
  if (!kernels.split.answer_is_row) {
    kernels.answer = PartBuilder(formula, kernels.split.answer, dtype).kernels();
  }
  if (kernels.split.kind == PairKind::Other) {
    kernels.pair = PairBuilder(kernels.split, dtype).kernels();
  }
  return kernels;
}

}  // namespace vecc::kg
