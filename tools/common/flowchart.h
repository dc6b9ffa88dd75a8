// A picture as text: a flowchart in Mermaid's language, which GitHub, GitLab and editors draw where
// it stands in a page of Markdown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace vecc::tools {

class Flowchart {
 public:
  using Node = std::size_t;
  enum class Shape : std::uint8_t { Box, Round };

  /// `lines` are data: nothing in them is Mermaid's or HTML.
  Node add_node(const std::vector<std::string>& lines, Shape shape = Shape::Box);
  /// An edge of the same ends and words is drawn once. `label` is data, and may be empty.
  void add_edge(Node from, Node to, std::string_view label);
  /// From the left to the right.
  [[nodiscard]] std::string text() const { return "flowchart LR\n" + nodes_ + edges_; }

 private:
  Node count_ = 0;
  std::string nodes_;
  std::string edges_;
  std::set<std::string> known_;  // edges
};

}  // namespace vecc::tools
