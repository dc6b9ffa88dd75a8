// Chains of ops as boxes. `gather`, `linear`, `segment`, `transform` of one layer are one box, with
// the weights in it that only this layer reads: a picture has a box a layer, not a box an op.
#include "layer_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "group_graph.h"
#include "optimizer/rewrite/readers.h"
#include "src/support/quantity_text.h"
#include "vecc/escape.h"
#include "vecc/program_text.h"

namespace vecc::tools {
namespace {

constexpr std::size_t kTooltipBytes = 400;
constexpr std::uint32_t kLinesPerGroup = 8;  // most have fewer kinds of ops

std::string rows_text(std::uint64_t rows, const Shape& shape) {
  return fmt::format("{} x {}", text_of_count(rows), shape.text());
}

// "%3 segment sum": the op and what tells it from others of its kind.
std::string op_text(const Program& program, ValueId id) {
  const Op& op = program.op(id);
  std::string text = fmt::format("%{} {}", id, text_of(op.kind()));
  if (const auto* segment = std::get_if<SegmentOp>(&op.attributes)) {
    text += fmt::format(" {}", info(segment->combination).text);
  } else if (const auto* transform = std::get_if<TransformOp>(&op.attributes)) {
    text += " " + text_of(transform->transformation);
  } else if (const auto* vjp = std::get_if<VjpOp>(&op.attributes)) {
    if (const auto* of = std::get_if<TransformOp>(&vjp->of)) {
      text += " " + text_of(of->transformation);
    } else if (const auto* reduced = std::get_if<SegmentOp>(&vjp->of)) {
      text += fmt::format(" {}", info(reduced->combination).text);
    } else {
      text += " map";
    }
  } else if (const auto* weight = std::get_if<WeightOp>(&op.attributes)) {
    text += " " + escape_terminal(program.parameters()[weight->parameter].name);
  } else if (const auto* state = std::get_if<StateOp>(&op.attributes)) {
    text += " " + escape_terminal(state->name);
  }
  return text;
}

bool is_constant(const Op& op) {
  return op.kind() == OpKind::Weight || op.kind() == OpKind::Fact;
}

// Which box each op is drawn in. Boxes are numbered in the order of their last ops, so that what is
// read has the smaller number.
class Chains {
 public:
  explicit Chains(const Program& program) : program_(program), readers_(program) {
    const auto count = static_cast<ValueId>(program.ops().size());
    box_.resize(count);
    // Backwards: an op's reader, if it joins one, has its box.
    for (ValueId id = count; id-- > 0;) {
      const ValueId reader = only_reader(id);
      box_[id] = reader != kNone && joins(id, reader) ? box_[reader] : boxes_++;
    }
    for (std::uint32_t& box : box_) box = boxes_ - 1 - box;
  }

  [[nodiscard]] std::uint32_t boxes() const { return boxes_; }
  [[nodiscard]] std::uint32_t box(ValueId id) const { return box_[id]; }

 private:
  static constexpr ValueId kNone = 0xFFFFFFFF;

  // Unlike Readers::only, also of an op that reads the value twice.
  [[nodiscard]] ValueId only_reader(ValueId id) const {
    const auto readers = readers_.of(id);
    return !readers.empty() && readers.front() == readers.back() ? readers.front() : kNone;
  }

  // Constants join the op that alone reads them. Another op does if it is the one operand that has
  // not joined as a constant.
  [[nodiscard]] bool joins(ValueId id, ValueId reader) const {
    if (is_constant(program_.op(id))) return true;
    return std::ranges::all_of(program_.op(reader).operands, [&](ValueId operand) {
      return operand == id || (is_constant(program_.op(operand)) && only_reader(operand) == reader);
    });
  }

  const Program& program_;
  opt::Readers readers_;
  std::vector<std::uint32_t> box_;
  std::uint32_t boxes_ = 0;
};

// Several constants of one shape that one op reads are one line.
struct SameConstants {
  BoxLine line;
  OpKind kind = OpKind::Fact;
  Shape shape;
  std::uint64_t count = 0;
  std::uint64_t rows = 0;

