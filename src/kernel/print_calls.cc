// Nodes that see whole rows: calls of the prelude's functions.
#include <fmt/format.h>

#include "src/kernel/body_printer.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

[[noreturn]] void fail_call(const KernelNode& node) {
  fail_check("a function of whole rows", __FILE__, __LINE__,
             std::string(info(node.transformation.id).text));
}

}  // namespace

void BodyPrinter::print_call(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  switch (node.kind) {
    case Kind::Transform: print_transform_call(number); return;
    case Kind::TransformVjp: print_transform_vjp_call(number); return;
    case Kind::Combine: print_combine_call(number); return;
    case Kind::CombineVjp: print_combine_vjp_call(number); return;
    case Kind::Times: print_times_call(number); return;
    case Kind::RowSum:
      line(fmt::format("v{} = row_sum<T, {}>({});", number, size(node.operands[0]),
                       pointer(node.operands[0])));
      return;
    case Kind::Guard:  // not on a GPU
      line(fmt::format("const bool z{} = all_zero<T, {}>({});", number, size(node.operands[0]),
                       pointer(node.operands[0])));
      line(size(number) == 1
               ? fmt::format("v{0} = zero_if(z{0}, {1});", number, entry(node.operands[1]))
               : fmt::format("for (int i = 0; i < {1}; ++i) v{0}[i] = zero_if(z{0}, v{2}[i]);",
                             number, size(number), node.operands[1]));
      return;
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

ProductShape product_shape(const Kernel& kernel, const KernelNode& node) {
  const Shape left = kernel.nodes[node.operands[0]].shape;
  const Shape right = kernel.nodes[node.operands[1]].shape;
  return {node.transpose_left ? left.cols() : left.rows(),
          node.transpose_left ? left.rows() : left.cols(),
          node.transpose_right ? right.rows() : right.cols()};
}

void BodyPrinter::print_times_call(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  const auto [m, k, n] = product_shape(kernel_, node);
  line(fmt::format("times<T, {}, {}, {}, {}, {}>({}, {}, {});", m, k, n, node.transpose_left,
                   node.transpose_right, pointer(node.operands[0]), pointer(node.operands[1]),
                   pointer(number)));
}

std::string BodyPrinter::word(const KernelNode& node, std::uint32_t k, std::uint32_t end) const {
  const std::uint32_t width = word_count(node.transformation.id);
  if (node.words_by_row) {
    return fmt::format("w{}[size_t({}) * {} + {}]", node.word_slot,
                       space_ == KernelSpace::Row ? "r" : "e", width, k);
  }
  return std::to_string(node.words[k] == kToEnd ? end : node.words[k]);
}

// slice and atindex: rows x cols of a wider array begin at an entry; `back`: into zeros.
void BodyPrinter::print_window(std::uint32_t number, bool back) {
  const KernelNode& node = kernel_.nodes[number];
  const std::uint32_t operand = back ? node.operands.back() : node.operands[0];
  const Shape wide = back ? node.shape : kernel_.nodes[operand].shape;
  const Shape narrow = back ? kernel_.nodes[operand].shape : node.shape;
  const bool is_slice = node.transformation.id == Transformation::Slice;
  const std::string begin =
      is_slice ? fmt::format("{} * {} + {}", word(node, 0, 0), wide.cols(), word(node, 2, 0))
               : word(node, 0, 0);
  line(fmt::format("{}<T, {}, {}, {}, {}>({}, {}, {});", back ? "put_window" : "take_window",
                   wide.size(), wide.cols(), narrow.rows(), narrow.cols(), begin, pointer(operand),
                   pointer(number)));
}

void BodyPrinter::print_transform_call(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  const std::uint32_t operand = node.operands[0];
  const Shape shape = kernel_.nodes[operand].shape;
  const std::string both = fmt::format("({}, {});", pointer(operand), pointer(number));
  const TransformationInfo& about = info(node.transformation.id);
  switch (about.form) {
    case FunctionForm::Transposed:
      line(fmt::format("transp<T, {}, {}>", shape.rows(), shape.cols()) + both);
      return;
    case FunctionForm::Part:
    case FunctionForm::Entry: print_window(number, false); return;
    case FunctionForm::Row:
    case FunctionForm::Column:
      line(fmt::format("{}<T, {}>", about.text, shape.size()) + both);
      return;
    case FunctionForm::Same:
    case FunctionForm::Entries:
    case FunctionForm::Shape:
    case FunctionForm::Broadcast: break;
  }
  fail_call(node);
}

void BodyPrinter::print_transform_vjp_call(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  const std::uint32_t g = node.operands.back();
  const std::string out = pointer(number);
  const std::uint32_t before =
      node.operands.size() > 1 ? node.operands[node.operands.size() - 2] : 0;
  const TransformationInfo& about = info(node.transformation.id);
  switch (about.form) {
    case FunctionForm::Transposed:
      line(fmt::format("transp<T, {}, {}>({}, {});", node.shape.cols(), node.shape.rows(),
                       pointer(g), out));
      return;
    case FunctionForm::Part:
    case FunctionForm::Entry: print_window(number, true); return;
    case FunctionForm::Broadcast:
      line(fmt::format("*{} = row_sum<T, {}>({});", out, size(g), pointer(g)));
      return;
    case FunctionForm::Row:
    case FunctionForm::Column: {
      const bool reads_both = about.derivative == FunctionDerivative::Both;
      line(fmt::format("{}_vjp<T, {}>({}{}, {}, {});", about.text, size(g),
                       reads_both ? pointer(node.operands[0]) + ", " : "", pointer(before),
                       pointer(g), out));
      return;
    }
    case FunctionForm::Same:
    case FunctionForm::Entries:
    case FunctionForm::Shape: break;
  }
  fail_call(node);
}

}  // namespace vecc
