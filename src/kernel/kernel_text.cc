// Kernels as text.
#include <fmt/format.h>

#include "src/kernel/schedule/entrywise.h"
#include "vecc/kernel.h"

namespace vecc {
namespace {

std::string_view text_of(KernelSpace space) {
  return space == KernelSpace::Row ? "row" : "members";
}
std::string_view text_of(RowMap map) {
  switch (map) {
    case RowMap::Direct: return "direct";
    case RowMap::List: return "list";
    case RowMap::One: return "one";
    case RowMap::Tile: return "tile";
  }
  return "";
}
std::string_view text_of(KernelSegments segments) {
  switch (segments) {
    case KernelSegments::None: return "";
    case KernelSegments::Ragged: return " ragged";
    case KernelSegments::Fixed: return " fixed";
    case KernelSegments::Strided: return " strided";
  }
  return "";
}

std::string function_text(const KernelNode& node) {
  std::string text = vecc::text_of(node.transformation);
  const std::uint32_t words = word_count(node.transformation.id);
  if (words == 0) return text;
  if (node.words_by_row) return text + fmt::format(" words {}", node.word_slot);
  text += " [";
  for (std::uint32_t w = 0; w < words; ++w) text += (w ? ", " : "") + std::to_string(node.words[w]);
  return text + "]";
}

std::string operands_text(const KernelNode& node) {
  std::string text;
  for (const std::uint32_t operand : node.operands) {
    text += fmt::format("{}%{}", text.empty() ? " " : ", ", operand);
  }
  return text;
}

std::string reads_text(const KernelNode& node) {
  return std::string(node.reads_x ? " x" : "") + (node.reads_y ? " y" : "");
}

std::string skip_text(const KernelNode& node) {
  return node.skips_nan ? " skip-nan" : "";
}

std::string head_text(const KernelNode& node) {
  const std::string combination(info(node.combination).text);
  switch (node.kind) {
    case KernelNode::Kind::Load: return fmt::format("load {}", node.access);
    case KernelNode::Kind::Constant: return fmt::format("constant {}", node.constant);
    case KernelNode::Kind::Transform: return "transform " + function_text(node);
    case KernelNode::Kind::TransformVjp: return "vjp of " + function_text(node) + reads_text(node);
    case KernelNode::Kind::Combine: return combination;
    case KernelNode::Kind::CombineVjp:
      return fmt::format("vjp ${} of {}{}", node.wrt, combination, reads_text(node));
    case KernelNode::Kind::Draw: return "draw";
    case KernelNode::Kind::Times:
      return fmt::format("times{}{}", node.transpose_left ? " transpose-left" : "",
                         node.transpose_right ? " transpose-right" : "");
    case KernelNode::Kind::RowSum: return "row-sum";
    case KernelNode::Kind::Guard: return node.by_entry ? "guard by-entry" : "guard";
    case KernelNode::Kind::Reduce: return "reduce " + combination + skip_text(node);
    case KernelNode::Kind::ReduceArg: return "reduce-arg " + combination + skip_text(node);
    case KernelNode::Kind::Selected: return "selected";
    case KernelNode::Kind::Scan: return "scan";
    case KernelNode::Kind::Threshold: return "threshold";
  }
  return "";
}

}  // namespace

std::string text_of(const Kernel& kernel) {
  std::string text = fmt::format("kernel {}{}", text_of(kernel.dtype), text_of(kernel.segments));
  if (kernel.members > 0) text += fmt::format(" {}", kernel.members);
  if (kernel.reloads) text += " reloads";
  if (kernel.in_place) text += " in-place";
  if (kernel.ordered) text += " ordered";
  if (kernel.precision != MatmulPrecision::Exact) {
    text += fmt::format(" {}", text_of(kernel.precision));
  }
  text += "\n";
  for (std::size_t a = 0; a < kernel.accesses.size(); ++a) {
    const KernelAccess& access = kernel.accesses[a];
    text += fmt::format("  access {} {} {} {} {}{}{}\n", a, access.store ? "store" : "load",
                        access.shape.text(), text_of(access.space), text_of(access.map),
                        access.renumbered ? " renumbered" : "", access.aligned ? " aligned" : "");
  }
  for (const KernelPhase& phase : kernel.phases) {
    text += fmt::format("  {}{}:\n", text_of(phase.space), phase.reversed ? " reversed" : "");
    for (const KernelStep& step : phase.steps) {
      if (step.store) {
        const KernelStore& store = kernel.stores[step.number];
        text += fmt::format("    store {} %{}{}\n", store.access, store.value,
                            stores_part(kernel, store) ? fmt::format(" from {}", store.first) : "");
        continue;
      }
      const KernelNode& node = kernel.nodes[step.number];
      text += fmt::format("    %{} = {}{} : {}\n", step.number, head_text(node),
                          operands_text(node), node.shape.text());
    }
  }
  return text;
}

}  // namespace vecc
