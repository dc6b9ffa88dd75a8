// The pictures of --emit=html: which boxes, which edges, and where they are.
#include "tools/html/layer_graph.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "html_check.h"
#include "tools/html/graph_layout.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using testing::ElementsAre;
using testing::Pair;
using tools::draw_graph;
using tools::kBoxWidth;
using tools::layer_graph;
using tools::LayerGraph;

constexpr std::uint32_t kLines = 240;

Program read_text(const std::string& text) {
  Result<Program> program = parse_program(text, "test");
  EXPECT_TRUE(program) << program.error().text();
  return *program;
}

// A recursion: gather, linear, segment and transform a level; one note a level, or the same ones.
Program levels(std::uint32_t count, bool own_notes) {
  Program program;
  program.set_sample_count(2);
  const ParameterIndex parameter = *program.add_parameter({"w", 1, Shape(3, 3), nullptr});
  const ValueId weight = program.weight(parameter);
  ValueId value = program.fact({1, 2, 3, 4, 5, 6}, 2, Shape::column(3));
  for (std::uint32_t level = 0; level < count; ++level) {
    const std::string name = own_notes ? "hop_" + std::to_string(level) : "hop";
    const ValueId weights = program.gather(weight, Index::list({0, 0}), name + "/2: rule");
    const ValueId rows = program.gather(value, Index::list({1, 0}), name + "/2: rule");
    const ValueId products = program.linear(weights, rows, {}, name + "/2: rule");
    const ValueId sums =
        program.segment(products, Segments::fixed(1), Combination::Sum, name + "/2: aggregation");
    value = program.transform(sums, {Transformation::Tanh, 0, {}}, {}, name + "/2: atom");
  }
  program.output(value, Index::slice(0, 2));
  return program;
}

std::vector<std::string> texts(const tools::GraphBox& box) {
  std::vector<std::string> result;
  for (const tools::BoxLine& line : box.lines) result.push_back(line.text + "|" + line.size);
  return result;
}

TEST(LayerGraph, AChainOfOpsIsOneBox) {
  const Program program = levels(1, false);
  const LayerGraph graph = layer_graph(program, kLines);
  EXPECT_FALSE(graph.collapsed);
  ASSERT_EQ(graph.boxes.size(), 3U);  // the weights, the facts, what reads both
  EXPECT_THAT(texts(graph.boxes[0]), ElementsAre("%0 weight w|1 x 3x3", "%2 gather|2 x 3x3"));
  EXPECT_THAT(texts(graph.boxes[1]), ElementsAre("%1 fact|2 x 3x1", "%3 gather|2 x 3x1"));
  EXPECT_THAT(texts(graph.boxes[2]), ElementsAre("%4 linear|2 x 3x1", "%5 segment sum|2 x 3x1",
                                                 "%6 transform tanh|2 x 3x1", "%7 output|2 x 3x1"));
  EXPECT_THAT(graph.edges, ElementsAre(Pair(0, 2), Pair(1, 2)));
}

TEST(LayerGraph, WeightsOfOneShapeThatOneOpReadsAreOneLine) {
  const LayerGraph graph = layer_graph(
      read_text(
          "vecc program 1 f32 samples 4\nparameter \"a\" [1, 1]\nparameter \"b\" [1, 1]\n"
          "parameter \"c\" [2, 1]\n%0 = weight \"a\" : f32[1, 1]\n%1 = weight \"b\" : f32[1, "
          "1]\n%2 = weight \"c\" : f32[2, 1]\n%3 = concat %0, %1, %2 : f32[4, 1]\n%4 = output "
          "%3 [0:4] : f32[4, 1]\n"),
      kLines);
  ASSERT_EQ(graph.boxes.size(), 1U);
  EXPECT_THAT(texts(graph.boxes[0]),
              ElementsAre("3 weights|4 x 1", "%3 concat|4 x 1", "%4 output|4 x 1"));
}

TEST(LayerGraph, AValueReadTwiceEndsItsBox) {
  const LayerGraph graph = layer_graph(
      read_text(
          "vecc program 1 f32 samples 2\n%0 = fact {1, 2} : f32[2, 1]\n%1 = transform %0 tanh "
          ": f32[2, 1]\n%2 = transform %1 relu : f32[2, 1]\n%3 = linear %1, %2 : f32[2, 1]\n"
          "%4 = output %3 [0:2] : f32[2, 1]\n"),
      kLines);
  ASSERT_EQ(graph.boxes.size(), 3U);
  EXPECT_THAT(graph.edges, ElementsAre(Pair(0, 1), Pair(0, 2), Pair(1, 2)));
  EXPECT_EQ(graph.boxes[2].layer, 2U);
}

TEST(LayerGraph, ManyLevelsOfFewGroupsAreABoxAGroupWithItsLevels) {
  const LayerGraph graph = layer_graph(levels(2000, false), kLines);
  EXPECT_TRUE(graph.collapsed);
  ASSERT_EQ(graph.boxes.size(), 3U);
  EXPECT_EQ(graph.boxes[0].title, "hop/2: rule");
  EXPECT_EQ(graph.boxes[0].title_note, "x 2,000 levels");
  EXPECT_THAT(texts(graph.boxes[0]),
              ElementsAre("fact x 1|2 rows", "weight x 1|1 row", "gather x 4,000|8,000 rows",
                          "linear x 2,000|4,000 rows"));
  EXPECT_THAT(graph.edges, ElementsAre(Pair(0, 1), Pair(1, 2), Pair(2, 0)));  // and back
}

