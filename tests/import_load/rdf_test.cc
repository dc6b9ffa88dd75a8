// N-Triples and label files: what is read, and every error.
#include <gmock/gmock.h>
#include <zlib.h>

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
using testing::HasSubstr;
using testing::IsEmpty;

#ifdef VECC_HAS_RDF

Result<TypedGraph> parse(std::string_view triples, std::optional<std::string_view> train = {},
                         std::optional<std::string_view> test = {}) {
  const auto text = [](const char* name, std::optional<std::string_view> bytes) {
    return bytes ? std::optional<Text>({name, *bytes}) : std::nullopt;
  };
  return parse_rdf({"T", {"T.nt", triples}, text("train.tsv", train), text("test.tsv", test)});
}

constexpr const char* kPeople =
    "<http://x/ann> <http://x/knows> <http://x/bob> .\n"
    "<http://x/bob> <http://x/knows> <http://x/cy> .\n"
    "<http://x/cy> <http://x/in> <http://x/club> .\n";

TEST(Rdf, every_kind_of_node_has_its_name) {
  const Result<TypedGraph> graph = parse(
      "# people\n\n"
      "<http://x/ann> <http://x/knows> _:b0 . # a comment\r\n"
      "\t _:b0 <http://x/name> \"Bob\" .\n"
      "_:b0\t<http://x/name>\t\"Bob\"@en-GB.\n"
      "_:b0 <http://x/age> \"7\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
      "_:b0 <http://x/name> \"B\\u00F6b \\\"\\n\\\\\" .\n"
      "_:b0 <http://x/name> \"B\xC3\xB6"
      "b\" .\n");
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(texts_of(graph->node_names),
              ElementsAre("http://x/ann", "_:b0", "\"Bob\"", "\"Bob\"@en-GB",
                          "\"7\"^^<http://www.w3.org/2001/XMLSchema#integer>",
                          "\"B\xC3\xB6"
                          "b \"\n\\\"",
                          "\"B\xC3\xB6"
                          "b\""));
  EXPECT_THAT(texts_of(graph->relation_names),
              ElementsAre("http://x/knows", "http://x/name", "http://x/age"));
  EXPECT_THAT(graph->source, ElementsAre(0, 1, 1, 1, 1, 1));
  EXPECT_THAT(graph->target, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(graph->relation, ElementsAre(0, 1, 1, 2, 1, 1));
  EXPECT_EQ(graph->node_count, 7u);
  EXPECT_THAT(graph->labels, IsEmpty());
}

TEST(Rdf, repeated_triples_are_dropped) {
  const Result<TypedGraph> graph = parse(std::string(kPeople) + kPeople);
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->edge_count(), 3u);
  EXPECT_EQ(graph->dropped_edges, 3u);
}

// More lines than one of serd's readers gets.
TEST(Rdf, long_files_are_read_to_the_end) {
  std::string triples;
  for (int i = 0; i < 20000; ++i) {
    triples += "<http://x/" + std::to_string(i) + "> <http://x/next> <http://x/" +
               std::to_string(i + 1) + "> .\n";
  }
  const Result<TypedGraph> graph = parse(triples);
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->node_count, 20001u);
  EXPECT_EQ(graph->source.back(), 19999u);
}

TEST(Rdf, labels_come_from_the_column_with_instances) {
  const Result<TypedGraph> graph = parse(
      kPeople, "id\tlabel_club\tperson\r\n1\tz\thttp://x/ann\r\n2\thttp://x/club\thttp://x/cy\r\n",
      "person\tlabel_club\nhttp://x/bob\tz\n\n");
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(texts_of(graph->label_names), ElementsAre("http://x/club", "z"));
  ASSERT_EQ(graph->labels.size(), 3u);
  const auto is = [&](std::size_t i, std::string_view node, std::uint32_t label, Split split) {
    const NodeLabel& found = graph->labels[i];
    EXPECT_EQ(graph->node_names[found.node], node);
    EXPECT_EQ(found.label, label);
    EXPECT_EQ(found.split, split);
  };
  is(0, "http://x/ann", 1, Split::Train);
  is(1, "http://x/cy", 0, Split::Train);
  is(2, "http://x/bob", 1, Split::Test);
}

