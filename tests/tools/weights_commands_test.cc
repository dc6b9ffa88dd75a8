// vecc weights show, diff and convert.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "process.h"
#include "tests/support/weight_bytes.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

WeightTensor doubles(std::string name, std::vector<std::uint64_t> shape,
                     const std::vector<double>& values) {
  return {std::move(name), ElementType::F64, std::move(shape), bytes_as(values)};
}

std::string write_weight_file(const std::string& path, std::vector<WeightTensor> tensors) {
  const auto written = write_weights({{{"k", "v"}}, std::move(tensors)}, path);
  EXPECT_TRUE(written) << written.error().text();
  return path;
}

Finished run_weights(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "weights");
  return run_vecc(std::move(arguments));
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(WeightsShow, is_a_line_a_tensor) {
  const std::string path =
      write_weight_file(test_folder() + "/w", {doubles("a", {1, 2, 1}, {-3, 4}),
                                               doubles("empty", {0, 2, 2}, {}),
                                               doubles("evil\x1b\n\t", {}, {0.1}),
                                               doubles("infinite", {2}, {1, kInfinity}),
                                               doubles("nan", {2}, {kNaN, kInfinity}),
                                               {"i", ElementType::I8, {2}, "\x01\xff"}});
  const Finished result = run_weights({"show", path});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out,
            "a\tF64\t[1, 2, 1]\t-3\t4\t0.5\t5\n"
            "empty\tF64\t[0, 2, 2]\t-\t-\t-\t-\n"
            "evil\\x1b\\n\\t\tF64\t[]\t0.1\t0.1\t0.1\t0.1\n"
            "infinite\tF64\t[2]\t1\tInfinity\tInfinity\tInfinity\n"
            "nan\tF64\t[2]\tNaN\tNaN\tNaN\tNaN\n"
            "i\tI8\t[2]\t-1\t1\t0\t1.41421\n");
}

TEST(WeightsShow, does_not_overflow) {
  const std::string path =
      write_weight_file(test_folder() + "/w", {doubles("a", {2}, {1e308, 1e308})});
  EXPECT_EQ(run_weights({"show", path}).out, "a\tF64\t[2]\t1e+308\t1e+308\t1e+308\t1.41421e+308\n");
}

TEST(WeightsShow, json_has_metadata_and_exact_numbers) {
  const std::string path = write_weight_file(
      test_folder() + "/w",
      {doubles("a", {1}, {1.0 / 3}), doubles("b", {2}, {kNaN, 1}), doubles("c", {0}, {})});
  const json object = json::parse(run_weights({"show", "--json", path}).out);
  EXPECT_EQ(object.at("metadata"), json({{"k", "v"}}));
  EXPECT_EQ(object.at("tensors").at(0), json({{"name", "a"},
                                              {"dtype", "F64"},
                                              {"shape", {1}},
                                              {"elements", 1},
                                              {"min", 1.0 / 3},
                                              {"max", 1.0 / 3},
                                              {"mean", 1.0 / 3},
                                              {"norm", 1.0 / 3}}));
  EXPECT_EQ(object.at("tensors").at(1).at("mean"), "NaN");
  EXPECT_EQ(object.at("tensors").at(2).at("mean"), nullptr);
}

TEST(WeightsShow, empty_file_prints_nothing) {
  const Finished result = run_weights({"show", write_weight_file(test_folder() + "/w", {})});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST(WeightsDiff, equal_numbers_leave_with_0) {
  const std::string folder = test_folder();
  const std::string a =
      write_weight_file(folder + "/a", {doubles("x", {3}, {1, kNaN, 0}), doubles("y", {0}, {})});
  const std::string b = write_weight_file(
      folder + "/b",
      {doubles("y", {0}, {}), {"x", ElementType::F32, {3}, bytes_as<float>({1, NAN, -0.0f})}});
  const Finished result = run_weights({"diff", a, b});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "x\t0\t0\t-\ny\t0\t0\t-\n");
}

