// Triples as CSV, with blanks, as N-Triples; headers, columns, types of entities, inverse
// relations.
#include <gmock/gmock.h>

#include "tests/graph_io/temporary_folder.h"
#include "tests/import_load/load_check.h"
#include "tools/import/load/inverse_triples.h"
#include "tools/import/load/loaders.h"
#include "tools/import/load/parse.h"

namespace vecc::tools {
namespace {

using test::errors_of;
using test::TemporaryFolder;
using test::texts_of;
using test::write_file;
using testing::ElementsAre;

Result<TypedGraph> parse_as(TripleFormat format, std::string_view bytes, bool has_header = false,
                            std::array<std::uint32_t, 3> columns = {}) {
  return parse_triples({"T", Text{"T.x", bytes}, {}, {}, {}}, {format, has_header, columns, {}});
}

Result<TypedGraph> parse_typed(std::string_view types, TripleFormat format = TripleFormat::Tsv) {
  TripleTexts texts{"T", Text{"T.x", "a\tr\tb\nb\tr\tc\n"}, {}, {}, {}};
  texts.types = Text{"types.x", types};
  texts.types_format = format;
  return parse_triples(texts);
}

// head, relation, tail of each edge.
std::vector<std::string> triples_of(const TypedGraph& graph) {
  std::vector<std::string> triples;
  for (std::size_t e = 0; e < graph.edge_count(); ++e) {
    triples.push_back(std::string(graph.node_names[graph.source[e]]) + "|" +
                      std::string(graph.relation_names[graph.relation[e]]) + "|" +
                      std::string(graph.node_names[graph.target[e]]));
  }
  return triples;
}

TEST(TripleFormats, CsvHasQuotesAndLineEndsInNames) {
  const auto graph =
      parse_as(TripleFormat::Csv, "\"a, b\",r,\"say \"\"x\"\"\"\nc,r,\"two\nlines\"\r\n");
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(triples_of(*graph), ElementsAre("a, b|r|say \"x\"", "c|r|two\nlines"));
}

TEST(TripleFormats, BlanksSeparateHoweverMany) {
  const auto graph = parse_as(TripleFormat::Space, "  a r\t b\nb   r a  \n");
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(triples_of(*graph), ElementsAre("a|r|b", "b|r|a"));
}

TEST(TripleFormats, AHeaderIsNoTripleAndColumnsMayStandElsewhere) {
  const auto graph =
      parse_as(TripleFormat::Csv, "id,tail,head,relation\n1,t,h,r\n2,u,h,r\n", true, {3, 4, 2});
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(triples_of(*graph), ElementsAre("h|r|t", "h|r|u"));
  EXPECT_EQ(errors_of(parse_as(TripleFormat::Tsv, "a\tb\n", false, {1, 2, 3})),
            "T.x: line 1: error: 2 columns, expected at least 3 with tabs between them [E024]");
}

TEST(TripleFormats, AHeaderAloneIsNoSet) {
  EXPECT_EQ(errors_of(parse_as(TripleFormat::Csv, "head,relation,tail\n", true)),
            "T.x: error: has no triples [E002]");
}

TEST(TripleFormats, BadRowsAreListed) {
  EXPECT_EQ(errors_of(parse_as(TripleFormat::Csv, "a,r\na,,b\na,\"r,b\n")),
            "T.x: line 1: error: 2 columns, expected 3 with commas between them: head, relation, "
            "tail [E024]\n"
            "T.x: line 2: error: the relation has no name [E024]\n"
            "T.x: line 3, column 3: error: found no quote that ends this field [E024]");
  EXPECT_EQ(errors_of(parse_as(TripleFormat::Space, "a r b c\n\na r b\n")),
            "T.x: line 1: error: 4 columns, expected 3 with blanks between them: head, relation, "
            "tail [E024]\n"
            "T.x: line 2: error: 0 columns, expected 3 with blanks between them: head, relation, "
            "tail [E024]");
  EXPECT_EQ(errors_of(parse_as(TripleFormat::Csv, "a,r,\xFF\n")),
            "T.x: line 1, column 5: error: found the byte 0xff, expected UTF-8 text [E024]");
}

#ifdef VECC_HAS_RDF
TEST(TripleFormats, NTriplesAreNamesAsInRdf) {
  const auto graph = parse_as(TripleFormat::NTriples,
                              "<http://x/a> <http://x/r> \"B\"@en .\n# no triple\n"
                              "_:b0 <http://x/s> <http://x/a> .\n"
                              "<http://x/a> <http://x/r> \"B\"@en .\n");
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(triples_of(*graph),
              ElementsAre("http://x/a|http://x/r|\"B\"@en", "_:b0|http://x/s|http://x/a"));
  EXPECT_EQ(graph->dropped_edges, 1u);
  EXPECT_EQ(errors_of(parse_as(TripleFormat::NTriples, "a r b\n")),
            "T.x: line 1, column 1: error: is not N-Triples: found \"a\", expected <IRI> or _:name "
            "[E024]");
  EXPECT_EQ(errors_of(parse_as(TripleFormat::NTriples, "<a:b> <a:b> <a:b> .\n", true)),
            "T.x: error: is N-Triples, which have no header and no other columns [E050]");
}

TEST(TripleFormats, NTriplesOfAFolderAreASplit) {
  const TemporaryFolder folder;
  write_file(folder.path("train.nt"), "<a:a> <a:r> <a:b> .\n");
  write_file(folder.path("test.nt"), "<a:b> <a:r> <a:a> .\n<a:a> <a:r> <a:b> .\n");
  const auto graph = load_triples(folder.path());
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(graph->edge_split, ElementsAre(Split::Train, Split::Test));
  EXPECT_EQ(graph->dropped_edges, 1u);
}
#endif

TEST(TripleFormats, EndingsSayTheFormatUnlessItIsGiven) {
  const TemporaryFolder folder;
  write_file(folder.path("train.csv"), "a,r,b\n");
  write_file(folder.path("valid.csv"), "b,r,a\n");
  const auto graph = load_triples(folder.path());
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(triples_of(*graph), ElementsAre("a|r|b", "b|r|a"));
  write_file(folder.path("test.tsv"), "a r c\n");
  EXPECT_EQ(errors_of(load_triples(folder.path())),
            folder.path() +
                ": error: train.csv and test.tsv have two formats by their names; "
                "--format says which one it is [E024]");
  write_file(folder.path("train.txt"), "a r b\n");
  EXPECT_EQ(errors_of(load_triples(folder.path())),
            folder.path() + ": error: has train.txt and train.csv, expected one of them [E001]");
  TripleLayout layout;
  layout.format = TripleFormat::Space;
  const auto file = load_triples(folder.path("test.tsv"), layout);
  ASSERT_TRUE(file) << errors_of(file);
  EXPECT_THAT(triples_of(*file), ElementsAre("a|r|c"));
}

TEST(TripleTypes, AreNodeTypesAndTheRestAreEntities) {
  auto graph = parse_typed("c\tplace\na\tperson\nc\tplace\n");
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(texts_of(graph->node_type_names), ElementsAre("place", "person", "entity"));
  EXPECT_THAT(graph->node_type, ElementsAre(1, 2, 0));
  graph = parse_typed("a,\"x, y\"\nb,z\nc,z\n", TripleFormat::Csv);
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(texts_of(graph->node_type_names), ElementsAre("x, y", "z"));
}

TEST(TripleTypes, OneEachOfEntitiesThatAreThere) {
  EXPECT_EQ(errors_of(parse_typed("a\tx\nd\tx\na\ty\nb\n")),
            "types.x: line 2: error: no triple has the entity \"d\" [E012]\n"
            "types.x: line 3: error: the entity \"a\" has the type \"x\" already [E011]\n"
            "types.x: line 4: error: 1 column, expected 2 with tabs between them: entity, type "
            "[E024]");
}

TEST(InverseTriples, FollowTheirTriples) {
  auto graph = parse_triples(
      {"T", {}, Text{"train.txt", "a\tr\tb\nb\ts\tb\n"}, {}, Text{"test.txt", "b\tr\ta\n"}});
  ASSERT_TRUE(graph) << errors_of(graph);
  ASSERT_TRUE(add_inverse_triples(*graph));
  EXPECT_THAT(triples_of(*graph),
              ElementsAre("a|r|b", "b|r^-1|a", "b|s|b", "b|s^-1|b", "b|r|a", "a|r^-1|b"));
  EXPECT_THAT(texts_of(graph->relation_names), ElementsAre("r", "s", "r^-1", "s^-1"));
  EXPECT_THAT(graph->edge_split, ElementsAre(Split::Train, Split::Train, Split::Train, Split::Train,
                                             Split::Test, Split::Test));
  const auto again = add_inverse_triples(*graph);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().text(),
            "T: error: has the inverse relation \"r^-1\" already: leave --inverse=on away [E050]");
}

TEST(InverseTriples, HaveTheNumbersOfAnEarlierGraph) {
  auto graph = parse_triples({"T", Text{"T.txt", "a\tr\tb\n"}, {}, {}, {}});
  ASSERT_TRUE(graph) << errors_of(graph);
  graph->relation_names.push_back("s");
  graph->relation_names.push_back("r^-1");
  graph->relation_names.push_back("s^-1");
  ASSERT_TRUE(add_inverse_triples(*graph));
  EXPECT_EQ(graph->relation_count(), 4u);
  EXPECT_THAT(graph->relation, ElementsAre(0, 2));
}

}  // namespace
}  // namespace vecc::tools
