// Combinations of a list of rows, and their gradients by one of them.
#include <fmt/format.h>

#include <span>

#include "src/kernel/print/expressions.h"
#include "src/kernel/print/row_functions.h"

namespace vecc {
namespace {

// Which operand of the first `count` max or min selects: variable s with the node's number.
void print_choice(BodyText& out, const NodeText& of, std::uint32_t number, std::size_t count) {
  const KernelNode& node = of.node(number);
  const char* better = node.combination == Combination::Max ? ">" : "<";
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t operand = node.operands[k];
    const std::string sum =
        fmt::format("row_sum<T, {}>({})", of.size(operand), of.pointer(operand));
    if (k == 0) {
      out.line(fmt::format("int s{0} = 0; T b{0} = {1};", number, sum));
    } else {
      out.line(fmt::format("{{ const T t = {1}; if (t {2} b{0}) {{ s{0} = {3}; b{0} = t; }} }}",
                           number, sum, better, k));
    }
  }
}

// Element by element from the left: each sum of all before with each entry of the next.
void print_cross_sum(BodyText& out, const NodeText& of, std::uint32_t number) {
  const KernelNode& node = of.node(number);
  std::string before = of.pointer(node.operands[0]);
  std::uint64_t length = of.size(node.operands[0]);
  for (std::size_t k = 1; k < node.operands.size(); ++k) {
    const std::uint64_t next = of.size(node.operands[k]);
    const bool last = k + 1 == node.operands.size();
    const std::string name = last ? of.pointer(number) : fmt::format("c{}_{}", number, k);
    if (!last) out.declare_array(name, length * next);
    out.line(fmt::format("crosssum<T, {}, {}>({}, {}, {});", length, next, before,
                         of.pointer(node.operands[k]), name));
    before = name;
    length *= next;
  }
}

// Of numbers, of which each is a node.
void print_softmax_vjp(BodyText& out, const NodeText& of, std::uint32_t number) {
  const KernelNode& node = of.node(number);
  const std::size_t count = node.operands.size() - 2;
  out.line(fmt::format("T c{}[{}];", number, count));
  out.line(fmt::format("{}_vjp<T, {}>({}, {}, c{});", info(node.combination).text, count,
                       of.pointer(node.operands[count]), of.pointer(node.operands[count + 1]),
                       number));
  out.line(fmt::format("v{0} = c{0}[{1}];", number, node.wrt));
}

}  // namespace

void print_combination(BodyText& out, const NodeText& of, std::uint32_t number) {
  const KernelNode& node = of.node(number);
  const auto operands = std::span(node.operands);
  switch (node.combination) {
    case Combination::Max:
    case Combination::Min:
      print_choice(out, of, number, operands.size());
      for (std::size_t k = 0; k < operands.size(); ++k) {
        out.line(fmt::format("if (s{} == {}) copy<T, {}>({}, {});", number, k, of.size(operands[k]),
                             of.pointer(operands[k]), of.pointer(number)));
      }
      return;
    case Combination::Concat: {
      std::uint64_t at = 0;
      for (const std::uint32_t operand : operands) {
        out.line(fmt::format("copy<T, {}>({}, {} + {});", of.size(operand), of.pointer(operand),
                             of.pointer(number), at));
        at += of.size(operand);
      }
      return;
    }
    case Combination::Count: out.line(fmt::format("v{} = T({});", number, operands.size())); return;
    case Combination::Softmax:
    case Combination::Sparsemax: {
      std::string list;
      for (const std::uint32_t operand : operands)
        list += (list.empty() ? "" : ", ") + of.entry(operand);
      out.line(fmt::format("const T c{}[] = {{{}}};", number, list));
      out.line(fmt::format("{}<T, {}>(c{}, {});", info(node.combination).text, operands.size(),
                           number, of.pointer(number)));
      return;
    }
    case Combination::CrossSum: print_cross_sum(out, of, number); return;
    case Combination::CosSim:
      out.line(fmt::format("v{} = cossim<T, {}>({}, {});", number, of.size(operands[0]),
                           of.pointer(operands[0]), of.pointer(operands[1])));
      return;
    case Combination::Sum:
    case Combination::Avg:
    case Combination::ElProduct:
    case Combination::Product:
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination of whole rows", __FILE__, __LINE__,
             std::string(info(node.combination).text));
}

void print_combination_vjp(BodyText& out, const NodeText& of, std::uint32_t number) {
  const KernelNode& node = of.node(number);
  const std::size_t count = node.operands.size() - 2;
  const std::uint32_t y = node.operands[count];
  const std::uint32_t g = node.operands[count + 1];
  const std::string result = of.pointer(number);
  switch (node.combination) {
    case Combination::Sum:
    case Combination::Avg: {  // a scalar that was broadcast
      const double share =
          node.combination == Combination::Sum ? 1.0 : 1.0 / static_cast<double>(count);
      out.line(fmt::format("*{} = row_sum<T, {}>({}) * T({});", result, of.size(g), of.pointer(g),
                           share));
      return;
    }
    case Combination::ElProduct:
      out.line(fmt::format("v{} = T(0);", number));
      out.line(fmt::format("for (int i = 0; i < {}; ++i) v{} += {} * ({});", of.size(g), number,
                           of.entry(g), product_text(of, node, node.wrt)));
      return;
    case Combination::Max:
    case Combination::Min:
      print_choice(out, of, number, count);
      out.line(fmt::format("for (int i = 0; i < {}; ++i) ({})[i] = zero_if(s{} != {}, ({})[i]);",
                           of.size(number), result, number, node.wrt, of.pointer(g)));
      return;
    case Combination::Count:
      out.line(
          fmt::format("for (int i = 0; i < {}; ++i) ({})[i] = T(0);", of.size(number), result));
      return;
    case Combination::Concat: {
      std::uint64_t at = 0;
      for (std::uint32_t k = 0; k < node.wrt; ++k) at += of.size(node.operands[k]);
      out.line(
          fmt::format("copy<T, {}>({} + {}, {});", of.size(number), of.pointer(g), at, result));
      return;
    }
    case Combination::Softmax:
    case Combination::Sparsemax: return print_softmax_vjp(out, of, number);
    case Combination::CrossSum: {
      std::uint64_t stride = 1;
      for (std::size_t k = node.wrt + 1; k < count; ++k) stride *= of.size(node.operands[k]);
      out.line(fmt::format("crosssum_share<T, {}, {}, {}>({}, {});", of.size(g), of.size(number),
                           stride, of.pointer(g), result));
      return;
    }
    case Combination::CosSim:
      out.line(fmt::format("cossim_vjp<T, {}>({}, {}, {}, {}, {});", of.size(number),
                           of.pointer(node.operands[node.wrt]),
                           of.pointer(node.operands[1 - node.wrt]), of.entry(y), of.entry(g),
                           result));
      return;
    case Combination::Product:
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination of whole rows", __FILE__, __LINE__,
             std::string(info(node.combination).text));
}

}  // namespace vecc
