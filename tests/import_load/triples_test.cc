// Triples of names: what is read, and every error.
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
using testing::IsEmpty;

constexpr Split kTrain = Split::Train;
constexpr Split kTest = Split::Test;
constexpr Split kValidation = Split::Validation;

Result<TypedGraph> parse_whole(std::string_view bytes) {
  return parse_triples({"T", Text{"T.txt", bytes}, {}, {}, {}});
}

TEST(Triples, names_are_numbered_as_they_come) {
  const Result<TypedGraph> graph = parse_whole("b\tlikes\ta\na\tknows\tb\nb\tknows\tc d\n");
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->name, "T");
  EXPECT_EQ(graph->node_count, 3u);
  EXPECT_THAT(texts_of(graph->node_names), ElementsAre("b", "a", "c d"));
  EXPECT_THAT(texts_of(graph->relation_names), ElementsAre("likes", "knows"));
  EXPECT_THAT(texts_of(graph->node_type_names), ElementsAre("entity"));
  EXPECT_THAT(graph->source, ElementsAre(0, 1, 0));
  EXPECT_THAT(graph->target, ElementsAre(1, 0, 2));
  EXPECT_THAT(graph->relation, ElementsAre(0, 1, 1));
  EXPECT_THAT(graph->edge_split, IsEmpty());
  EXPECT_THAT(graph->node_type, IsEmpty());
  EXPECT_THAT(graph->labels, IsEmpty());
}

TEST(Triples, a_head_may_be_its_own_tail_and_a_name_may_be_anything) {
  const Result<TypedGraph> graph = parse_whole(" \t\xC3\xA9\t \r\n\"\tr\t\x01\n");
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(texts_of(graph->node_names), ElementsAre(" ", "\"", "\x01"));
  EXPECT_THAT(graph->source, ElementsAre(0, 1));
  EXPECT_THAT(graph->target, ElementsAre(0, 2));
}

TEST(Triples, files_are_the_split) {
  const Result<TypedGraph> graph = parse_triples({"T",
                                                  {},
                                                  Text{"train.txt", "a\tr\tb\nb\tr\tc\n"},
                                                  Text{"valid.txt", "c\ts\ta"},
                                                  Text{"test.txt", "d\tr\ta\n\n"}});
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(graph->edge_split, ElementsAre(kTrain, kTrain, kValidation, kTest));
  EXPECT_THAT(graph->source, ElementsAre(0, 1, 2, 3));
}

TEST(Triples, a_repeated_triple_stands_once_where_it_came_first) {
  const Result<TypedGraph> graph = parse_triples({"T",
                                                  {},
                                                  Text{"train.txt", "a\tr\tb\na\ts\tb\na\tr\tb\n"},
                                                  {},
                                                  Text{"test.txt", "a\tr\tb\nb\tr\ta\n"}});
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->dropped_edges, 2u);
  EXPECT_THAT(graph->source, ElementsAre(0, 0, 1));
  EXPECT_THAT(graph->relation, ElementsAre(0, 1, 0));
  EXPECT_THAT(graph->edge_split, ElementsAre(kTrain, kTrain, kTest));
}

TEST(Triples, a_repeated_triple_stands_in_every_split_where_that_is_asked_for) {
  TripleLayout layout;
  layout.keeps_repeated = true;
  const Result<TypedGraph> graph = parse_triples(
      {"T", {}, Text{"train.txt", "a\tr\tb\n"}, {}, Text{"test.txt", "a\tr\tb\na\tr\tb\n"}},
      layout);
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->dropped_edges, 0u);
  EXPECT_THAT(graph->edge_split, ElementsAre(kTrain, kTest, kTest));
  EXPECT_THAT(graph->source, ElementsAre(0, 0, 0));
}

TEST(Triples, a_folder_may_lack_some_of_its_files) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("my.kg"));
  write_file(folder.path("my.kg/test.txt"), "a\tr\tb\n");
  const Result<TypedGraph> graph = load_triples(folder.path("my.kg/"));
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_THAT(graph->edge_split, ElementsAre(kTest));
  EXPECT_EQ(graph->name, "my.kg");
}

