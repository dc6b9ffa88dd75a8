#include "src/kernel/print/row_functions.h"

#include <fmt/format.h>

#include "src/kernel/schedule/entrywise.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

[[noreturn]] void fail_call(const KernelNode& node) {
  fail_check("a function of whole rows", __FILE__, __LINE__,
             std::string(info(node.transformation.id).text));
}

void print_times(BodyText& out, const NodeText& of, std::uint32_t number) {
  const KernelNode& node = of.node(number);
  const auto [m, k, n] = product_shape(of.kernel(), node);
  out.line(fmt::format("times<T, {}, {}, {}, {}, {}, {}>({}, {}, {});", m, k, n,
                       node.transpose_left, node.transpose_right, of.schedule().tile_rows,
                       of.pointer(node.operands[0]), of.pointer(node.operands[1]),
                       of.pointer(number)));
}

// Operand 1, or zeros if all of operand 0 is zero, in C++.
void print_guard(BodyText& out, const NodeText& of, std::uint32_t number) {
  const KernelNode& node = of.node(number);
  out.line(fmt::format("const bool z{} = all_zero<T, {}>({});", number, of.size(node.operands[0]),
                       of.pointer(node.operands[0])));
  out.line(of.size(number) == 1
               ? fmt::format("v{0} = zero_if(z{0}, {1});", number, of.entry(node.operands[1]))
               : fmt::format("for (int i = 0; i < {1}; ++i) v{0}[i] = zero_if(z{0}, v{2}[i]);",
                             number, of.size(number), node.operands[1]));
}

std::string word_text(const KernelNode& node, std::uint32_t word, KernelSpace space) {
  if (!node.words_by_row) return std::to_string(node.words[word] == kToEnd ? 0 : node.words[word]);
  return fmt::format("w{}[size_t({}) * {} + {}]", node.word_slot, counter_of(space),
                     word_count(node.transformation.id), word);
}

// slice and atindex: rows x cols of a wider array begin at an entry; `back`: into zeros.
void print_window(BodyText& out, const NodeText& of, std::uint32_t number, KernelSpace space,
                  bool back) {
  const KernelNode& node = of.node(number);
  const std::uint32_t operand = back ? node.operands.back() : node.operands[0];
  const Shape wide = back ? node.shape : of.node(operand).shape;
  const Shape narrow = back ? of.node(operand).shape : node.shape;
  std::string begin = word_text(node, 0, space);
  if (node.transformation.id == Transformation::Slice) {
    begin = fmt::format("{} * {} + {}", begin, wide.cols(), word_text(node, 2, space));
  }
  out.line(fmt::format("{}<T, {}, {}, {}, {}>({}, {}, {});", back ? "put_window" : "take_window",
                       wide.size(), wide.cols(), narrow.rows(), narrow.cols(), begin,
                       of.pointer(operand), of.pointer(number)));
}

void print_transform(BodyText& out, const NodeText& of, std::uint32_t number, KernelSpace space) {
  const KernelNode& node = of.node(number);
  const std::uint32_t operand = node.operands[0];
  const Shape shape = of.node(operand).shape;
  const std::string both = fmt::format("({}, {});", of.pointer(operand), of.pointer(number));
  const TransformationInfo& about = info(node.transformation.id);
  switch (about.form) {
    case FunctionForm::Transposed:
      return out.line(fmt::format("transp<T, {}, {}>", shape.rows(), shape.cols()) + both);
    case FunctionForm::Part:
    case FunctionForm::Entry: return print_window(out, of, number, space, false);
    case FunctionForm::Row:
    case FunctionForm::Column:
      return out.line(fmt::format("{}<T, {}>", about.text, shape.size()) + both);
    case FunctionForm::Same:
    case FunctionForm::Entries:
    case FunctionForm::Shape:
    case FunctionForm::Broadcast: break;
  }
  fail_call(node);
}

void print_transform_vjp(BodyText& out, const NodeText& of, std::uint32_t number,
                         KernelSpace space) {
  const KernelNode& node = of.node(number);
  const std::uint32_t g = node.operands.back();
  const std::string result = of.pointer(number);
  const std::uint32_t before =
      node.operands.size() > 1 ? node.operands[node.operands.size() - 2] : 0;
  const TransformationInfo& about = info(node.transformation.id);
  switch (about.form) {
    case FunctionForm::Transposed:
      return out.line(fmt::format("transp<T, {}, {}>({}, {});", node.shape.cols(),
                                  node.shape.rows(), of.pointer(g), result));
    case FunctionForm::Part:
    case FunctionForm::Entry: return print_window(out, of, number, space, true);
    case FunctionForm::Broadcast:
      return out.line(fmt::format("*{} = row_sum<T, {}>({});", result, of.size(g), of.pointer(g)));
    case FunctionForm::Row:
    case FunctionForm::Column: {
      const bool reads_both = about.derivative == FunctionDerivative::Both;
      return out.line(fmt::format("{}_vjp<T, {}>({}{}, {}, {});", about.text, of.size(g),
                                  reads_both ? of.pointer(node.operands[0]) + ", " : "",
                                  of.pointer(before), of.pointer(g), result));
    }
    case FunctionForm::Same:
    case FunctionForm::Entries:
    case FunctionForm::Shape: break;
  }
  fail_call(node);
}

}  // namespace

void print_row_function(BodyText& out, const NodeText& of, std::uint32_t number,
                        KernelSpace space) {
  const KernelNode& node = of.node(number);
  switch (node.kind) {
    case Kind::Transform: return print_transform(out, of, number, space);
    case Kind::TransformVjp: return print_transform_vjp(out, of, number, space);
    case Kind::Combine: return print_combination(out, of, number);
    case Kind::CombineVjp: return print_combination_vjp(out, of, number);
    case Kind::Times: return print_times(out, of, number);
    case Kind::RowSum:
      return out.line(fmt::format("v{} = row_sum<T, {}>({});", number, of.size(node.operands[0]),
                                  of.pointer(node.operands[0])));
    case Kind::Guard: return print_guard(out, of, number);
    case Kind::Load:
    case Kind::Constant:
    case Kind::Draw:
    case Kind::Reduce:
    case Kind::ReduceArg:
    case Kind::Selected:
    case Kind::Scan:
    case Kind::Threshold: break;
  }
  fail_check("a node of whole rows", __FILE__, __LINE__, std::to_string(number));
}

}  // namespace vecc