TEST(WeightsDiff, differences_leave_with_1) {
  const std::string folder = test_folder();
  const std::string a = write_weight_file(
      folder + "/a", {doubles("x", {3}, {1, 2, -4}),
                      doubles("nan", {2}, {kNaN, 1}),
                      doubles("shape", {1, 2}, {1, 2}),
                      doubles("evil\n", {}, {1}),
                      {"i", ElementType::I64, {1}, bytes_as<std::int64_t>({(1ll << 53) + 1})}});
  const std::string b = write_weight_file(
      folder + "/b", {doubles("x", {3}, {1, 3, 4}),
                      doubles("nan", {2}, {0, 1}),
                      doubles("shape", {2, 1}, {1, 2}),
                      doubles("new", {}, {1}),
                      {"i", ElementType::I64, {1}, bytes_as<std::int64_t>({1ll << 53})}});
  const Finished result = run_weights({"diff", a, b});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "x\t8\t2\t2 of 3 values\n"
            "nan\tInfinity\tInfinity\t1 of 2 values\n"
            "shape\t-\t-\tshape [1, 2] and [2, 1]\n"
            "evil\\n\t-\t-\tonly in the first file\n"
            "i\t0\t0\tintegers beyond 2^53\n"
            "new\t-\t-\tonly in the second file\n");
  const json object = json::parse(run_weights({"diff", a, b, "--json"}).out);
  EXPECT_EQ(object.at("equal"), false);
  EXPECT_EQ(
      object.at("tensors").at(0),
      json({{"name", "x"}, {"absolute", 8.0}, {"relative", 2.0}, {"different", "2 of 3 values"}}));
  EXPECT_EQ(object.at("tensors").at(2).at("absolute"), nullptr);
}

TEST(WeightsConvert, keeps_every_bit_and_the_metadata) {
  const std::string folder = test_folder();
  const std::string a = write_weight_file(folder + "/a", {doubles("x", {2}, {1, -0.0})});
  const std::string b = folder + "/b.safetensors";
  const Finished result = run_weights({"convert", a, b});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out + result.err, "");
  EXPECT_EQ(read_text(b), read_text(a));
}

TEST(WeightsConvert, reads_npz) {
  const std::string folder = test_folder();
  write_text(folder + "/w.npz",
             zip_file({zip_part("x.npy", npy_array("<f4", "(1,)", bytes_as<float>({3})), true)}));
  EXPECT_EQ(run_weights({"convert", folder + "/w.npz", folder + "/w.safetensors"}).code, 0);
  EXPECT_EQ(run_weights({"show", folder + "/w.safetensors"}).out, "x\tF32\t[1]\t3\t3\t3\t3\n");
}

TEST(WeightsConvert, failure_keeps_the_old_file) {
  const std::string folder = test_folder();
  write_text(folder + "/bad.npz", "PK\x03\x04");
  write_text(folder + "/out", "old");
  const Finished result = run_weights({"convert", folder + "/bad.npz", folder + "/out"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("bad.npz: error: is a zip archive without its end record"));
  EXPECT_EQ(read_text(folder + "/out"), "old");
  EXPECT_THAT(list_folder(folder), ElementsAre("bad.npz", "out"));
}

TEST(WeightsCommands, bad_usage) {
  const auto error = [](std::vector<std::string> arguments) {
    const Finished result = run_weights(std::move(arguments));
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(error({}), HasSubstr("vecc weights: error: A subcommand is required"));
  EXPECT_THAT(error({"show"}), HasSubstr("required"));
  EXPECT_THAT(error({"diff", "a"}), HasSubstr("required"));
  EXPECT_THAT(error({"other", "a"}), HasSubstr("vecc weights: error: "));
  EXPECT_THAT(error({"convert", "a", "b.npz"}), HasSubstr("convert writes safetensors only"));
}

TEST(WeightsCommands, help_and_limits) {
  EXPECT_THAT(run_weights({"--help"}).out, HasSubstr("vecc weights diff before.safetensors"));
  const std::string path = write_weight_file(test_folder() + "/w", {});
  const Finished result = run_weights({"show", path, "--max-input-bytes=4"});
  EXPECT_EQ(result.code, 4);
  EXPECT_THAT(result.err, HasSubstr("bytes, the limit is 4 [E040]"));
}

}  // namespace
}  // namespace vecc::test