  void add(const Program& program, ValueId id) {
    const Op& op = program.op(id);
    ++count;
    line.kind = op.kind();
    line.text = count == 1 ? op_text(program, id) : text_of_count(count, text_of(op.kind()));
    rows += op.rows;
    line.size = rows_text(rows, shape);
    if (line.tooltip.size() < kTooltipBytes) {
      line.tooltip += (count > 1 ? "\n" : "") + escape_terminal(print_op(program, id));
    }
  }
};

void add_lines(const Program& program, const Chains& chains, ValueId id, GraphBox& box) {
  const Op& op = program.op(id);
  std::vector<SameConstants> constants;
  std::vector<ValueId> operands(op.operands.begin(), op.operands.end());
  std::ranges::sort(operands);  // one that is read twice is one line
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  for (const ValueId operand : operands) {
    const Op& read = program.op(operand);
    if (!is_constant(read) || chains.box(operand) != chains.box(id)) continue;
    const auto same = std::ranges::find_if(constants, [&](const SameConstants& c) {
      return c.kind == read.kind() && c.shape == read.shape;
    });
    if (same != constants.end()) {
      same->add(program, operand);
    } else {
      constants.push_back({{}, read.kind(), read.shape, 0, 0});
      constants.back().add(program, operand);
    }
  }
  for (SameConstants& c : constants) box.lines.push_back(std::move(c.line));
  box.lines.push_back({op_text(program, id), rows_text(op.rows, op.shape),
                       escape_terminal(print_op(program, id), kTooltipBytes), op.kind()});
}

// Each box below what it reads; what reads nothing just above its first reader.
void place_layers(LayerGraph& graph) {
  const auto none = static_cast<std::uint32_t>(graph.boxes.size());
  std::vector<bool> reads(graph.boxes.size());
  std::vector<std::uint32_t> first_reader(graph.boxes.size(), none);
  std::ranges::sort(graph.edges, {}, &std::pair<std::uint32_t, std::uint32_t>::second);
  for (const auto& [from, to] : graph.edges) {
    if (from >= to) continue;  // an edge back
    reads[to] = true;
    graph.boxes[to].layer = std::max(graph.boxes[to].layer, graph.boxes[from].layer + 1);
  }
  std::ranges::sort(graph.edges);
  for (const auto& [from, to] : graph.edges) {
    if (from < to) first_reader[from] = std::min(first_reader[from], graph.boxes[to].layer);
  }
  for (std::uint32_t b = 0; b < graph.boxes.size(); ++b) {
    if (!reads[b] && first_reader[b] != none) graph.boxes[b].layer = first_reader[b] - 1;
  }
}

LayerGraph graph_of_chains(const Program& program, const Chains& chains) {
  LayerGraph graph;
  graph.boxes.resize(chains.boxes());
  const opt::Readers readers(program);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    const std::uint32_t box = chains.box(id);
    const bool joined =
        is_constant(op) && !readers.of(id).empty() && chains.box(readers.of(id).front()) == box;
    if (!joined) add_lines(program, chains, id, graph.boxes[box]);
    for (const ValueId operand : op.operands) {
      if (chains.box(operand) != box) graph.edges.emplace_back(chains.box(operand), box);
    }
  }
  return graph;
}

std::size_t count_lines(const LayerGraph& graph) {
  std::size_t lines = 0;
  for (const GraphBox& box : graph.boxes) lines += box.lines.size();
  return lines;
}

}  // namespace

LayerGraph layer_graph(const Program& program, std::uint32_t most_lines) {
  LayerGraph graph;
  // Constants share lines, so ops may be a few more than lines; beyond that no line is written.
  if (program.ops().size() / 4 <= most_lines) {
    graph = graph_of_chains(program, Chains(program));
    graph.collapsed = count_lines(graph) > most_lines;
  } else {
    graph.collapsed = true;
  }
  if (graph.collapsed) {
    graph = graph_of_groups(program, std::max(1U, most_lines / kLinesPerGroup));
  }
  std::ranges::sort(graph.edges);
  graph.edges.erase(std::unique(graph.edges.begin(), graph.edges.end()), graph.edges.end());
  place_layers(graph);
  return graph;
}

}  // namespace vecc::tools