TEST(Triples, a_file_may_be_compressed) {
  const TemporaryFolder folder;
  const std::string path = folder.path("facts.tsv.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, "a\tr\tb\nb\tr\ta\n");
  gzclose(file);
  const Result<TypedGraph> graph = load_triples(path);
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->edge_count(), 2u);
  EXPECT_EQ(graph->name, "facts");
  std::filesystem::create_directory(folder.path("kg"));
  std::filesystem::rename(path, folder.path("kg/train.tsv.gz"));
  EXPECT_EQ(load_triples(folder.path("kg"))->edge_count(), 2u);
}

TEST(BadTriples, bad_path) {
  const TemporaryFolder folder;
  EXPECT_EQ(errors_of(load_triples(folder.path("none"))),
            folder.path("none") + ": error: cannot be opened: No such file or directory [E001]");
  EXPECT_EQ(errors_of(load_triples(folder.path())),
            folder.path() +
                ": error: has none of train.txt, valid.txt and test.txt (or .tsv, .csv, .nt, with "
                ".gz or .zst) [E001]");
  write_file(folder.path("valid.txt"), "");
  EXPECT_EQ(errors_of(load_triples(folder.path())),
            folder.path("valid.txt") + ": error: is empty, expected a triple a line [E002]");
}

TEST(BadTriples, bad_damaged_gzip) {
  const TemporaryFolder folder;
  const std::string path = folder.path("train.txt");
  write_file(path, "\x1f\x8b\x08");
  EXPECT_EQ(errors_of(load_triples(folder.path())),
            path + ": error: gzip data ends early, expected its end mark [E003]");
  write_file(path, "\x1f\x8b rubbish");
  EXPECT_EQ(errors_of(load_triples(path)),
            path + ": error: gzip data is damaged: unknown compression method [E009]");
}

TEST(BadTriples, bad_columns) {
  EXPECT_EQ(
      errors_of(parse_whole("a\tr\tb\na r b\na\tr\na\tr\tb\tc\n\na\tr\tb\n")),
      "T.txt: line 2: error: 1 column, expected 3 with tabs between them: head, relation, tail "
      "[E024]\n"
      "T.txt: line 3: error: 2 columns, expected 3 with tabs between them: head, relation, "
      "tail [E024]\n"
      "T.txt: line 4: error: 4 columns, expected 3 with tabs between them: head, relation, "
      "tail [E024]\n"
      "T.txt: line 5: error: 1 column, expected 3 with tabs between them: head, relation, tail "
      "[E024]");
}

TEST(BadTriples, bad_empty_names) {
  EXPECT_EQ(errors_of(parse_whole("\tr\tb\na\t\tb\na\tr\t\n")),
            "T.txt: line 1: error: the head has no name [E024]\n"
            "T.txt: line 2: error: the relation has no name [E024]\n"
            "T.txt: line 3: error: the tail has no name [E024]");
}

TEST(BadTriples, bad_utf8) {
  EXPECT_EQ(errors_of(parse_whole("a\tr\tb\na\tr\tJ\xE9r\xF4me\n")),
            "T.txt: line 2, column 6: error: found the byte 0xe9, expected UTF-8 text [E024]");
}

TEST(BadTriples, bad_files_are_all_reported) {
  const auto graph = parse_triples(
      {"T", {}, Text{"train.txt", "?"}, Text{"valid.txt", "\n"}, Text{"test.txt", "!"}});
  EXPECT_EQ(
      errors_of(graph),
      "train.txt: line 1: error: 1 column, expected 3 with tabs between them: head, relation, "
      "tail [E024]\n"
      "valid.txt: error: is empty, expected a triple a line [E002]\n"
      "test.txt: line 1: error: 1 column, expected 3 with tabs between them: head, relation, "
      "tail [E024]");
}

}  // namespace
}  // namespace vecc::tools
