#include "src/bind/row_kernel.h"

#include <utility>

#include "src/plan/lower/expr_nodes.h"
#include "src/plan/lower/kernel_builder.h"

namespace vecc::binding {
namespace {

// Grouping computes for ops of a Program; here there is none.
class RowKernelMaker {
 public:
  RowKernelMaker(const RowKernel& row, DType dtype)
      : row_(row),
        program_(dtype),
        analysis_(analyze(program_, {})),
        grouping_(program_, analysis_),
        group_(grouping_.groups.add(dtype, 1, 0, 1)) {
    if (row_.form != RowKernel::Form::Row) group().set_segments(Segments::ragged({0, 1}), 1);
  }

  Kernel make() {
    switch (row_.form) {
      case RowKernel::Form::Row: store(transform(combine())); break;
      case RowKernel::Form::Reduce: {
        const KernelBuilder members = builder(KernelSpace::Member);
        const NodeIndex reduced =
            members.reduce(row_.function->combination, element(members, row_.elements[0]));
        store(transform(reduced));
        break;
      }
      case RowKernel::Form::Softmax: add_softmax(); break;
    }
    Kernel kernel = group().take_kernel();
    kernel.reloads = row_.form == RowKernel::Form::Softmax;
    return kernel;
  }

 private:
  [[nodiscard]] KernelGroup& group() { return grouping_.groups[group_]; }
  [[nodiscard]] KernelBuilder builder(KernelSpace space) {
    return {program_, grouping_, 0, group_, space};
  }

  // Loads of one number are one load.
  NodeIndex load(const KernelBuilder& kernel, Shape shape, std::uint32_t number) {
    GroupAccess access;
    access.access.space = kernel.space();
    access.access.map = RowMap::List;
    access.access.shape = shape;
    access.value = number;
    access.list = number;
    return group().load(access);
  }

  NodeIndex element(const KernelBuilder& kernel, const RowElement& element) {
    const std::uint32_t first = next_;
    next_ += 2;
    if (!element.has_weight) return load(kernel, element.input, first);
    const NodeIndex weight = load(kernel, element.weight, first);
    if (!element.has_input) return weight;
    return kernel.times(weight, load(kernel, element.input, first + 1));
  }

  NodeIndex combine() {
    const KernelBuilder kernel = builder(KernelSpace::Row);
    std::vector<NodeIndex> elements;
    for (const RowElement& e : row_.elements) elements.push_back(element(kernel, e));
    if (row_.function == nullptr) return elements[0];
    if (row_.function->combination == Combination::FunctionGraph) {
      return ExprNodes(kernel, *row_.function->expr, elements).result();
    }
    Expr expr;
    for (std::uint32_t k = 0; k < elements.size(); ++k) {
      ExprNode input;
      input.input = k;
      expr.nodes.push_back(input);
    }
    ExprNode combine;
    combine.kind = ExprNode::Kind::Combine;
    combine.combination = row_.function->combination;
    combine.axis = row_.function->axis;
    combine.arity = static_cast<std::uint32_t>(elements.size());
    expr.nodes.push_back(combine);
    return ExprNodes(kernel, expr, elements).result();
  }

  NodeIndex transform(NodeIndex combined) {
    if (row_.then.id == Transformation::Identity) return combined;
    const Shape from = group().shape_of(combined);
    const std::uint32_t width = word_count(row_.then.id);
    const auto words = std::span(row_.words).first(width);
    KernelNode node = node_of(KernelNode::Kind::Transform,
                              *transformed_shape(row_.then, words, from, "row"), {combined});
    node.transformation = row_.then;
    if (width > 0 && row_.words_by_row) {
      node.words_by_row = true;
      node.word_slot = group().add_words(0);
    } else {
      node.words = row_.words;
    }
    return group().add(std::move(node), KernelSpace::Row);
  }

  void store(NodeIndex node) {
    GroupAccess access;
    access.access.map = RowMap::List;
    access.value = kStored;
    access.list = kStored;
    group().store(node, access);
  }

  // As lower_softmax() and lower_sparsemax() have it (src/plan/lower/lower_softmax.cc).
  void add_softmax() {
    const KernelBuilder members = builder(KernelSpace::Member);
    if (row_.function->combination == Combination::Sparsemax) return add_sparsemax(members);
    const NodeIndex max = members.reduce(Combination::Max, element(members, row_.elements[0]));
    next_ = 0;
    members.begin_members();
    const NodeIndex difference = members.difference(element(members, row_.elements[0]), max);
    const NodeIndex power = members.transform(Transformation::Exp, difference);
    store(power);
    const NodeIndex sum = members.reduce(Combination::Sum, power);
    const NodeIndex share = members.rows().transform(Transformation::Inverse, sum);
    members.begin_members();
    store(members.entry_product(load(members, Shape::scalar(), kStored), share));
  }

  // A threshold is of what is loaded: the elements are stored first.
  void add_sparsemax(const KernelBuilder& members) {
    store(element(members, row_.elements[0]));
    members.begin_members();
    const NodeIndex threshold = group().add(node_of(KernelNode::Kind::Threshold, Shape::scalar(),
                                                    {load(members, Shape::scalar(), kStored)}),
                                            KernelSpace::Member);
    members.begin_members();
    const NodeIndex difference =
        members.difference(load(members, Shape::scalar(), kStored), threshold);
    store(members.transform(Transformation::Relu, difference));
  }

  static constexpr std::uint32_t kStored = 0xFFFFFFFEu;

  const RowKernel& row_;
  Program program_;
  ProgramAnalysis analysis_;
  Grouping grouping_;
  GroupIndex group_;
  std::uint32_t next_ = 0;  // of loads
};

}  // namespace

Kernel make_kernel(const RowKernel& row, DType dtype) {
  Kernel kernel = RowKernelMaker(row, dtype).make();
  const Result<void> verified = verify(kernel);
  VECC_CHECK(verified, verified.error().text());
  return kernel;
}

}  // namespace vecc::binding