TEST(LayerGraph, AGroupThatReadsItsLevelBeforeLoops) {
  Program program;
  program.set_sample_count(1);
  ValueId value = program.fact({1}, 1, Shape::scalar(), "start");
  for (int level = 0; level < 2000; ++level) {
    value = program.transform(value, {Transformation::Tanh, 0, {}}, {}, "even: a");
    value = program.transform(value, {Transformation::Relu, 0, {}}, {}, "even: b");
  }
  program.output(value, Index::slice(0, 1));
  const LayerGraph graph = layer_graph(program, 16);  // two groups: by the name up to the colon
  ASSERT_EQ(graph.boxes.size(), 2U);
  EXPECT_FALSE(graph.boxes[0].loops);
  EXPECT_TRUE(graph.boxes[1].loops);
  EXPECT_EQ(graph.boxes[1].title, "even");
  EXPECT_EQ(graph.boxes[1].title_note, "x 2,000 levels");
}

TEST(LayerGraph, ManyGroupsAreRunsOfNeighboursWithTheirNames) {
  const LayerGraph graph = layer_graph(levels(2000, true), kLines);
  EXPECT_TRUE(graph.collapsed);
  ASSERT_EQ(graph.boxes.size(), 30U);
  EXPECT_EQ(graph.boxes[0].title, "hop_0/2 to hop_66/2");
  EXPECT_EQ(graph.boxes[0].title_note, "67 groups");
  EXPECT_EQ(graph.boxes[29].title, "hop_1943/2 to hop_1999/2");
  EXPECT_EQ(graph.edges.size(), 29U);  // a chain: what reads a shared weight is not tied by it
}

TEST(LayerGraph, BoxesStandBelowWhatTheyRead) {
  for (const LayerGraph& graph :
       {layer_graph(levels(5, true), kLines), layer_graph(levels(2000, true), kLines),
        layer_graph(levels(2000, false), kLines)}) {
    for (const auto& [from, to] : graph.edges) {
      if (from >= to) continue;
      EXPECT_LT(graph.boxes[from].layer, graph.boxes[to].layer);
    }
  }
}

TEST(LayOut, BoxesDoNotOverlapAndLieInside) {
  LayerGraph graph;  // 20 sources and 20 readers, each of all
  for (std::uint32_t b = 0; b < 40; ++b) {
    graph.boxes.push_back({"", "", {{"op", "", "", OpKind::Fact}}, b / 20, false});
    for (std::uint32_t from = 0; b >= 20 && from < 20; ++from) graph.edges.emplace_back(from, b);
  }
  const tools::GraphLayout layout = lay_out(graph);
  for (std::uint32_t a = 0; a < 40; ++a) {
    const tools::Point& at = layout.boxes[a];
    EXPECT_GE(at.x, 0);
    EXPECT_LE(at.x + kBoxWidth, layout.width);
    EXPECT_LE(at.y + box_height(graph.boxes[a]), layout.height);
    for (std::uint32_t b = 0; b < a; ++b) {
      if (layout.boxes[b].y != at.y) continue;
      EXPECT_GE(std::abs(layout.boxes[b].x - at.x), kBoxWidth) << a << " and " << b;
    }
  }
}

TEST(LayOut, EdgesEndAtTheirBoxes) {
  const LayerGraph graph = layer_graph(levels(5, true), kLines);
  const tools::GraphLayout layout = lay_out(graph);
  ASSERT_EQ(layout.edges.size(), graph.edges.size());
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const auto [from, to] = graph.edges[e];
    const auto& points = layout.edges[e].points;
    EXPECT_DOUBLE_EQ(points.front().x, layout.boxes[from].x + kBoxWidth / 2);
    EXPECT_DOUBLE_EQ(points.front().y, layout.boxes[from].y + box_height(graph.boxes[from]));
    EXPECT_DOUBLE_EQ(points.back().x, layout.boxes[to].x + kBoxWidth / 2);
    EXPECT_DOUBLE_EQ(points.back().y, layout.boxes[to].y);
  }
}

void expect_finite_numbers(const std::string& svg) {
  for (const char* name : {"x", "y", "width", "height"}) {
    for (const std::string& value : attribute_values(svg, name)) {
      char* end = nullptr;
      EXPECT_TRUE(std::isfinite(std::strtod(value.c_str(), &end))) << name << " " << value;
      EXPECT_EQ(*end, '\0') << value;
    }
  }
  for (const std::string& path : attribute_values(svg, "d")) {
    EXPECT_EQ(path.find_first_not_of("MCV0123456789.- "), std::string::npos) << path;
  }
}

TEST(DrawGraph, AllNumbersAreFinite) {
  for (const bool own_notes : {false, true}) {
    for (const std::uint32_t count : {0U, 1U, 5U, 2000U}) {
      const std::string svg = draw_graph(layer_graph(levels(count, own_notes), kLines));
      expect_finite_numbers(svg);
      EXPECT_EQ(find_html_fault(svg), "");
    }
  }
}

TEST(DrawGraph, OfAnEmptyProgramIsEmpty) {
  const std::string svg = draw_graph(layer_graph(Program(), kLines));
  EXPECT_EQ(find_html_fault(svg), "");
  EXPECT_EQ(count_text(svg, "<rect"), 0U);
  expect_finite_numbers(svg);
}

TEST(DrawGraph, LongNamesAreCutBetweenLetters) {
  LayerGraph graph;
  std::string name;
  for (int i = 0; i < 100; ++i) name += "\xC5\x99";  // ř
  graph.boxes.push_back({name, "", {}, 0, false});
  const std::string svg = draw_graph(graph);
  EXPECT_NE(svg.find("\xC5\x99\xE2\x80\xA6</text>"), std::string::npos);
  EXPECT_NE(svg.find("<title>" + name + "</title>"), std::string::npos);
}

}  // namespace
}  // namespace vecc::test