TEST(Rdf, a_folder_has_triples_and_labels) {
  const TemporaryFolder folder;
  gzFile file = gzopen(folder.path("club_stripped.nt.gz").c_str(), "wb");
  gzputs(file, kPeople);
  gzclose(file);
  write_file(folder.path("trainingSet.tsv"), "person\tlabel\nhttp://x/ann\tyes\n");
  write_file(folder.path("testSet.tsv"), "person\tlabel\nhttp://x/bob\tno\n");
  write_file(folder.path("completeDataset.tsv"), "not read");
  const Result<TypedGraph> of_folder = load_rdf(folder.path());
  ASSERT_TRUE(of_folder) << errors_of(of_folder);
  EXPECT_EQ(of_folder->labels.size(), 2u);
  const Result<TypedGraph> of_file = load_rdf(folder.path("club_stripped.nt.gz"));
  ASSERT_TRUE(of_file) << errors_of(of_file);
  EXPECT_EQ(of_file->name, "club_stripped");
  EXPECT_EQ(of_file->labels.size(), 2u);
}

TEST(BadRdf, bad_folder) {
  const TemporaryFolder folder;
  EXPECT_EQ(errors_of(load_rdf(folder.path())),
            folder.path() +
                ": error: has no file *.nt or *.nt.gz or *.nt.zst, expected one, with triples of "
                "RDF [E001]");
  write_file(folder.path("a.nt"), "");
  EXPECT_EQ(errors_of(load_rdf(folder.path())),
            folder.path("a.nt") + ": error: is empty, expected a triple a line [E002]");
  write_file(folder.path("a.nt"), kPeople);
  write_file(folder.path("testSet.tsv"), "");
  EXPECT_EQ(errors_of(load_rdf(folder.path("a.nt"))),
            folder.path("testSet.tsv") +
                ": error: is empty, expected a header and an instance a line [E002]");
}

TEST(BadRdf, bad_no_triples) {
  EXPECT_EQ(errors_of(parse("# nothing\n")), "T.nt: error: has no triples [E002]");
}

// The column and what stands behind "N-Triples:" are serd's, and differ from version to version.
void expect_syntax_error(std::string_view line) {
  const std::string bytes = kPeople + std::string(line) + "\n" + kPeople;
  const Result<TypedGraph> graph = parse(bytes);
  ASSERT_FALSE(graph) << line;
  EXPECT_EQ(graph.error().list().size(), 1u) << errors_of(graph);
  EXPECT_THAT(errors_of(graph), testing::StartsWith("T.nt: line 4, column ")) << line;
  EXPECT_THAT(errors_of(graph), HasSubstr(": error: is not N-Triples: ")) << line;
  EXPECT_EQ(graph.error().list().front().code, ErrorCode::BadTable);
}

TEST(BadRdf, bad_syntax) {
  expect_syntax_error("<http://x/a> <http://x/b> .");
  expect_syntax_error("<http://x/a> <http://x/b c> <http://x/d> .");
  expect_syntax_error("<http://x/a> <http://x/b> 7 .");
  expect_syntax_error("<http://x/a> <http://x/b> ( <http://x/c> ) .");
  expect_syntax_error("<http://x/a> <http://x/b> [] .");
  expect_syntax_error("<http://x/a> a <http://x/c> .");
  expect_syntax_error("<a> <http://x/b> <http://x/c> .");
  expect_syntax_error("<http://x/a> _:b <http://x/c> .");
  expect_syntax_error("<http://x/a> <http://x/b> <http://x/c> ; <http://x/d> .");
  expect_syntax_error("<http://x/a> <http://x/b> \"a\"@ .");
  expect_syntax_error("<http://x/a> <http://x/b> \"\\q\" .");
}

TEST(BadRdf, bad_line_ends_early) {
  EXPECT_EQ(errors_of(parse("<http://x/a> <http://x/b> <http://x/c>\n")),
            "T.nt: line 1, column 39: error: is not N-Triples: the line ends too early [E024]");
  expect_syntax_error("<http://x/a> <http://x/b> \"text .");
  expect_syntax_error("<http://x/a>");
  expect_syntax_error("<http://x/a");
  expect_syntax_error("_:");
}

TEST(BadRdf, bad_line_start) {
  EXPECT_EQ(
      errors_of(parse(" @prefix x: <http://x/> .\nx:a x:b x:c .\n\"a\" <http://x/b> _:c .\n"
                      "[[[[[\n\xC3\xA9\n")),
      "T.nt: line 1, column 2: error: is not N-Triples: found \"@\", expected <IRI> or _:name "
      "[E024]\n"
      "T.nt: line 2, column 1: error: is not N-Triples: found \"x\", expected <IRI> or _:name "
      "[E024]\n"
      "T.nt: line 3, column 1: error: is not N-Triples: found \"\\\"\", expected <IRI> or "
      "_:name [E024]\n"
      "T.nt: line 4, column 1: error: is not N-Triples: found \"[\", expected <IRI> or _:name "
      "[E024]\n"
      "T.nt: line 5, column 1: error: is not N-Triples: found \"\xC3\xA9\", expected <IRI> or "
      "_:name [E024]");
}

