#include "tools/common/flowchart.h"

#include <cctype>

#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::size_t kMostBytes = 60;  // of a line

// What is neither a letter, a digit nor one of these is an entity: so a name ends no text, begins
// no comment, directive or markup.
std::string label_text(std::string_view name) {
  constexpr std::string_view kPlain = " _-.,:()/*";
  std::string out;
  for (const char c : escape_terminal(name, kMostBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte >= 0x80 || std::isalnum(byte) != 0 || kPlain.find(c) != kPlain.npos;
    out += is_plain ? std::string(1, c) : "#" + std::to_string(byte) + ";";
  }
  return out;
}

std::string id_of(Flowchart::Node node) {
  return "n" + std::to_string(node);
}

}  // namespace

Flowchart::Node Flowchart::add_node(const std::vector<std::string>& lines, Shape shape) {
  nodes_ += "  " + id_of(count_) + (shape == Shape::Round ? "([\"" : "[\"");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    nodes_ += (i == 0 ? "" : "<br>") + label_text(lines[i]);
  }
  nodes_ += shape == Shape::Round ? "\"])\n" : "\"]\n";
  return count_++;
}

void Flowchart::add_edge(Node from, Node to, std::string_view label) {
  const std::string words = label.empty() ? " " : "|\"" + label_text(label) + "\"| ";
  const std::string edge = "  " + id_of(from) + " -->" + words + id_of(to) + "\n";
  if (known_.insert(edge).second) edges_ += edge;
}

}  // namespace vecc::tools
