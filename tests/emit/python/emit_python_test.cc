// What emit_python() writes, and what it refuses.
#include "vecc/emit_python.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "vecc/program_text.h"

namespace vecc {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class EmitPython : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Program parse(const std::string& lines, std::uint32_t samples) {
    const std::string head = "vecc program 1 f64 samples " + std::to_string(samples) + "\n";
    auto program = parse_program(head + lines, "test");
    EXPECT_TRUE(program) << program.error().text();
    return *program;
  }
  // model.py of a Program.
  std::string emit(const std::string& lines, std::uint32_t samples = 1) {
    const std::string path = (folder_ / "module").string();
    const auto written = emit_python(parse(lines, samples), path);
    EXPECT_TRUE(written) << written.error().text();
    std::ifstream file(path + "/model.py");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> list(const fs::path& path) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("emit_python_" + std::to_string(::getpid()));
};

constexpr const char* kSmall =
    "parameter \"w\" [1, 2x2] = {1, 2, 3, 4}\n"
    "%0 = weight \"w\" : f64[1, 2x2]\n"
    "%1 = fact {1, 2} : f64[1, 2x1]\n"
    "%2 = linear %0, %1 : f64[1, 2x1]  # layer_1: h(X) :- w a(X).\n"
    "%3 = transform %2 tanh : f64[1, 2x1]\n"
    "%4 = output %3 [0:1] : f64[1, 2x1]\n";

TEST_F(EmitPython, writes_four_files_and_nothing_else) {
  emit(kSmall);
  EXPECT_THAT(list(folder_), ElementsAre("module"));
  EXPECT_THAT(list(folder_ / "module"),
              ElementsAre("README.md", "data.safetensors", "model.py", "weights.safetensors"));
}

TEST_F(EmitPython, a_line_an_op_with_its_note) {
  const std::string text = emit(kSmall);
  EXPECT_THAT(text, HasSubstr("        linear_2 = torch.einsum(\"nij,nj->ni\", self.w_w, "
                              "self.fact_1)  # layer_1: h(X) :- w a(X).\n"
                              "        tanh_3 = torch.tanh(linear_2)\n"
                              "        return tanh_3\n"));
}

TEST_F(EmitPython, has_only_helpers_that_are_used) {
  const std::string text = emit(kSmall);
  EXPECT_THAT(text, Not(HasSubstr("def segment_sum")));
  EXPECT_THAT(text, Not(HasSubstr("LOSSES")));
}

TEST_F(EmitPython, names_of_files_are_data) {
  const std::string hostile = R"(\nimport os; os.abort()\n\"\"\"'\u{202e}\\)";
  const std::string text = emit("parameter \"" + hostile + "\" [1, 1] = {1}\n%0 = weight \"" +
                                hostile + "\" : f64[1, 1]  # " + hostile +
                                "\n%1 = transform %0 tanh : f64[1, 1]  # two\\nlines\n"
                                "%2 = output %1 [0:1] : f64[1, 1]\n");
  EXPECT_THAT(text, Not(HasSubstr("\nimport os; os.abort()")));
  EXPECT_THAT(text, HasSubstr("# two\\nlines\n"));
  EXPECT_THAT(text, HasSubstr("\\U0000000aimport os; os.abort()\\U0000000a\\\"\\\"\\\"'"
                              "\\U0000202e\\\\\""));
}

TEST_F(EmitPython, attributes_are_different_names_of_python) {
  std::string lines;
  for (const char* name : {"a.b", "a_b", "half", "w0", "0", "index_1", "bfloat16", ""}) {
    lines += "parameter \"" + std::string(name) + "\" [1, 1] = {1}\n";
  }
  const std::string text =
      emit(lines + "%0 = fact {1} : f64[1, 1]\n%1 = output %0 [0:1] : f64[1, 1]\n");
  for (const char* line : {"\"a_b_w\": \"a.b\"", "\"a_b_w_2\": \"a_b\"", "\"half_w\": \"half\"",
                           "\"w0\": \"w0\"", "\"w0_2\": \"0\"", "\"index_1_w\": \"index_1\"",
                           "\"bfloat16_w\": \"bfloat16\"", "\"w_w\": \"\""}) {
    EXPECT_THAT(text, HasSubstr(std::string("    ") + line + ",\n"));
  }
}

TEST_F(EmitPython, equal_levels_are_a_loop) {
  std::string lines = "parameter \"w\" [1, 1] = {1}\n%0 = weight \"w\" : f64[1, 1]\n";
  int id = 1;
  for (; id < 41; ++id) {
    lines += "%" + std::to_string(id) + " = transform %" + std::to_string(id - 1) +
             " tanh : f64[1, 1]\n";
  }
  lines += "%41 = output %40 [0:1] : f64[1, 1]\n";
  const std::string text = emit(lines);
  EXPECT_THAT(text, HasSubstr("        tanh_1 = torch.tanh(self.w_w)\n"
                              "        tanh_2 = tanh_1\n"
                              "        for level in range(39):\n"
                              "            tanh_2 = torch.tanh(tanh_2)\n"
                              "        return tanh_2\n"));
}

TEST_F(EmitPython, long_passes_are_cut_into_parts) {
  std::string lines = "%0 = fact {1, 2} : f64[2, 1]\n";
  for (int id = 1; id < 400; ++id) {
    const char* function = id % 7 == 0 || id % 11 == 0 ? "sigmoid" : "tanh";
    lines += "%" + std::to_string(id) + " = transform %" + std::to_string(id / 2) + " " + function +
             " : f64[2, 1]\n";
  }
  lines += "%400 = output %399 [0:2] : f64[2, 1]\n";
  const std::string text = emit(lines, 2);
  EXPECT_THAT(text, HasSubstr("    def part_4(self, v):\n"));
  EXPECT_THAT(text, HasSubstr("        v = Values()\n        self.part_1(v)\n"));
}

TEST_F(EmitPython, growing_concats_are_not_stored) {
  const std::string text = emit(
      "%0 = fact {1, 2} : f64[2, 1]\n%1 = transform %0 tanh : f64[2, 1]\n"
      "%2 = concat %0, %1 : f64[4, 1]\n%3 = gather %2 [3, 2] : f64[2, 1]\n"
      "%4 = concat %2, %3 : f64[6, 1]\n%5 = gather %4 [1, 4, 5, 0] : f64[4, 1]\n"
      "%6 = output %5 [0:4] : f64[4, 1]\n",
      4);
  EXPECT_THAT(text, Not(HasSubstr("concat_")));
  EXPECT_THAT(text, HasSubstr("gather_3 = tanh_1.index_select(0, self.index_3)\n"));
  EXPECT_THAT(text, HasSubstr("torch.cat([self.fact_0, gather_3]).index_select"));
}

TEST_F(EmitPython, refuses_backward_passes_by_name_and_writes_nothing) {
  const Program program = parse(
      "parameter \"w\" [1, 1] = {1}\n%0 = weight \"w\" : f64[1, 1]\n%1 = state \"m\" = 0 : f64[1, "
      "1]\n"
      "%2 = vjp $0 of transform %0, %0 tanh : f64[1, 1]\n%3 = contract %0, %0 [0] : f64[1, 1]\n"
      "%4 = update %1, %2 : f64[1, 1]\n%5 = output %0 [0:1] : f64[1, 1]\n",
      1);
  const auto result = emit_python(program, (folder_ / "module").string());
  ASSERT_FALSE(result);
  for (const char* op : {"op contract", "op vjp", "op state", "op update"}) {
    EXPECT_THAT(result.error().text(), HasSubstr(op));
  }
  EXPECT_THAT(list(folder_), IsEmpty());
}

TEST_F(EmitPython, bad_folders) {
  const Program program = parse(kSmall, 1);
  const auto error = [&](const fs::path& path) {
    const auto result = emit_python(program, path.string());
    return result ? "written" : result.error().text();
  };
  fs::create_directories(folder_ / "full" / "x");
  std::ofstream(folder_ / "file") << "text";
  EXPECT_THAT(error(folder_ / "full"),
              HasSubstr("cannot write: the folder is there and not empty"));
  EXPECT_THAT(error(folder_ / "file"), HasSubstr("cannot write: Not a directory"));
  EXPECT_THAT(error(folder_ / "missing" / "module"), HasSubstr("cannot write: No such file"));
  EXPECT_THAT(list(folder_), ElementsAre("file", "full"));
}

TEST_F(EmitPython, an_empty_folder_is_filled) {
  fs::create_directories(folder_ / "module");
  fs::create_directory_symlink("module", folder_ / "link");
  EXPECT_TRUE(emit_python(parse(kSmall, 1), (folder_ / "link").string() + "/"));
  EXPECT_THAT(list(folder_), ElementsAre("link", "module"));
  EXPECT_EQ(list(folder_ / "module").size(), 4u);
}

TEST_F(EmitPython, parameters_without_values_are_errors) {
  const auto result = emit_python(parse("parameter \"w\" [1, 1]\n%0 = weight \"w\" : f64[1, 1]\n%1 "
                                        "= output %0 [0:1] : f64[1, 1]\n",
                                        1),
                                  (folder_ / "module").string());
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text(), HasSubstr("parameter \"w\": error: has no values [E023]"));
  EXPECT_THAT(list(folder_), IsEmpty());
}

TEST_F(EmitPython, RefusesIndicesThatAreValues) {
  const Program program = parse(R"(%0 = fact {2} : f64[1, 1]
%1 = draw %0 < 3 seed 7 stream 2 : f64[1, 1]
%2 = fact {1, 2, 3} : f64[3, 1]
%3 = take %2, %1 : f64[1, 1]
%4 = sum_equal %3, %1 : f64[1, 1]
%5 = scatter_sum %4, %1 : f64[3, 1]
%6 = output %4 [0:1] : f64[1, 1]
%7 = state "s" = 0 : f64[3, 1]
%8 = update %7, %3, %1 : f64[1, 1]
)",
                                1);
  const std::string steps =
      ": a module holds a forward pass, whose gradients and steps are torch's";
  const std::string runs =
      ": its row numbers are values of the step, which only the backends "
      "cpu and interpreter run";
  EXPECT_THAT(unsupported_in_python(program),
              ElementsAre("op state (1 of them)" + steps, "op update (1 of them)" + steps,
                          "%1 draw: its numbers are drawn by the step, which only the backends "
                          "cpu and interpreter run",
                          "%3 take" + runs, "%4 sum_equal" + runs, "%5 scatter_sum" + runs));
}

}  // namespace
}  // namespace vecc
