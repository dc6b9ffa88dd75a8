// Combinations of a list of rows, and their gradients by one of them.
#include <fmt/format.h>

#include <span>

#include "src/kernel/body_printer.h"

namespace vecc {

// Which operand of the first `count` max or min selects: variable s with the node's number.
void BodyPrinter::print_choice(std::uint32_t number, std::size_t count) {
  const KernelNode& node = kernel_.nodes[number];
  const char* better = node.combination == Combination::Max ? ">" : "<";
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t operand = node.operands[k];
    const std::string sum = fmt::format("row_sum<T, {}>({})", size(operand), pointer(operand));
    if (k == 0) {
      line(fmt::format("int s{0} = 0; T b{0} = {1};", number, sum));
    } else {
      line(fmt::format("{{ const T t = {1}; if (t {2} b{0}) {{ s{0} = {3}; b{0} = t; }} }}", number,
                       sum, better, k));
    }
  }
}

void BodyPrinter::print_combine_call(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  const auto operands = std::span(node.operands);
  switch (node.combination) {
    case Combination::Max:
    case Combination::Min:
      print_choice(number, operands.size());
      for (std::size_t k = 0; k < operands.size(); ++k) {
        line(fmt::format("if (s{} == {}) copy<T, {}>({}, {});", number, k, size(operands[k]),
                         pointer(operands[k]), pointer(number)));
      }
      return;
    case Combination::Concat: {
      std::uint64_t at = 0;
      for (const std::uint32_t operand : operands) {
        line(fmt::format("copy<T, {}>({}, {} + {});", size(operand), pointer(operand),
                         pointer(number), at));
        at += size(operand);
      }
      return;
    }
    case Combination::Count: line(fmt::format("v{} = T({});", number, operands.size())); return;
    case Combination::Softmax:
    case Combination::Sparsemax: {
      std::string list;
      for (const std::uint32_t operand : operands)
        list += (list.empty() ? "" : ", ") + entry(operand);
      line(fmt::format("const T c{}[] = {{{}}};", number, list));
      line(fmt::format("{}<T, {}>(c{}, {});", info(node.combination).text, operands.size(), number,
                       pointer(number)));
      return;
    }
    case Combination::CrossSum: print_cross_sum(number); return;
    case Combination::CosSim:
      line(fmt::format("v{} = cossim<T, {}>({}, {});", number, size(operands[0]),
                       pointer(operands[0]), pointer(operands[1])));
      return;
    case Combination::Sum:
    case Combination::Avg:
    case Combination::ElProduct:
    case Combination::Product:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination of whole rows", __FILE__, __LINE__,
             std::string(info(node.combination).text));
}

// Element by element from the left: each sum of all before with each entry of the next.
void BodyPrinter::print_cross_sum(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  std::string before = pointer(node.operands[0]);
  std::uint64_t length = size(node.operands[0]);
  for (std::size_t k = 1; k < node.operands.size(); ++k) {
    const std::uint64_t next = size(node.operands[k]);
    const bool last = k + 1 == node.operands.size();
    const std::string name = last ? pointer(number) : fmt::format("c{}_{}", number, k);
    if (!last) declare_array(name, length * next);
    line(fmt::format("crosssum<T, {}, {}>({}, {}, {});", length, next, before,
                     pointer(node.operands[k]), name));
    before = name;
    length *= next;
  }
}

void BodyPrinter::print_combine_vjp_call(std::uint32_t number) {
  const KernelNode& node = kernel_.nodes[number];
  const std::size_t count = node.operands.size() - 2;
  const std::uint32_t y = node.operands[count];
  const std::uint32_t g = node.operands[count + 1];
  const std::string out = pointer(number);
  switch (node.combination) {
    case Combination::Sum:
    case Combination::Avg: {  // a scalar that was broadcast
      const double share =
          node.combination == Combination::Sum ? 1.0 : 1.0 / static_cast<double>(count);
      line(fmt::format("*{} = row_sum<T, {}>({}) * T({});", out, size(g), pointer(g), share));
      return;
    }
    case Combination::ElProduct:
      line(fmt::format("v{} = T(0);", number));
      line(fmt::format("for (int i = 0; i < {}; ++i) v{} += {} * ({});", size(g), number, entry(g),
                       product_text(node, node.wrt)));
      return;
    case Combination::Max:
    case Combination::Min:
      print_choice(number, count);
      line(fmt::format("for (int i = 0; i < {}; ++i) ({})[i] = zero_if(s{} != {}, ({})[i]);",
                       size(number), out, number, node.wrt, pointer(g)));
      return;
    case Combination::Count:
      line(fmt::format("for (int i = 0; i < {}; ++i) ({})[i] = T(0);", size(number), out));
      return;
    case Combination::Concat: {
      std::uint64_t at = 0;
      for (std::uint32_t k = 0; k < node.wrt; ++k) at += size(node.operands[k]);
      line(fmt::format("copy<T, {}>({} + {}, {});", size(number), pointer(g), at, out));
      return;
    }
    case Combination::Softmax:
    case Combination::Sparsemax:
      line(fmt::format("T c{}[{}];", number, count));
      line(fmt::format("{}_vjp<T, {}>({}, {}, c{});", info(node.combination).text, count,
                       pointer(y), pointer(g), number));
      line(fmt::format("v{0} = c{0}[{1}];", number, node.wrt));
      return;
    case Combination::CrossSum: {
      std::uint64_t stride = 1;
      for (std::size_t k = node.wrt + 1; k < count; ++k) stride *= size(node.operands[k]);
      line(fmt::format("crosssum_share<T, {}, {}, {}>({}, {});", size(g), size(number), stride,
                       pointer(g), out));
      return;
    }
    case Combination::CosSim:
      line(fmt::format("cossim_vjp<T, {}>({}, {}, {}, {}, {});", size(number),
                       pointer(node.operands[node.wrt]), pointer(node.operands[1 - node.wrt]),
                       entry(y), entry(g), out));
      return;
    case Combination::Product:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination of whole rows", __FILE__, __LINE__,
             std::string(info(node.combination).text));
}

}  // namespace vecc
