// The templates, examples and queries in the package neuralogic.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "tests/ground_language/parse_check.h"
#include "tools/import/load/text_file.h"

namespace vecc::tools::language {
namespace {

namespace fs = std::filesystem;

// Of its folder utils/data/datasets, by path; CMake names the folder where the package is there.
class Shipped : public testing::Test {
 protected:
  void SetUp() override {
    const char* const folder = std::getenv("VECC_NEURALOGIC_DATA");
    const bool is_there = folder != nullptr && fs::is_directory(folder);
    if (!is_there && std::getenv("CI") != nullptr) FAIL() << "the package neuralogic is not there";
    if (!is_there) GTEST_SKIP() << "the package neuralogic is not there";
    folder_ = folder;
  }
  [[nodiscard]] std::vector<fs::path> files(std::string_view part) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file() && name.ends_with(".txt") &&
          name.find(part) != std::string::npos) {
        found.push_back(entry.path());
      }
    }
    std::ranges::sort(found);
    return found;
  }
  static TextFile read(const fs::path& path) {
    Result<TextFile> file = read_text_file(path.string(), "text");
    EXPECT_TRUE(file) << path;
    return file ? *std::move(file) : TextFile();
  }
  fs::path folder_;
};

// NeuraLogic's parser of functions, too, knows these no more.
const std::map<std::string, std::string> kOldFunctions = {
    {"template_crosssum.txt", "crosssum-tanh"},
    {"template_elementProduct.txt", "elementproduct-tanh"},
    {"template_product.txt", "product-tanh"},
};

TEST_F(Shipped, templates) {
  std::set<std::string> refused;
  std::size_t rules = 0;
  for (const fs::path& path : files("template")) {
    const auto parsed = read_template(path.string());
    ASSERT_TRUE(parsed) << parsed.error().text();
    EXPECT_FALSE(parsed->rules.empty()) << path;
    rules += parsed->rules.size();
    const std::string text = text_of(*parsed);
    EXPECT_EQ(test::read_template_text(text), text) << path;
    const auto notes = check_template(*parsed);
    const auto old = kOldFunctions.find(path.filename().string());
    if (old == kOldFunctions.end()) {
      EXPECT_TRUE(notes) << notes.error().text();
      continue;
    }
    refused.insert(old->first);
    ASSERT_FALSE(notes) << path;
    EXPECT_EQ(notes.error().list().front().code, ErrorCode::UnknownFunction);
    EXPECT_THAT(notes.error().text(), testing::HasSubstr("found \"" + old->second + "\""));
  }
  EXPECT_EQ(refused.size(), kOldFunctions.size());
  EXPECT_GT(rules, 300u);
}

TEST_F(Shipped, embeddings) {
  std::size_t read = 0;
  for (const fs::path& path : files("mbeddings")) {
    const auto parsed = read_template(path.string());
    ASSERT_TRUE(parsed) << parsed.error().text();
    EXPECT_TRUE(check_template(*parsed)) << path;
    ++read;
  }
  EXPECT_EQ(read, 4u);
}

TEST_F(Shipped, examples_and_queries) {
  std::size_t facts = 0;
  for (const fs::path& path : files("xamples")) {
    const TextFile file = read(path);
    const auto parsed = parse_examples(file.text());
    ASSERT_TRUE(parsed) << parsed.error().text();
    EXPECT_FALSE(parsed->examples.empty()) << path;
    for (const Example& example : parsed->examples) facts += example.facts.size();
  }
  EXPECT_GT(facts, 20'000u);
  std::size_t queries = 0;
  for (const fs::path& path : files("queries")) {
    const TextFile file = read(path);
    const auto parsed = parse_queries(file.text());
    ASSERT_TRUE(parsed) << parsed.error().text();
    for (const Query& query : parsed->queries) queries += query.atoms.size();
  }
  EXPECT_GT(queries, 5'000u);
}

// What a data set has fits its templates.
TEST_F(Shipped, shapes_fit) {
  std::size_t checked = 0;
  for (const fs::path& path : files("template")) {
    if (kOldFunctions.contains(path.filename().string())) continue;
    const fs::path folder = path.parent_path().filename() == "templates"
                                ? path.parent_path().parent_path()
                                : path.parent_path();
    DataPredicates data;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.find("xamples") == std::string::npos) continue;
      const TextFile file = read(entry.path());
      const auto examples = parse_examples(file.text());
      ASSERT_TRUE(examples);
      for (const Example& example : examples->examples) {
        for (const Atom& fact : example.facts) data.add_fact(fact);
        for (const Atom& query : example.queries) data.add_query(query);
      }
    }
    const auto parsed = read_template(path.string());
    ASSERT_TRUE(parsed);
    const auto notes = check_data(*parsed, {}, data);
    EXPECT_TRUE(notes) << path << notes.error().text();
    ++checked;
  }
  EXPECT_GE(checked, 11u);
}

}  // namespace
}  // namespace vecc::tools::language