TEST(BadRdf, bad_names_and_lines) {
  using namespace std::string_literals;
  EXPECT_EQ(
      errors_of(parse("<http://x/a> <http://x/b> <http://x/c> <http://x/graph> .\n"
                      "<http://x/a> <http://x/b> <http://x/c> . <http://x/a> <http://x/b> _:d .\n"
                      "<http://x/a> <http://x/b> \"\\uD800\" .\n"
                      "<http://x/a> <http://x/b> \"a\0b\" .\n"s)),
      "T.nt: line 1: error: has a fourth name, expected a full stop after the third [E024]\n"
      "T.nt: line 2: error: has more than one triple, expected one a line [E024]\n"
      "T.nt: line 3: error: has an escape that stands for no character [E024]\n"
      "T.nt: line 4, column 29: error: is not N-Triples: found the byte 0x00 [E024]");
}

TEST(BadRdf, bad_prefixed_names) {
  EXPECT_THAT(
      errors_of(parse("<http://x/a> <http://x/b> :c .\n")),
      HasSubstr("T.nt: line 1: error: has a name with a prefix, expected whole IRIs: <...>"));
}

TEST(BadRdf, bad_utf8) {
  EXPECT_EQ(errors_of(parse("<http://x/a> <http://x/b> \"J\xE9r\" .\n")),
            "T.nt: line 1, column 29: error: found the byte 0xe9, expected UTF-8 text [E024]");
}

TEST(BadRdf, bad_many_lines_are_counted) {
  std::string triples;
  for (int i = 0; i < 50; ++i) triples += "<\n";
  const Result<TypedGraph> graph = parse(triples);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().list().size(), 20u);
  EXPECT_EQ(graph.error().omitted(), 30u);
}

TEST(BadRdf, bad_label_header) {
  EXPECT_EQ(errors_of(parse(kPeople, "person\tclub\nhttp://x/ann\t1\n",
                            "person\tlabel_a\tlabel_b\nhttp://x/ann\t1\t2\n")),
            "train.tsv: line 1: error: the header has no column whose name begins with label, "
            "expected one [E024]\n"
            "test.tsv: line 1: error: the header has 2 columns whose name begins with label, "
            "expected one [E024]");
}

TEST(BadRdf, bad_label_rows) {
  EXPECT_EQ(errors_of(parse(kPeople,
                            "person\tlabel\nhttp://x/ann\tx\nhttp://x/dan\tx\nhttp://x/bob\n"
                            "http://x/cy\t\nhttp://x/ann\ty\n",
                            "person\tlabel\nhttp://x/ann\tx\n")),
            "train.tsv: line 4: error: 1 column, but the header has 2 [E024]\n"
            "train.tsv: line 3: error: found \"http://x/dan\", which no triple names [E012]\n"
            "train.tsv: line 5: error: \"http://x/cy\" has no class [E024]\n"
            "train.tsv: line 6: error: \"http://x/ann\" has a class in train.tsv: line 2, expected "
            "one class [E011]\n"
            "test.tsv: line 2: error: \"http://x/ann\" has a class in train.tsv: line 2, expected "
            "one class [E011]");
}

TEST(BadRdf, bad_label_instances) {
  EXPECT_EQ(errors_of(parse(kPeople, "person\tlabel\nann\thttp://x/club\n")),
            "train.tsv: error: no column has names of the graph's nodes, expected one of instances "
            "[E012]");
  EXPECT_EQ(errors_of(parse(kPeople, "person\tlabel\n")),
            "train.tsv: error: has no rows below its header [E002]");
}

#else

TEST(BadRdf, bad_not_built_in) {
  const TemporaryFolder folder;
  write_file(folder.path("a.nt"), "<http://x/a> <http://x/b> <http://x/c> .\n");
  EXPECT_EQ(errors_of(load_rdf(folder.path())),
            "a.nt: error: is RDF, and vecc was built without it: install libserd-dev and configure "
            "with -DVECC_RDF=ON [E052]");
}

#endif

}  // namespace
}  // namespace vecc::tools
