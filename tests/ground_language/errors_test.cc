// Every error of the parser, with its whole text.
#include <gmock/gmock.h>

#include <string>

#include "tests/graph_io/temporary_folder.h"
#include "tests/ground_language/parse_check.h"
#include "tests/import_load/load_check.h"

namespace vecc::tools::language {
namespace {

using test::read_examples_text;
using test::read_queries_text;
using test::read_template_text;

struct ErrorCase {
  std::string text;
  std::string error;
};

void expect_errors(const std::vector<ErrorCase>& cases, std::string (*read)(std::string_view)) {
  for (const ErrorCase& one : cases) EXPECT_EQ(read(one.text), one.error) << one.text;
}

std::string read(std::string_view bytes) {
  return read_template_text(bytes);
}

TEST(TemplateErrors, clauses) {
  expect_errors(
      {
          {"q",
           "t.txt: line 1, column 2: error: found the end of the file, expected \":-\", \",\" "
           "or \".\" [E024]"},
          {"q\n  :- .", "t.txt: line 2, column 6: error: found \".\", expected a predicate [E024]"},
          {"q :- 0.5.", "t.txt: line 1, column 9: error: found \".\", expected a predicate [E024]"},
          {"q :- a, 0.5, b.",
           "t.txt: line 1, column 12: error: found \",\", expected a predicate [E024]"},
          {"q :- a b.",
           "t.txt: line 1, column 8: error: found \"b\", expected \",\" or \".\" [E024]"},
          {"a, b :- c.",
           "t.txt: line 1, column 6: error: found \":-\", expected \",\" or \".\" [E024]"},
          {"Q :- a.",
           "t.txt: line 1, column 1: error: found \"Q\", expected a rule, a fact or "
           "metadata [E024]"},
          {":- a.",
           "t.txt: line 1, column 1: error: found \":-\", expected a rule, a fact or "
           "metadata [E024]"},
          {"q:- a.",
           "t.txt: line 1, column 1: error: found \"q:\", expected a rule, a fact or "
           "metadata; before \":-\" stands a blank [E024]"},
          {"_h(X) :- a(X).",
           "t.txt: line 1, column 1: error: found \"_h\", expected a rule, a fact "
           "or metadata [E024]"},
          {"q :- @*next(X, Y).",
           "t.txt: line 1, column 7: error: found \"*\", expected a predicate [E024]"},
          {"q {1}",
           "t.txt: line 1, column 3: error: found \"{\", expected \":-\", \",\", \".\", or "
           "\"/\" and the number of terms [E024]"},
          {"q/x {1}",
           "t.txt: line 1, column 3: error: found \"x\", expected the number of terms [E024]"},
          {"q/-1 {1}",
           "t.txt: line 1, column 3: error: found \"-1\", expected the number of terms [E024]"},
          {"h/2(X) :- a(X).",
           "t.txt: line 1, column 1: error: found \"h\" with 1 term, expected 2 "
           "as it stands after \"/\" [E024]"},
          {"q :- 'a'.", "t.txt: line 1, column 6: error: found \"'\", expected a predicate [E024]"},
          {"q :- \xC3\xA4.",
           "t.txt: line 1, column 6: error: found \"\xC3\xA4\", expected a predicate [E024]"},
          {"q :- a. /* b",
           "t.txt: line 1, column 9: error: found a comment without its end, "
           "expected \"*/\" [E024]"},
      },
      read);
}

TEST(TemplateErrors, terms) {
  expect_errors(
      {
          {"a(",
           "t.txt: line 1, column 3: error: found the end of the file, expected a variable or "
           "a constant [E024]"},
          {"a(,b).",
           "t.txt: line 1, column 3: error: found \",\", expected a variable or a constant [E024]"},
          {"a(b c).",
           "t.txt: line 1, column 5: error: found \"c\", expected \",\" or \")\" [E024]"},
          {"a(f(X)).",
           "t.txt: line 1, column 4: error: found \"(\", expected \",\" or \")\" [E024]"},
          {"a(t:).",
           "t.txt: line 1, column 5: error: found \")\", expected a variable or a constant "
           "after its type [E024]"},
          {"a(\"x).",
           "t.txt: line 1, column 3: error: found \"\\\"\", expected a variable or a "
           "constant [E024]"},
      },
      read);
}

TEST(TemplateErrors, values) {
  expect_errors(
      {
          {"{} a.", "t.txt: line 1, column 2: error: found \"}\", expected a size [E024]"},
          {"{0} a.",
           "t.txt: line 1, column 2: error: found \"0\", expected a size: a whole number, "
           "1 or more [E024]"},
          {"{2.0} a.",
           "t.txt: line 1, column 2: error: found \"2.0\", expected a size: a whole "
           "number, 1 or more [E024]"},
          {"{-2} a.",
           "t.txt: line 1, column 2: error: found \"-2\", expected a size: a whole "
           "number, 1 or more [E024]"},
          {"{1,2,3} a.",
           "t.txt: line 1, column 6: error: found \"3\", expected \"}\": a shape has "
           "one or two sizes [E024]"},
          {"{a: 3,2} a.", "t.txt: line 1, column 2: error: found \"a:\", expected a size [E024]"},
          {"{99999,99999} a.",
           "t.txt: line 1, column 1: error: a value of 99999x99999, the limit is "
           "16777216 elements [E044]"},
          {"[1,x] a.", "t.txt: line 1, column 4: error: found \"x\", expected a number [E024]"},
          {"[1 2] a.",
           "t.txt: line 1, column 4: error: found \"2\", expected \",\" or \"]\" [E024]"},
          {"[[1,2] [3]] a.",
           "t.txt: line 1, column 8: error: found a row of 1 number, expected 2 as "
           "in the first row [E014]"},
          {"[[1,2] 3] a.",
           "t.txt: line 1, column 8: error: found \"3\", expected \"[\" or \"]\" [E024]"},
          {"[2| 2:1] a.",
           "t.txt: line 1, column 5: error: found \"2\", expected an index from 0 to 1 [E024]"},
          {"[2| 1:-1] a.",
           "t.txt: line 1, column 6: error: found \":-\", expected \":\" and the "
           "element's value, with a blank before a \"-\" [E024]"},
          {"[2,2| 1:1] a.",
           "t.txt: line 1, column 8: error: found \":\", expected \",\" and a column [E024]"},
          {"[1,2,3| 0:1] a.",
           "t.txt: line 1, column 7: error: found \"|\", expected \",\" or \"]\" [E024]"},
          {"<0.5 a.", "t.txt: line 1, column 6: error: found \"a\", expected \">\" [E024]"},
          {"< a.",
           "t.txt: line 1, column 3: error: found \"a\", expected a number, \"[\" or \"{\" [E024]"},
          {"$w a.",
           "t.txt: line 1, column 4: error: found \"a\", expected \"=\" and the value or "
           "the shape of the weight [E024]"},
          {"$W=1 a.",
           "t.txt: line 1, column 2: error: found \"W\", expected the name of a weight [E024]"},
          {"1.0e99 a.",
           "t.txt: line 1, column 1: error: found \"1.0e99\", expected a number that a "
           "32-bit float holds [E016]"},
          {"[1.0e999] a.",
           "t.txt: line 1, column 2: error: found \"1.0e999\", expected a finite "
           "number [E016]"},
          {"1e5 a.",
           "t.txt: line 1, column 5: error: found \"a\", expected \":-\", \",\" or \".\" "
           "[E024]"},
      },
      read);
}

TEST(TemplateErrors, metadata) {
  expect_errors(
      {
          {"q :- a. [x]", "t.txt: line 1, column 11: error: found \"]\", expected \"=\" [E024]"},
          {"q :- a. [x=]",
           "t.txt: line 1, column 12: error: found \"]\", expected a word, \"$\" and "
           "a weight, or a value [E024]"},
          {"q :- a. [x=$1]",
           "t.txt: line 1, column 13: error: found \"1\", expected the name of a weight [E024]"},
          {"q :- a. [x=<1>]",
           "t.txt: line 1, column 12: error: found \"<\", expected a word, \"$\" "
           "and a weight, or a value [E024]"},
          {"q :- a. [x=tanh y=relu]",
           "t.txt: line 1, column 17: error: found \"y\", expected \",\" or \"]\" [E024]"},
          {"q :- a. [x=tanh,]",
           "t.txt: line 1, column 17: error: found \"]\", expected a key [E024]"},
      },
      read);
}

TEST(TemplateErrors, types) {
  expect_errors(
      {
          {"q :- a(t:X), b(u:X).",
           "t.txt: line 1, column 16: error: found \"X\" of type \"u\", "
           "expected type \"t\" as in line 1 [E024]"},
          {"a(t:x).\nb(x).",
           "t.txt: line 2, column 3: error: found \"x\" of no type, expected "
           "type \"t\" as in line 1 [E024]"},
          {"a(1).\nb(t:1).",
           "t.txt: line 2, column 5: error: found \"1\" of type \"t\", "
           "expected no type as in line 1 [E024]"},
      },
      read);
  EXPECT_EQ(read_examples_text("a(t:x), x(y).\nb(u:x)."),
            "e.txt: line 2, column 5: error: found \"x\" of type \"u\", expected type \"t\" as in "
            "line 1 [E024]");
  EXPECT_EQ(read_examples_text("a(t:2), [3| (2:1)] b(x)."), "a(t:2), [0,0,1] b(x).\n");
  EXPECT_EQ(read_examples_text("a(t:x), x(t:x, y)."), "a(t:x), x(t:x, y).\n");
}

TEST(TemplateErrors, goes_on_after_the_next_dot) {
  EXPECT_EQ(
      read("q : a.\nok :- a.\nb(. c.\n"),
      "t.txt: line 1, column 3: error: found \":\", expected \":-\", \",\" or \".\" [E024]\n"
      "t.txt: line 3, column 3: error: found \".\", expected a variable or a constant [E024]");
  std::string many;
  for (int i = 0; i < 30; ++i) many += "?.\n";
  const auto parsed = parse_template({"t.txt", many});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().list().size(), 20u);
  EXPECT_EQ(parsed.error().omitted(), 10u);
}

TEST(TemplateErrors, limits) {
  Limits limits;
  limits.max_terms = 2;
  EXPECT_EQ(read_template_text("a(x,y).", limits), "a(x, y).\n");
  EXPECT_EQ(read_template_text("a(x,y,z).", limits),
            "t.txt: line 1, column 7: error: an atom of more than 2 terms [E045]");
  limits.max_atoms = 2;
  EXPECT_EQ(read_template_text("q :- a, b, c.", limits),
            "t.txt: line 1, column 12: error: a body of more than 2 atoms [E045]");
  EXPECT_EQ(read_template_text("q :- a, b, 0.5.", limits), "q :- a, b, 0.5.\n");
  EXPECT_EQ(read_template_text("a, b, c.", limits),
            "t.txt: line 1, column 7: error: more than 2 atoms [E045]");
  limits.max_value_size = 2;
  EXPECT_EQ(read_template_text("[1,2,3] a.", limits),
            "t.txt: line 1, column 6: error: a value of more than 2 elements [E044]");
  EXPECT_EQ(read_template_text("[3|] a.", limits),
            "t.txt: line 1, column 1: error: a value of 3x1, the limit is 2 elements [E044]");
  limits.max_word = 4;
  EXPECT_EQ(read_template_text("abcde.", limits),
            "t.txt: line 1, column 1: error: a word of 5 bytes, the limit is 4 [E040]");
}

TEST(TemplateErrors, deep_and_long_texts_end) {
  const std::size_t size = 1 << 20;
  std::string comments;
  for (std::size_t i = 0; i < size / 2; ++i) comments += "/*";
  EXPECT_FALSE(parse_template({"t.txt", comments}));
  for (const std::string_view part : {"-", "-1", "[", "(", "a(", "{", "<", "a:", "/*", "?"}) {
    std::string text;
    while (text.size() < size) text += part;
    EXPECT_FALSE(parse_template({"t.txt", text})) << part;
    EXPECT_FALSE(parse_examples({"e.txt", text})) << part;
  }
}

TEST(ExamplesErrors, examples) {
  expect_errors(
      {
          {"", "e.txt: error: expected an example [E002]"},
          {"% nothing", "e.txt: error: expected an example [E002]"},
          {"a(x)",
           "e.txt: line 1, column 5: error: found the end of the file, expected \",\", "
           "\".\" or an atom [E024]"},
          {"q :- .", "e.txt: line 1, column 6: error: found \".\", expected an atom [E024]"},
          {"q :- a.\nb.",
           "e.txt: line 2, column 2: error: found \".\", expected \":-\" after the "
           "queries, as in the first of the file [E024]"},
          {"a.\nq, r :- b.",
           "e.txt: line 2, column 6: error: found \":-\", expected \",\", \".\" or "
           "an atom [E024]"},
          {"q :- a h(X) :- a(X).",
           "e.txt: line 1, column 21: error: found the end of the file, "
           "expected an atom, or \".\" that ends the example [E024]"},
          {"$w={2} a(x).",
           "e.txt: line 1, column 1: error: found weight \"w\", expected a value: a "
           "shared weight stands in the template [E024]"},
          {"X.", "e.txt: line 1, column 1: error: found \"X\", expected an atom [E024]"},
      },
      read_examples_text);
}

TEST(QueriesErrors, queries) {
  expect_errors(
      {
          {"", "q.txt: error: expected a query [E002]"},
          {"1.0 q",
           "q.txt: line 1, column 6: error: found the end of the file, expected \",\" or "
           "\".\" [E024]"},
          {"e :- q.\nr.",
           "q.txt: line 2, column 2: error: found \".\", expected \":-\" after the "
           "example's name, as in the first of the file [E024]"},
          {"q.\ne :- r.",
           "q.txt: line 2, column 3: error: found \":-\", expected \",\" or \".\" [E024]"},
          {"a, b :- q.",
           "q.txt: line 1, column 4: error: found \"b\", expected \":-\": one atom "
           "names the example [E024]"},
      },
      read_queries_text);
}

class Imports : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view bytes) {
    test::write_file(folder_.path() + "/" + name, bytes);
  }
  std::string read(const std::string& name) {
    const auto parsed = read_template(folder_.path() + "/" + name);
    return parsed ? text_of(*parsed) : parsed.error().text();
  }
  test::TemporaryFolder folder_;
};

