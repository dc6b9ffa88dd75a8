// docs/templates.md: its blocks are read, its errors are those that vecc says.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "tests/ground_language/parse_check.h"

namespace vecc::tools::language {
namespace {

std::string read_document() {
  const char* const source = std::getenv("VECC_SOURCE_DIR");
  std::ifstream file(std::string(source == nullptr ? "." : source) + "/docs/templates.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

// What stands in blocks that begin with ```KIND.
std::vector<std::string> blocks_of(const std::string& document, const std::string& kind) {
  std::vector<std::string> blocks;
  const std::string open = "\n```" + kind + "\n";
  for (std::size_t at = document.find(open); at != std::string::npos;
       at = document.find(open, at + 1)) {
    const std::size_t begin = at + open.size();
    blocks.push_back(document.substr(begin, document.find("```", begin) - begin));
  }
  return blocks;
}

TEST(Document, templates_are_read) {
  const std::vector<std::string> blocks = blocks_of(read_document(), "template");
  EXPECT_GE(blocks.size(), 6u);
  for (const std::string& block : blocks) {
    const auto parsed = parse_template({"t.txt", block});
    ASSERT_TRUE(parsed) << block << parsed.error().text();
    const auto notes = check_template(*parsed);
    ASSERT_TRUE(notes) << block << notes.error().text();
    EXPECT_THAT(*notes, testing::IsEmpty()) << block;
  }
}

TEST(Document, samples_are_read) {
  const std::string document = read_document();
  const auto examples = blocks_of(document, "examples");
  const auto queries = blocks_of(document, "queries");
  EXPECT_GE(examples.size(), 3u);
  EXPECT_GE(queries.size(), 2u);
  for (const std::string& block : examples) {
    EXPECT_TRUE(parse_examples({"e.txt", block})) << test::read_examples_text(block);
  }
  for (const std::string& block : queries) {
    EXPECT_TRUE(parse_queries({"q.txt", block})) << test::read_queries_text(block);
  }
}

TEST(Document, errors_are_what_is_said) {
  const std::string document = read_document();
  std::size_t begin = document.find("| text | error |");
  ASSERT_NE(begin, std::string::npos);
  std::istringstream lines(document.substr(begin));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line) && line.starts_with("|");) {
    if (!line.starts_with("| `")) continue;
    const std::size_t end = line.find("` | ");
    ASSERT_NE(end, std::string::npos) << line;
    const std::string text = line.substr(3, end - 3);
    const std::string message = line.substr(end + 4, line.size() - end - 6);
    const auto parsed = parse_template({"t.txt", text});
    const std::string found = !parsed ? parsed.error().list().front().message
                              : !check_template(*parsed)
                                  ? check_template(*parsed).error().list().front().message
                                  : "no error";
    EXPECT_EQ(found, message) << text;
    ++count;
  }
  EXPECT_GE(count, 20u);
}

}  // namespace
}  // namespace vecc::tools::language
