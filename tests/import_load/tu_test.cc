// The text format of TUDataset: what is read, and every error.
#include <gmock/gmock.h>

#include "tests/graph_io/temporary_folder.h"
#include "tests/import_load/load_check.h"
#include "tools/import/load/loaders.h"
#include "tools/import/load/parse.h"

namespace vecc::tools {
namespace {

using test::errors_of;
using test::TemporaryFolder;
using test::write_file;
using testing::ElementsAre;
using testing::IsEmpty;

// Two graphs: a path of three nodes and an edge.
struct TuCase {
  std::string edges = "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n";
  std::string graph_indicator = "1\n1\n1\n2\n2\n";
  std::optional<std::string> graph_labels = "1\n-1\n";
  std::optional<std::string> node_labels, edge_labels, node_attributes, edge_attributes,
      graph_attributes;

  [[nodiscard]] Result<GraphSet> parse() const {
    const auto optional = [](const char* name, const std::optional<std::string>& bytes) {
      return bytes ? std::optional<Text>({name, *bytes}) : std::nullopt;
    };
    return parse_tu({"T",
                     {"T_A.txt", edges},
                     {"T_graph_indicator.txt", graph_indicator},
                     optional("T_graph_labels.txt", graph_labels),
                     optional("T_node_labels.txt", node_labels),
                     optional("T_edge_labels.txt", edge_labels),
                     optional("T_node_attributes.txt", node_attributes),
                     optional("T_edge_attributes.txt", edge_attributes),
                     optional("T_graph_attributes.txt", graph_attributes)});
  }
};

TEST(Tu, reads_graphs_and_edges) {
  const Result<GraphSet> set = TuCase().parse();
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_EQ(set->name, "T");
  EXPECT_THAT(set->node_begin, ElementsAre(0, 3, 5));
  EXPECT_THAT(set->source, ElementsAre(0, 1, 1, 2, 3, 4));
  EXPECT_THAT(set->target, ElementsAre(1, 0, 2, 1, 4, 3));
  EXPECT_THAT(set->graph_label_values, ElementsAre(-1, 1));
  EXPECT_THAT(set->graph_labels, ElementsAre(1, 0));
  EXPECT_THAT(set->node_labels, IsEmpty());
  EXPECT_THAT(set->edge_labels, IsEmpty());
  EXPECT_EQ(set->attribute_count, 0u);
  EXPECT_EQ(set->dropped_edges, 0u);
}

TEST(Tu, reads_numbers_of_edges_and_graphs) {
  TuCase files;
  files.edges = "1, 2\n2, 1\n1, 2\n4, 5\n";  // the third is repeated
  files.edge_attributes = "1,2\n3,4\n5,6\n7,8\n";
  files.graph_attributes = "0.5\n-1\n";
  const Result<GraphSet> set = files.parse();
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_EQ(set->edge_attribute_count, 2u);
  EXPECT_THAT(set->edge_attributes, ElementsAre(1, 2, 3, 4, 7, 8));
  EXPECT_EQ(set->target_count, 1u);
  EXPECT_THAT(set->graph_targets, ElementsAre(0.5, -1));
  files.edge_attributes = "1\n";
  files.graph_attributes = "1\n2\nx\n";
  EXPECT_EQ(
      errors_of(files.parse()),
      "T_edge_attributes.txt: error: has 1 line, but T_A.txt has 4 [E024]\n"
      "T_graph_attributes.txt: line 3, column 1: error: found \"x\", expected a number [E024]\n"
      "T_graph_attributes.txt: error: has 3 lines, but T_graph_labels.txt has 2 [E024]");
}

TEST(Tu, reads_labels_and_attributes) {
  TuCase files;
  files.node_labels = "7\n3\n3\n-2\n7\n";
  files.edge_labels = "0\n0\n5\n5\n0\n0\n";
  files.node_attributes = " 1.5,-2\n0,0\n 3, 4e1\n5,6\n7,8\n";
  const Result<GraphSet> set = files.parse();
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_THAT(set->node_label_values, ElementsAre(-2, 3, 7));
  EXPECT_THAT(set->node_labels, ElementsAre(2, 1, 1, 0, 2));
  EXPECT_THAT(set->edge_label_values, ElementsAre(0, 5));
  EXPECT_THAT(set->edge_labels, ElementsAre(0, 0, 1, 1, 0, 0));
  EXPECT_EQ(set->attribute_count, 2u);
  EXPECT_THAT(set->node_attributes, ElementsAre(1.5, -2, 0, 0, 3, 40, 5, 6, 7, 8));
}

TEST(Tu, windows_line_ends_and_blank_last_lines_are_fine) {
  TuCase files;
  files.edges = "1,2\r\n2,1\r\n\r\n";
  files.graph_indicator = "1\r\n1\r\n \n\n";
  files.graph_labels = "0\r\n";
  const Result<GraphSet> set = files.parse();
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_EQ(set->node_count(), 2u);
  EXPECT_EQ(set->edge_count(), 2u);
}

TEST(Tu, repeated_edges_are_dropped_with_their_labels) {
  TuCase files;
  files.edges = "1, 2\n2, 1\n1, 2\n3, 3\n3, 3\n1, 2\n1, 3\n";
  files.edge_labels = "1\n2\n3\n4\n5\n6\n7\n";
  const Result<GraphSet> set = files.parse();
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_THAT(set->source, ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(set->target, ElementsAre(1, 0, 2, 2));
  EXPECT_THAT(set->edge_labels, ElementsAre(0, 1, 3, 6));
  EXPECT_EQ(set->dropped_edges, 3u);
}

TEST(Tu, a_graph_may_have_no_nodes) {
  TuCase files;
  files.graph_labels = "1\n1\n0\n1\n";
  files.graph_indicator = "2\n2\n2\n4\n4\n";
  const Result<GraphSet> set = files.parse();
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_THAT(set->node_begin, ElementsAre(0, 0, 3, 3, 5));
}

// Graphs to predict: the largest number says how many there are.
TEST(Tu, a_set_may_have_no_graph_labels) {
  TuCase files;
  files.graph_labels.reset();
  files.graph_indicator = "1\n1\n1\n3\n3\n";
  const Result<GraphSet> set = files.parse();
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_THAT(set->node_begin, ElementsAre(0, 3, 3, 5));
  EXPECT_THAT(set->graph_labels, IsEmpty());
  EXPECT_THAT(set->graph_label_values, IsEmpty());
  files.graph_indicator = "1\n1\n1\n2\n999999999999\n";
  EXPECT_EQ(errors_of(files.parse()),
            "T_graph_indicator.txt: line 5: error: graph 999999999999, but T_graph_indicator.txt "
            "has the graphs 1 to 5 [E012]");
}

TEST(Tu, a_byte_order_mark_alone_is_an_empty_file) {
  TuCase files;
  files.graph_labels.reset();
  files.graph_indicator = "\xEF\xBB\xBF\n\n";
  EXPECT_EQ(errors_of(files.parse()),
            "T_graph_indicator.txt: error: is empty, expected a graph's number a line [E002]");
}

TEST(Tu, a_folder_may_have_no_graph_labels) {
  const TemporaryFolder folder;
  write_file(folder.path("T_A.txt"), TuCase().edges);
  write_file(folder.path("T_graph_indicator.txt"), TuCase().graph_indicator);
  const Result<GraphSet> set = load_tu(folder.path());
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_EQ(set->graph_count(), 2u);
  EXPECT_THAT(set->graph_labels, IsEmpty());
}

TEST(Tu, the_name_is_that_of_the_edges_file) {
  const TemporaryFolder folder;
  write_file(folder.path("my_set_A.txt"), TuCase().edges);
  write_file(folder.path("my_set_graph_indicator.txt"), TuCase().graph_indicator);
  write_file(folder.path("my_set_graph_labels.txt"), *TuCase().graph_labels);
  write_file(folder.path("my_set_node_labels.txt"), "1\n1\n1\n1\n2\n");
  write_file(folder.path("README.txt"), "Node labels: ...");
  const Result<GraphSet> set = load_tu(folder.path());
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_EQ(set->name, "my_set");
  EXPECT_THAT(set->node_label_values, ElementsAre(1, 2));
}

TEST(BadTu, bad_folder) {
  const TemporaryFolder folder;
  EXPECT_EQ(errors_of(load_tu(folder.path("none"))),
            folder.path("none") +
                ": error: cannot be read as a folder: No such file or directory [E001]");
  EXPECT_EQ(errors_of(load_tu(folder.path())),
            folder.path() +
                ": error: has no file *_A.txt, expected one, with the edges of a TUDataset [E001]");
  write_file(folder.path("A_A.txt"), "1, 2");
  EXPECT_EQ(errors_of(load_tu(folder.path())),
            folder.path("A_graph_indicator.txt") +
                ": error: cannot be opened: No such file or directory [E001]");
  write_file(folder.path("A_graph_indicator.txt"), " \n");
  EXPECT_EQ(errors_of(load_tu(folder.path())),
            folder.path("A_graph_indicator.txt") +
                ": error: is empty, expected a graph's number a line [E002]");
  write_file(folder.path("B_A.txt"), "1, 2");
  EXPECT_EQ(errors_of(load_tu(folder.path())),
            folder.path() +
                ": error: has 2 files *_A.txt (\"A_A.txt\", \"B_A.txt\"), expected one, with the "
                "edges of a TUDataset [E001]");
}

TEST(BadTu, bad_empty_texts) {
  TuCase files;
  files.graph_labels = "";
  files.graph_indicator = "";
  EXPECT_EQ(errors_of(files.parse()),
            "T_graph_labels.txt: error: is empty, expected a graph's label a line [E002]\n"
            "T_graph_indicator.txt: error: is empty, expected a graph's number a line [E002]");
  files = TuCase();
  files.edges = "\n";
  files.node_attributes = "";
  EXPECT_EQ(errors_of(files.parse()),
            "T_A.txt: error: is empty, expected an edge a line [E002]\n"
            "T_node_attributes.txt: error: is empty, expected a node's attributes a line [E002]");
}

TEST(BadTu, bad_labels) {
  TuCase files;
  files.graph_labels = "1\n0.5\n";
  EXPECT_EQ(errors_of(files.parse()),
            "T_graph_labels.txt: line 2: error: found \"0.5\", expected a graph's label [E024]");
  files = TuCase();
  files.node_labels = "1\n\n1\n1, 2\n1\n";
  files.edge_labels = "1\n1\n1\n1\n1\n99999999999999999999\n";
  EXPECT_EQ(errors_of(files.parse()),
            "T_edge_labels.txt: line 6: error: found \"99999999999999999999\", expected an edge's "
            "label [E024]\n"
            "T_node_labels.txt: line 2: error: found nothing, expected a node's label [E024]\n"
            "T_node_labels.txt: line 4: error: found \"1, 2\", expected a node's label [E024]");
}

TEST(BadTu, bad_graph_numbers) {
  TuCase files;
  files.graph_indicator = "1\nx\n1\n2\n2\n";
  EXPECT_EQ(errors_of(files.parse()),
            "T_graph_indicator.txt: line 2: error: found \"x\", expected a graph's number [E024]");
  files.graph_indicator = "0\n1\n2\n1\n3\n";
  EXPECT_EQ(
      errors_of(files.parse()),
      "T_graph_indicator.txt: line 1: error: graph 0, but T_graph_labels.txt has the graphs 1 to 2 "
      "[E012]\n"
      "T_graph_indicator.txt: line 4: error: graph 1 after graph 2, expected the nodes of a graph "
      "together and graphs ascending [E024]\n"
      "T_graph_indicator.txt: line 5: error: graph 3, but T_graph_labels.txt has the graphs 1 to 2 "
      "[E012]");
}

TEST(BadTu, bad_edges) {
  TuCase files;
  files.edges = "1, 2\n1\n1, 2, 3\n1; 2\n1, x\n\n";
  files.edges += "2, 1\n";
  EXPECT_EQ(errors_of(files.parse()),
            "T_A.txt: line 2: error: 1 column, expected 2: source, target [E024]\n"
            "T_A.txt: line 3: error: 3 columns, expected 2: source, target [E024]\n"
            "T_A.txt: line 4, column 1: error: found \"1; 2\", expected a node's number [E024]\n"
            "T_A.txt: line 5, column 4: error: found \"x\", expected a node's number [E024]\n"
            "T_A.txt: line 6, column 1: error: found nothing, expected a node's number [E024]");
}

TEST(BadTu, bad_edge_to_no_node) {
  TuCase files;
  files.edges = "0, 1\n1, 6\n1, -1\n";
  EXPECT_EQ(
      errors_of(files.parse()),
      "T_A.txt: line 1, column 1: error: node 0, but T_graph_indicator.txt has the nodes 1 to "
      "5 [E012]\n"
      "T_A.txt: line 2, column 4: error: node 6, but T_graph_indicator.txt has the nodes 1 to "
      "5 [E012]\n"
      "T_A.txt: line 3, column 4: error: node -1, but T_graph_indicator.txt has the nodes 1 "
      "to 5 [E012]");
}

TEST(BadTu, bad_edge_between_two_graphs) {
  TuCase files;
  files.edges = "3, 4\n";
  EXPECT_EQ(errors_of(files.parse()),
            "T_A.txt: line 1: error: an edge from node 3 of graph 1 to node 4 of graph 2, expected "
            "both in one graph [E012]");
}

TEST(BadTu, bad_line_counts) {
  TuCase files;
  files.node_labels = "1\n1\n1\n1\n";
  files.edge_labels = "1\n1\n1\n1\n1\n1\n1\n";
  files.node_attributes = "1\n";
  EXPECT_EQ(errors_of(files.parse()),
            "T_edge_labels.txt: error: has 7 lines, but T_A.txt has 6 [E024]\n"
            "T_node_labels.txt: error: has 4 lines, but T_graph_indicator.txt has 5 [E024]\n"
            "T_node_attributes.txt: error: has 1 line, but T_graph_indicator.txt has 5 [E024]");
}

TEST(BadTu, bad_attributes) {
  TuCase files;
  files.node_attributes = "1, 2\n1\n1, y\n1, 1e999\nnan, 2\n";
  EXPECT_EQ(
      errors_of(files.parse()),
      "T_node_attributes.txt: line 2: error: 1 column, but line 1 has 2 [E024]\n"
      "T_node_attributes.txt: line 3, column 4: error: found \"y\", expected a number [E024]\n"
      "T_node_attributes.txt: line 4, column 4: error: found \"1e999\", expected a finite "
      "number [E016]\n"
      "T_node_attributes.txt: line 5, column 1: error: found \"nan\", expected a finite "
      "number [E016]");
}

TEST(BadTu, bad_many_lines_are_counted) {
  TuCase files;
  files.edges.clear();
  for (int i = 0; i < 50; ++i) files.edges += "?\n";
  const Result<GraphSet> set = files.parse();
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().list().size(), 20u);
  EXPECT_EQ(set.error().omitted(), 30u);
  EXPECT_EQ(set.error().exit_code(), ExitCode::BadInput);
}

TEST(BadTu, bad_names_are_escaped) {
  TuCase files;
  files.graph_labels = "\x1b[31m\n";
  EXPECT_EQ(errors_of(files.parse()),
            "T_graph_labels.txt: line 1: error: found \"\\x1b[31m\", expected a graph's label "
            "[E024]");
}

}  // namespace
}  // namespace vecc::tools
