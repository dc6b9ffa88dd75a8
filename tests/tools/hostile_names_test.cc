// Names are data: no output of any tool lets one out unescaped.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "process.h"
#include "sample_graphs.h"

namespace vecc::test {
namespace {

TEST(HostileNames, text_keeps_one_line_a_sample_and_three_columns) {
  const Finished result =
      run_vecc({write_hostile_graph(test_folder()), "--backend=reference", "--log-level=debug"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_FALSE(has_control_characters(result.out)) << result.out;
  EXPECT_FALSE(has_control_characters(result.err)) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 2);
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\t'), 4);
}

TEST(HostileNames, json_is_ascii_and_parses) {
  const Finished result =
      run_vecc({write_hostile_graph(test_folder()), "--backend=reference", "--json"});
  EXPECT_TRUE(std::all_of(result.out.begin(), result.out.end(),
                          [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); }));
  const auto object = nlohmann::json::parse(result.out);
  const std::string id = object.at("outputs").at(1).at("sample");
  EXPECT_THAT(id, ::testing::StartsWith("evil\n\"];\n\t*/ --> </script>"));
  EXPECT_THAT(id, ::testing::EndsWith("1"));
}

TEST(HostileNames, program_text_parses_back) {
  const std::string folder = test_folder();
  const Finished text = run_vecc({write_hostile_graph(folder), "--emit=ir"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_FALSE(has_control_characters(text.out)) << text.out;
  write_text(folder + "/hostile.vecc", text.out);
  Command again;
  again.tool = "vecc-opt";
  again.arguments = {folder + "/hostile.vecc"};
  const Finished result = run(again);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, text.out);
}

TEST(HostileNames, dot_has_no_control_character_and_no_bare_quote) {
  const Finished result = run_vecc({write_hostile_graph(test_folder()), "--emit=dot"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_FALSE(has_control_characters(result.out)) << result.out;
  EXPECT_THAT(result.out, ::testing::Not(::testing::HasSubstr("evil\n")));
  EXPECT_THAT(result.out, ::testing::Not(::testing::HasSubstr("evil\\n\"]")));
}

TEST(HostileNames, file_name_in_an_error_is_escaped) {
  const std::string folder = test_folder();
  const std::string path = folder + "/evil\x1b[2J\n.pb";
  for (const std::string& place : {path, folder + "/missing\x1b[2J/x"}) {
    const Finished result = run_vecc({place});
    EXPECT_EQ(result.code, 3);
    EXPECT_FALSE(has_control_characters(result.err)) << result.err;
  }
}

}  // namespace
}  // namespace vecc::test
