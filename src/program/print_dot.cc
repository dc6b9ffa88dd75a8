// A Program as a Graphviz picture.
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <ostream>
#include <sstream>

#include "src/program/print_program.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

// Bidirectional only because its edges are iterated in the order in which they were added.
using DotGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

DotGraph graph_of(const Program& program) {
  DotGraph graph(program.ops().size());
  for (ValueId value = 0; value < program.ops().size(); ++value) {
    for (const ValueId operand : program.op(value).operands) add_edge(operand, value, graph);
  }
  return graph;
}

// Rounded: what a run reads; bold: what it leaves behind.
std::string_view style_of(OpKind kind) {
  switch (kind) {
    case OpKind::Fact:
    case OpKind::Weight:
    case OpKind::State: return ", style=rounded";
    case OpKind::Update:
    case OpKind::Output: return ", style=bold";
    case OpKind::Concat:
    case OpKind::Gather:
    case OpKind::Linear:
    case OpKind::Segment:
    case OpKind::Transform:
    case OpKind::Map:
    case OpKind::Contract:
    case OpKind::Vjp:
    case OpKind::Draw:
    case OpKind::Take:
    case OpKind::SumEqual:
    case OpKind::ScatterSum: return "";
  }
  return "";
}

}  // namespace

std::string print_dot(const Program& program) {
  PrintOptions options;
  options.inline_limit = 4;
  const ArrayPrinter arrays(options, nullptr);
  const auto write_vertex = [&](std::ostream& out, std::size_t vertex) {
    const auto value = static_cast<ValueId>(vertex);
    const Op& op = program.op(value);
    out << "[label=\"" << escape_dot(op_text(program, value, arrays));
    if (!op.note.empty()) out << "\\n" << escape_dot(op.note.text());
    out << "\"" << style_of(op.kind()) << "]";
  };
  const auto write_edge = [](std::ostream&, const DotGraph::edge_descriptor&) {};
  const auto write_graph = [](std::ostream& out) { out << "node [shape=box];\n"; };
  std::ostringstream out;
  out.imbue(std::locale::classic());
  boost::write_graphviz(out, graph_of(program), write_vertex, write_edge, write_graph);
  return out.str();
}

}  // namespace vecc
