// The text format of the heterogeneous graph benchmark: what is read, and every error.
#include <gmock/gmock.h>

#include "tests/graph_io/temporary_folder.h"
#include "tests/import_load/load_check.h"
#include "tools/import/load/loaders.h"
#include "tools/import/load/parse.h"

namespace vecc::tools {
namespace {

using test::errors_of;
using test::TemporaryFolder;
using test::texts_of;
using test::write_file;
using testing::ElementsAre;
using testing::IsEmpty;

// Two papers with features, an author with one, a term with none.
struct HgbCase {
  std::string nodes = "0\tOn graphs\t0\t1,0.5\n1\tOn sets\t0\t0,-2\n2\tAnn\t1\t7\n3\tgraph\t5\n";
  std::string links = "0\t2\t1\t1.0\n2\t0\t2\t1\n1\t0\t0\t1.000\n0\t3\t9\t1\n";
  std::string train_labels = "0\tOn graphs\t0\t2\n";
  std::string test_labels = "1\t\t0\t1,2\n";
  std::string info;

  [[nodiscard]] Result<TypedGraph> parse() const {
    // An empty one is a file that is not there.
    const auto optional = [](const char* name, const std::string& bytes) {
      return bytes.empty() ? std::nullopt : std::optional<Text>({name, bytes});
    };
    return parse_hgb({"T",
                      {"node.dat", nodes},
                      {"link.dat", links},
                      optional("label.dat", train_labels),
                      optional("label.dat.test", test_labels),
                      optional("info.dat", info)});
  }
};

TEST(Hgb, reads_nodes_links_and_labels) {
  const Result<TypedGraph> graph = HgbCase().parse();
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->node_count, 4u);
  EXPECT_THAT(texts_of(graph->node_names), ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(texts_of(graph->node_type_names), ElementsAre("0", "1", "5"));
  EXPECT_THAT(graph->node_type, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(texts_of(graph->relation_names), ElementsAre("0", "1", "2", "9"));
  EXPECT_THAT(graph->source, ElementsAre(0, 2, 1, 0));
  EXPECT_THAT(graph->target, ElementsAre(2, 0, 0, 3));
  EXPECT_THAT(graph->relation, ElementsAre(1, 2, 0, 3));
  ASSERT_EQ(graph->features.size(), 3u);
  EXPECT_EQ(graph->features[0].dim, 2u);
  EXPECT_THAT(graph->features[0].values, ElementsAre(1, 0.5, 0, -2));
  EXPECT_THAT(graph->features[1].values, ElementsAre(7));
  EXPECT_EQ(graph->features[2].dim, 0u);
  EXPECT_THAT(texts_of(graph->label_names), ElementsAre("1", "2"));
  ASSERT_EQ(graph->labels.size(), 3u);
  EXPECT_EQ(graph->labels[0].node, 0u);
  EXPECT_EQ(graph->labels[0].label, 1u);
  EXPECT_EQ(graph->labels[0].split, Split::Train);
  EXPECT_EQ(graph->labels[1].node, 1u);
  EXPECT_EQ(graph->labels[1].label, 0u);
  EXPECT_EQ(graph->labels[2].label, 1u);
  EXPECT_EQ(graph->labels[2].split, Split::Test);
}

TEST(Hgb, nodes_may_stand_in_any_order) {
  HgbCase files;
  files.nodes = "3\tgraph\t5\t\n1\tOn sets\t0\t0,-2\r\n2\tAnn\t1\t7\n0\tOn graphs\t0\t1,0.5\n\n";
  const Result<TypedGraph> graph = files.parse();
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(graph->node_type, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(graph->features[0].values, ElementsAre(1, 0.5, 0, -2));
}

TEST(Hgb, info_has_names) {
  HgbCase files;
  files.info = R"({
    "dataset": "T",
    "node.dat": {"node type": {"0": "paper", "1": "author", "2": "venue"}, "Attributes": 7},
    "link.dat": {"link type": {"0": {"start": 0, "end": 0, "meaning": "cites"}, "1": "by",
                               "2": {"start": 1, "end": 0, "meaning": "cites"}, "3": {"start": 0}}},
    "label.dat": {"node type": {"0": {"0": "sets", "1": "logic", "2": ""}}}})";
  const Result<TypedGraph> graph = files.parse();
  ASSERT_TRUE(graph) << errors_of(graph);
  // Types of info.dat that nothing has keep their number's place.
  EXPECT_THAT(texts_of(graph->node_type_names), ElementsAre("paper", "author", "venue", "5"));
  EXPECT_THAT(graph->node_type, ElementsAre(0, 0, 1, 3));
  EXPECT_THAT(texts_of(graph->relation_names), ElementsAre("cites", "by", "cites (2)", "9"));
  EXPECT_THAT(graph->relation, ElementsAre(1, 2, 0, 3));
  EXPECT_THAT(texts_of(graph->label_names), ElementsAre("sets", "logic", "2"));
  EXPECT_EQ(graph->labels[0].label, 2u);
}

TEST(Hgb, labels_of_several_node_types_have_no_names) {
  HgbCase files;
  files.info = R"({"label.dat": {"node type": {"0": {"1": "a"}, "1": {"1": "b"}}}})";
  const Result<TypedGraph> graph = files.parse();
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(texts_of(graph->label_names), ElementsAre("1", "2"));
}

TEST(Hgb, repeated_links_are_dropped) {
  HgbCase files;
  files.links += "0\t2\t1\t1.0\n0\t2\t2\t1.0\n";
  const Result<TypedGraph> graph = files.parse();
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->dropped_edges, 1u);
  EXPECT_THAT(graph->relation, ElementsAre(1, 2, 0, 3, 2));
}

TEST(Hgb, features_and_labels_may_be_missing) {
  HgbCase files;
  files.nodes = "0\ta\t0\n1\tb\t0\n2\tc\t0\t\n3\td\t0\n";
  files.train_labels = files.test_labels = "";
  const Result<TypedGraph> graph = files.parse();
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(graph->features, IsEmpty());
  EXPECT_THAT(graph->labels, IsEmpty());
  EXPECT_EQ(graph->label_names.size(), 0u);
}

TEST(BadHgb, bad_folder) {
  const TemporaryFolder folder;
  EXPECT_EQ(
      errors_of(load_hgb(folder.path())),
      folder.path("node.dat") + ": error: cannot be opened: No such file or directory [E001]");
  write_file(folder.path("node.dat.xz"), "");
  EXPECT_EQ(errors_of(load_hgb(folder.path())),
            folder.path("node.dat") +
                ": error: is not there, but node.dat.xz is: unpack it (xz -dk node.dat.xz) [E001]");
  write_file(folder.path("node.dat"), "0\ta\t0\n");
  write_file(folder.path("link.dat"), "");
  EXPECT_EQ(errors_of(load_hgb(folder.path())),
            folder.path("link.dat") + ": error: is empty, expected a link a line [E002]");
}

TEST(BadHgb, bad_node_rows) {
  HgbCase files;
  files.nodes = "0\ta\n1\tb\tpaper\nx\tc\t0\n3\td\t0\t1\t2\n";
  EXPECT_EQ(errors_of(files.parse()),
            "node.dat: line 1: error: 2 columns, expected with tabs between them: id, name, type, "
            "and features if it has any [E024]\n"
            "node.dat: line 2, column 5: error: found \"paper\", expected a node type's number "
            "[E024]\n"
            "node.dat: line 3, column 1: error: found \"x\", expected a node's id [E024]\n"
            "node.dat: line 4: error: 5 columns, expected with tabs between them: id, name, type, "
            "and features if it has any [E024]");
}

TEST(BadHgb, bad_node_ids) {
  HgbCase files;
  files.nodes = "0\ta\t0\n0\tb\t0\n3\tc\t0\n-1\tc\t0\n4\td\t0\n";
  EXPECT_EQ(errors_of(files.parse()),
            "node.dat: line 2: error: node 0 stands in line 1 too, expected each node once [E011]\n"
            "node.dat: line 4, column 1: error: node -1, but node.dat has 5 nodes, 0 to 4 [E012]");
}

TEST(BadHgb, bad_too_many_node_types) {
  HgbCase files;
  files.nodes.clear();
  for (int i = 0; i < 65536; ++i) {
    files.nodes += std::to_string(i) + "\t\t" + std::to_string(-i) + "\n";
  }
  EXPECT_EQ(errors_of(files.parse()),
            "node.dat: error: 65536 node types, the limit is 65535 [E024]");
}

TEST(BadHgb, bad_features) {
  HgbCase files;
  files.nodes =
      "0\ta\t0\t1,2\n1\tb\t0\n2\tc\t0\t1,2,3\n3\td\t0\t1,x\n4\te\t0\t1,-inf\n5\tf\t0\tinf,1\n"
      "6\tg\t0\t1,\n";
  EXPECT_EQ(errors_of(files.parse()),
            "node.dat: line 2: error: 0 features, but the first node of its type (line 1) has 2 "
            "[E024]\n"
            "node.dat: line 3: error: 3 features, but the first node of its type (line 1) has 2 "
            "[E024]\n"
            "node.dat: line 4, column 9: error: found \"x\", expected a number [E024]\n"
            "node.dat: line 5, column 9: error: found \"-inf\", expected a finite number [E016]\n"
            "node.dat: line 6, column 7: error: found \"inf\", expected a finite number [E016]\n"
            "node.dat: line 7, column 9: error: found nothing, expected a number [E024]");
}

TEST(BadHgb, bad_links) {
  HgbCase files;
  files.links = "0\t1\t2\n0\t4\t1\t1\n0\tb\t1\t1\n0\t1\tr\t1\n\n-1\t0\t1\t1\n";
  EXPECT_EQ(errors_of(files.parse()),
            "link.dat: line 1: error: 3 columns, expected with tabs between them: source, target, "
            "type, weight [E024]\n"
            "link.dat: line 2, column 3: error: node 4, but node.dat has 4 nodes, 0 to 3 [E012]\n"
            "link.dat: line 3, column 3: error: found \"b\", expected a node's id [E024]\n"
            "link.dat: line 4, column 5: error: found \"r\", expected a link type's number [E024]\n"
            "link.dat: line 5: error: 1 column, expected with tabs between them: source, target, "
            "type, weight [E024]\n"
            "link.dat: line 6, column 1: error: node -1, but node.dat has 4 nodes, 0 to 3 [E012]");
}

TEST(BadHgb, bad_link_weights) {
  HgbCase files;
  files.links = "0\t1\t0\t0.5\n0\t1\t0\t\n0\t1\t0\tnan\n";
  EXPECT_EQ(errors_of(files.parse()),
            "link.dat: line 1, column 7: error: found \"0.5\", expected the weight 1: vecc-import "
            "grounds links without weights [E024]\n"
            "link.dat: line 2, column 7: error: found nothing, expected the weight 1: vecc-import "
            "grounds links without weights [E024]\n"
            "link.dat: line 3, column 7: error: found \"nan\", expected the weight 1: vecc-import "
            "grounds links without weights [E024]");
}

TEST(BadHgb, bad_labels) {
  HgbCase files;
  files.train_labels = "0\ta\t0\n9\ta\t0\t1\n2\tAnn\t0\t1\n0\t\t0\tx\n1\t\t0\t1,1\n";
  files.test_labels = "3\t\t5\t1\n0\t\t0\t1\n3\t\t5\t2\n";
  EXPECT_EQ(errors_of(files.parse()),
            "label.dat: line 1: error: 3 columns, expected with tabs between them: id, name, type, "
            "labels [E024]\n"
            "label.dat: line 2, column 1: error: node 9, but node.dat has 4 nodes, 0 to 3 [E012]\n"
            "label.dat: line 3: error: node 2 has type 0 here, but type 1 in node.dat [E024]\n"
            "label.dat: line 4, column 6: error: found \"x\", expected a label's number [E024]\n"
            "label.dat: line 5, column 8: error: label 1 twice, expected each label once [E011]\n"
            "label.dat.test: line 2: error: node 0 has its labels in label.dat: line 4, expected "
            "one line for all of them [E011]\n"
            "label.dat.test: line 3: error: node 3 has its labels in label.dat.test: line 1, "
            "expected one line for all of them [E011]");
}

TEST(BadHgb, bad_info) {
  HgbCase files;
  files.info = "{\n \"node.dat\": ?}";
  EXPECT_EQ(errors_of(files.parse()),
            "info.dat: line 2, column 14: error: found \"?\", expected JSON here [E024]");
  files.info = "{";
  EXPECT_EQ(errors_of(files.parse()),
            "info.dat: line 1, column 2: error: found nothing, expected JSON here [E024]");
  files.info = R"({"node.dat": 1e999})";
  EXPECT_EQ(errors_of(files.parse()), "info.dat: error: has a number that is too large [E016]");
  files.info = "[1]";
  EXPECT_EQ(errors_of(files.parse()),
            "info.dat: error: the file is an array, expected an object [E024]");
  files.info = R"({"node.dat": {"node type": {"x": "paper", "1": 7}},
                   "link.dat": {"link type": [1]}, "label.dat": {"node type": {"0": "a"}}})";
  EXPECT_EQ(
      errors_of(files.parse()),
      "info.dat: error: \"node type\"[\"1\"] is a number, expected a name [E024]\n"
      "info.dat: error: the key of \"node type\"[\"x\"] is no number, expected a number [E024]\n"
      "info.dat: error: link.dat[\"link type\"] is an array, expected an object [E024]\n"
      "info.dat: error: the labels of node type \"0\" is a string, expected an object [E024]");
}

}  // namespace
}  // namespace vecc::tools