TEST_F(Imports, stand_where_they_are_written) {
  write("t.txt", "a.\nimport ./one.txt, two.txt\nb.");
  write("one.txt", "c.\n\nd :-\n e.");
  write("two.txt",
        "\xEF\xBB\xBF"
        "f.\n");
  EXPECT_EQ(read("t.txt"), "d :- e.\na.\nc.\nf.\nb.\n");
  const auto parsed = read_template(folder_.path() + "/t.txt");
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->files, testing::ElementsAre("t.txt", "one.txt", "two.txt"));
  EXPECT_EQ(parsed->rules[0].body[0].at, (Position{4, 2, 1}));
  EXPECT_EQ(parsed->facts[2].at, (Position{1, 4, 2}));
  EXPECT_EQ(parsed->facts[3].at, (Position{3, 1, 0}));
}

TEST_F(Imports, errors_name_the_file) {
  write("t.txt", "a.\nimport one.txt\n? b.");
  write("one.txt", "c.\n d :- .");
  EXPECT_EQ(read("t.txt"),
            "one.txt: line 2, column 7: error: found \".\", expected a predicate [E024]\n"
            "t.txt: line 3, column 1: error: found \"?\", expected a rule, a fact or metadata "
            "[E024]");
}

TEST_F(Imports, that_cannot_be_read) {
  write("self.txt", "import self.txt\n");
  write("one.txt", "import two.txt\n");
  write("two.txt", "a.\nimport ./one.txt\n");
  const std::string path = folder_.path();
  EXPECT_EQ(read("self.txt"),
            "self.txt: line 1, column 1: error: \"" + path + "/self.txt\" imports itself [E013]");
  EXPECT_EQ(read("one.txt"),
            "two.txt: line 2, column 1: error: \"" + path + "/./one.txt\" imports itself [E013]");
  write("t.txt", "import missing.txt\n");
  EXPECT_EQ(read("t.txt"), "t.txt: line 1, column 1: error: " + path +
                               "/missing.txt: cannot be opened: No such file or directory [E001]");
  EXPECT_EQ(read("none.txt"),
            path + "/none.txt: error: cannot be opened: No such file or directory [E001]");
}

TEST_F(Imports, are_bounded) {
  // Each level doubles.
  for (int i = 0; i < 20; ++i) {
    const std::string next = std::to_string(i + 1) + ".txt";
    write(std::to_string(i) + ".txt", "import " + next + ", " + next + "\n");
  }
  write("20.txt", "a.\n");
  EXPECT_THAT(read("0.txt"), testing::HasSubstr("more than 256 files [E040]"));
}

TEST(TemplateErrors, a_text_has_no_folder) {
  EXPECT_EQ(read("a.\nimport ./x.txt\n"),
            "t.txt: line 2, column 1: error: found an import, expected rules and facts: a text has "
            "no folder [E024]");
}

}  // namespace
}  // namespace vecc::tools::language
