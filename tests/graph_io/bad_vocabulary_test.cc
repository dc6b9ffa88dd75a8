// Vocabularies that a file can get wrong: the exact message and exit code.
#include "tests/graph_io/wire_file.h"

namespace vecc::test {
namespace {

constexpr const char* kLabel = "bad.pb: vocabulary \"label\": error: ";

/// A WireFile with the vocabulary "label" of two names, and a use of the table `w` (2 of 2x2).
struct VocabularyFile : WireFile {
  VocabularyFile() {
    header.set_schema_version(2);
    add("label", {"a", "b"}).add_uses()->set_weight_table("w");
  }
  wire::Vocabulary& add(const char* name, const std::vector<std::string>& names) {
    wire::Vocabulary& added = vocabularies.emplace_back();
    added.set_name(name);
    for (const std::string& n : names) added.add_names(n);
    return added;
  }
  wire::Vocabulary& label() { return vocabularies[0]; }
  wire::VocabularyUse& use() { return *label().mutable_uses(0); }
  void expect(const std::string& message) const { expect_errors(bytes(), kLabel + message); }
};

TEST(Vocabularies, every_use_is_read) {
  VocabularyFile file;
  file.label().add_uses()->set_group(1);
  file.label().mutable_uses(1)->set_axis(wire::VocabularyUse::ROWS);
  file.label().add_uses()->set_outputs(true);
  wire::VocabularyUse& doubled = *file.add("half", {"x"}).add_uses();
  doubled.set_weight_table("w");
  doubled.set_axis(wire::VocabularyUse::COLUMNS);
  doubled.set_inner(2);
  const NeuronGraph graph = expect_graph(file.bytes());
  ASSERT_EQ(graph.vocabularies.size(), 2u);
  using Use = VocabularyUse;
  const std::vector<Use> expected{{Use::Place::Weights, Use::Axis::Entry, "w", 0, 1},
                                  {Use::Place::Facts, Use::Axis::ValueRow, {}, 1, 1},
                                  {Use::Place::Outputs, {}, {}, 0, 1}};
  EXPECT_EQ(graph.vocabularies[0].uses, expected);
  EXPECT_EQ(graph.vocabularies[1].uses[0].inner, 2u);
  EXPECT_EQ((*graph.classes())[1], "b");
}

TEST(BadVocabulary, bad_vocabulary_in_version_1) {
  VocabularyFile file;
  file.header.set_schema_version(1);
  const std::string body = file.body();
  const std::string at =
      std::to_string(body.size() - field(6, file.label().SerializeAsString()).size());
  expect_errors(file.bytes(), "bad.pb: field 6 (vocabulary) at byte " + at +
                                  ": error: in a file of schema version 1, expected version 2 "
                                  "[E006]");
}

TEST(BadVocabulary, bad_vocabulary_name_twice) {
  VocabularyFile file;
  file.add("label", {"c"});
  file.expect("the name is used twice, expected unique names [E015]");
}

TEST(BadVocabulary, bad_vocabulary_continued_unknown) {
  VocabularyFile file;
  file.label().set_continued(true);
  file.expect("is continued, but no chunk before has this name [E021]");
}

TEST(BadVocabulary, bad_vocabulary_without_names) {
  VocabularyFile file;
  file.label().clear_names();
  file.expect("has no names, expected at least one [E010]");
}

TEST(BadVocabulary, bad_vocabulary_names_equal) {
  VocabularyFile file;
  wire::Vocabulary& more = file.add("label", {"c", "a\n", "a\n"});
  more.set_continued(true);
  file.expect("names 3 and 4 are both \"a\\n\", expected distinct names [E015]");
}

TEST(BadVocabulary, bad_vocabulary_not_utf8) {
  VocabularyFile file;
  file.label().set_names(0, "XY");
  std::string body = file.body();
  body[body.find("XY")] = '\xFF';
  const std::string at =
      std::to_string(body.size() - field(6, file.label().SerializeAsString()).size());
  expect_errors(file.finish(body), "bad.pb: field 6 (vocabulary) at byte " + at +
                                       ": error: is no valid vecc.wire.Vocabulary message "
                                       "[E006]");
}

TEST(BadVocabulary, bad_use_of_nothing) {
  VocabularyFile file;
  file.use().clear_weight_table();
  file.expect("a use names neither a weight table, a group, nor the outputs [E006]");
}

TEST(BadVocabulary, bad_use_of_outputs) {
  VocabularyFile file;
  file.use().set_outputs(false);
  file.expect("a use of the outputs says more than `outputs: true` [E006]");
}

TEST(BadVocabulary, bad_axis) {
  VocabularyFile file;
  file.use().set_axis(static_cast<wire::VocabularyUse::Axis>(3));
  file.expect("the axis of a use is 3, expected a value of graph.proto [E006]");
}

TEST(BadVocabulary, bad_axis_of_facts) {
  VocabularyFile file;
  file.use().set_group(1);
  file.expect("the axis of facts is the entries, expected the rows or columns of a value [E006]");
}

TEST(BadVocabulary, bad_use_of_unknown_table) {
  VocabularyFile file;
  file.use().set_weight_table("v\n");
  file.expect("refers to weight table \"v\\n\", but the graph has none [E012]");
}

TEST(BadVocabulary, bad_use_of_unknown_group) {
  VocabularyFile file;
  file.use().set_group(9);
  file.use().set_axis(wire::VocabularyUse::ROWS);
  file.expect("refers to group 9, but no group has that id [E012]");
}

TEST(BadVocabulary, bad_use_of_computed_neurons) {
  VocabularyFile file;
  file.use().set_group(3);
  file.use().set_axis(wire::VocabularyUse::ROWS);
  file.expect("refers to group 3 \"layer_1\", expected a group of constant facts [E021]");
}

TEST(BadVocabulary, bad_sizes) {
  for (const auto axis :
       {wire::VocabularyUse::ENTRIES, wire::VocabularyUse::ROWS, wire::VocabularyUse::COLUMNS}) {
    VocabularyFile file;
    file.label().add_names("c");
    file.use().set_axis(axis);
    const char* const what[] = {"weights", "rows", "columns"};
    file.expect("weight table \"w\" has 2 " + std::string(what[axis]) +
                ", expected 3 names, or a multiple [E014]");
  }
  VocabularyFile facts;
  facts.use().set_group(1);
  facts.use().set_axis(wire::VocabularyUse::COLUMNS);
  facts.expect("group 1 \"bond\" has 1 columns, expected 2 names, or a multiple [E014]");
  VocabularyFile inner;
  inner.use().set_inner(2);
  inner.expect(
      "weight table \"w\" has 2 weights, expected 2 names, each 2 times, or a multiple "
      "[E014]");
}

TEST(BadVocabulary, bad_classes) {
  VocabularyFile file;
  file.use().set_outputs(true);
  file.label().add_names("c");
  file.expect("has 3 names of classes, but the target of sample 0 \"s\" has 2 elements [E014]");
}

TEST(BadVocabulary, bad_axis_numbered_twice) {
  VocabularyFile file;
  file.add("other", {"x"}).add_uses()->set_weight_table("w");
  expect_errors(file.bytes(),
                "bad.pb: vocabulary \"other\": error: numbers an axis that a vocabulary numbers "
                "already [E021]");
  VocabularyFile outputs;
  outputs.use().set_outputs(true);
  outputs.add("other", {"x", "y"}).add_uses()->set_outputs(true);
  expect_errors(outputs.bytes(),
                "bad.pb: vocabulary \"other\": error: numbers the outputs that a vocabulary "
                "numbers already [E021]");
}

}  // namespace
}  // namespace vecc::test
