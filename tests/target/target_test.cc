// Targets: by name, as text and back, by what a driver says; and what is refused, with its place.
#include "vecc/target.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

namespace vecc::test {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& json) {
  const auto target = parse_target(json, "gpu.json");
  return target ? "" : target.error().text();
}

// The text of the default GPU with one thing replaced.
std::string replaced(const std::string& from, const std::string& to) {
  std::string text = text_of(default_gpu());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// What is planned for it does not depend on the machine, but for the rows of a product's tile.
TEST(Targets, TheProcessorThatIsHere) {
  Target here = host_processor();
  EXPECT_THAT(here.tiles.rows, ::testing::AnyOf(3u, 6u, 8u));
  EXPECT_EQ(here.tiles.rows == 8, here.vector_bytes == 64);
  EXPECT_TRUE(here.has_vectors());
  here.vector_bytes = Target().vector_bytes;
  here.tiles.rows = Target().tiles.rows;
  EXPECT_EQ(here, Target());
}

TEST(Targets, GoToTextAndBack) {
  for (const Target& target : known_targets()) {
    const auto read = parse_target(text_of(target), "gpu.json");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(*read, target);
    EXPECT_EQ(*read_target(target.name), target);
  }
}

TEST(Targets, AreLikeOthersButForWhatTheyName) {
  const auto read = parse_target(
      R"({"like": "a100", "name": "half an a100", "multiprocessors": 54, "loop_wait": 1000})", "f");
  ASSERT_TRUE(read) << read.error().text();
  Target expected = *find_target("a100");
  expected.name = "half an a100";
  expected.multiprocessors = 54;
  expected.loops.wait = 1000;
  EXPECT_EQ(*read, expected);
}

TEST(Targets, OfTheDocumentAreRead) {
  const char* const source = std::getenv("VECC_SOURCE_DIR");
  ASSERT_NE(source, nullptr);
  std::ifstream file(std::string(source) + "/docs/targets.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::size_t examples = 0;
  for (std::size_t at = text.find("```json\n"); at != std::string::npos; ++examples) {
    const std::size_t begin = at + 8;
    const std::size_t end = text.find("```", begin);
    const auto read = parse_target(text.substr(begin, end - begin), "docs/targets.md");
    EXPECT_TRUE(read) << read.error().text();
    at = text.find("```json\n", end);
  }
  EXPECT_GE(examples, 2u);
}

TEST(BadTargets, SayWhatIsWrong) {
  EXPECT_EQ(error_of(replaced("\"multiprocessors\": 132", "\"multiprocessors\": 0")),
            "gpu.json: error: multiprocessors is 0, expected a whole number 1 to 65536 "
            "(docs/targets.md) [E024]");
  EXPECT_THAT(error_of(replaced("132", "132.5")), HasSubstr("multiprocessors is 132.5, expected"));
  EXPECT_THAT(error_of(replaced("132", "\"132\"")), HasSubstr("multiprocessors is \"132\""));
  EXPECT_THAT(error_of(replaced("132", "-1")), HasSubstr("multiprocessors is -1, expected"));
  EXPECT_THAT(error_of(replaced("132", "1e400")), HasSubstr("is no target"));
  EXPECT_THAT(error_of(replaced("132", "[[1]]")), HasSubstr("has a list or an object in it"));
  EXPECT_THAT(error_of(replaced("\"loop_wait\": 900.0,", "")),
              HasSubstr("has no \"loop_wait\"; with \"like\": \"h200\""));
  EXPECT_THAT(error_of(replaced("\"threads\"", "\"thread\\u0007s\"")),
              HasSubstr("has no \"threads\""));
  EXPECT_THAT(error_of(R"({"like": "h200", "name": "x", "multiprocesors": 4})"),
              HasSubstr("\"multiprocesors\" is no field of a target"));
  EXPECT_THAT(error_of(R"({"like": "h200", "multiprocessors": 4, "multiprocessors": 5})"),
              HasSubstr("has \"multiprocessors\" twice"));
  EXPECT_THAT(error_of(R"({"like": "h300"})"),
              HasSubstr("like is \"h300\", expected one of h200, h100, a100, l4"));
  EXPECT_THAT(error_of(R"({"like": "h200", "name": ""})"),
              HasSubstr("name is \"\", expected text"));
  EXPECT_THAT(error_of(R"({"like": "h200", "capability": 9})"),
              HasSubstr("capability is 9, expected text such as \"9.0\""));
  EXPECT_THAT(error_of(R"({"like": "h200", "capability": ".90"})"), HasSubstr("capability is"));
  EXPECT_THAT(error_of(std::string(1 << 17, ' ')), HasSubstr("expected at most 65536"));
  for (const char* text : {"", "{", "[]", "7", "\"h200\""}) {
    EXPECT_THAT(error_of(text), HasSubstr("is no target, expected a JSON object")) << text;
  }
}

TEST(BadTargets, OfOldCapabilityAreRefused) {
  EXPECT_EQ(error_of(R"({"like": "h200", "name": "old", "capability": "6.1"})"),
            "gpu.json: error: old has compute capability 6.1, expected 7.0 or newer; --backend=cpu "
            "needs no GPU [E062]");
  const auto missing = read_target("h300");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text(),
              HasSubstr("h300: error: is none of h200, h100, a100, l4, and no file: "));
}

TEST(Targets, OfADriverAreWhatItSays) {
  const Target& h200 = default_gpu();
  GpuFacts facts{"NVIDIA H200", 90, 132, 2048, 65536, 228 * 1024, 50 << 20};
  Target expected = h200;
  expected.name = "NVIDIA H200";
  EXPECT_EQ(target_of(facts), expected);
  facts.multiprocessors = 66;  // a half of it
  const Target half = target_of(facts);
  EXPECT_EQ(half.multiprocessors, 66u);
  EXPECT_EQ(half.loops.moved, h200.loops.moved / 2);
  EXPECT_EQ(half.loops.wait, h200.loops.wait);
  const Target a100 = target_of({.device = "NVIDIA A100-SXM4-80GB", .capability = 80});
  EXPECT_EQ(a100.loops, find_target("a100")->loops);
  EXPECT_FALSE(a100.starts_early());
  EXPECT_TRUE(a100.has_tensor_cores());
  // An L40S is no L4: the default's times.
  const Target other = target_of({.device = "NVIDIA L40S", .capability = 89, .threads = 1536});
  EXPECT_EQ(other.loops.wait, h200.loops.wait);
  EXPECT_EQ(other.megahertz, h200.megahertz);
  EXPECT_EQ(other.threads, 1536u);
}

}  // namespace
}  // namespace vecc::test
