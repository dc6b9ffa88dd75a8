// Writes program texts for program_fuzz: program_seeds FOLDER. Together they hold every op and
// every form of array; one has its side file behind a NUL, as program_fuzz expects it.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "vecc/program_text.h"

namespace {

constexpr const char* kTexts[] = {
    "vecc program 1 f32 samples 4\n"
    "parameter \"w0\" [1, 3x3] = {1, 2, 3, 4, 5, 6, 7, 8, 0.5}\n"
    "parameter \"no \\\"values\\\"\" [2, 1]\n"
    "%0 = weight \"w0\" : f32[1, 3x3]\n"
    "%1 = fact {1, 2, 3, 4, 5, -6e-300} : f32[2, 3x1]  # facts\n"
    "%2 = linear transpose %0 lift(repeat 2), %1 : f32[2, 3x1]\n"
    "%3 = gather %2 [interleave 2 x 2] : f32[4, 3x1]\n"
    "%4 = transform %3 atindex [0, 1, 2, 0] : f32[4, 1]\n"
    "%5 = output %4 [3, 0, 2, 1] : f32[4, 1]\n",

    "vecc program 1 f64 samples 0\n"
    "%0 = fact {inf, nan, -0, 4} : f64[4, 1]\n"
    "%1 = fact unit : f64[4, 1]\n"
    "%2 = concat %0, %1 : f64[8, 1]\n"
    "%3 = segment %2 [0, 1, 1, 8] sum : f64[3, 1]\n"
    "%4 = segment %2 [fixed 4 dim 2] concat : f64[2, 4x1]\n"
    "%5 = segment %0 [0, 2, 4] softmax : f64[4, 1]\n"
    "%6 = transform %4 slice [1, 4294967295, 0, 1] : f64[2, 3x1]\n"
    "%7 = transform %0 leakyrelu(0.2) : f64[4, 1]\n"
    "%8 = map elproduct(sum($0, $1), tanh($0), 0.5) %0, %7 : f64[4, 1]\n",

    "vecc program 1 f32 samples 0\n"
    "parameter \"w\" [3, 2x2]\n"
    "%0 = weight \"w\" : f32[3, 2x2]\n"
    "%1 = fact {1, 2, 3, 4} : f32[2, 2x1]\n"
    "%2 = contract %1, %1 [2, 0] : f32[3, 2x2]\n"
    "%3 = state \"adam.m\" = 0.25 : f32[3, 2x2]\n"
    "%4 = update %3, %2 : f32[3, 2x2]\n"
    "%5 = gather %2 [0:4:2] : f32[2, 2x2]\n"
    "%6 = update %0, %5 [1:3] : f32[2, 2x2]\n"
    "%7 = gather %1 [repeat 2 x 3] : f32[6, 2x1]\n",

    "vecc program 1 f64 samples 0\n"
    "parameter \"w\" [5, 2x1]\n"
    "%0 = weight \"w\" : f64[5, 2x1]\n"
    "%1 = state \"step\" = 0 : f64[1, 1]\n"
    "%2 = draw %1 < 5 seed 18446744073709551615 stream 255 : f64[3, 1]\n"
    "%3 = take %0, %2 : f64[3, 2x1]\n"
    "%4 = sum_equal %3, %2 : f64[3, 2x1]\n"
    "%5 = scatter_sum %3, %2 : f64[5, 2x1]\n"
    "%6 = update %0, %4, %2 : f64[3, 2x1]\n",
};

// The text with all its arrays in the side file.
std::string with_side_file(const vecc::Program& program) {
  vecc::PrintOptions options;
  options.long_arrays = vecc::LongArrays::SideFile;
  options.inline_limit = 0;
  options.parameter_values = true;
  std::string side;
  const std::string text = vecc::print(program, options, &side);
  return text + '\0' + side;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: program_seeds FOLDER\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  int number = 0;
  const auto write = [&](const std::string& bytes) {
    const auto path = std::filesystem::path(argv[1]) / ("program" + std::to_string(number++));
    std::ofstream(path, std::ios::binary) << bytes;
  };
  for (const char* text : kTexts) {
    const auto program = vecc::parse_program(text, "seed");
    if (!program) {
      std::fprintf(stderr, "%s\n", program.error().text().c_str());
      return 1;
    }
    write(text);
    write(with_side_file(*program));
  }
  return 0;
}
