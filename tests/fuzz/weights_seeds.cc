// Writes small weight files for weights_fuzz: weights_seeds FOLDER. Together they have every form
// that is read.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/weight_bytes.h"

using namespace vecc::test;

namespace {

std::vector<std::string> seeds() {
  const std::string header =
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"BF16","shape":[2,1],"data_offsets":[8,12]},)"
      R"("":{"dtype":"I8","shape":[0],"data_offsets":[12,12]},)"
      R"("s":{"dtype":"F16","shape":[],"data_offsets":[12,14]}})";
  const std::string data = "0123456789abcd";
  const std::string array = npy_array("<f4", "(2, 1)", "01234567");
  const std::string fortran = npy_array(">f2", "(2, 3)", "0123456789ab", true, 2);
  const std::string integers = npy_array("|u1", "()", "0", false, 3);
  return {
      safetensors_file(header, data),
      header + '\n' + data,  // weights_fuzz puts the length before it
      array,
      fortran,
      integers,
      zip_file({zip_part("a.npy", array), zip_part("b/c.npy", fortran, true)}),
      zip_file({zip_part("a.npy", array, false, true), zip_part("b.npy", integers, true, true)},
               true),
      zip_file({}),
  };
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: weights_seeds FOLDER\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  int number = 0;
  for (const std::string& seed : seeds()) {
    const auto path = std::filesystem::path(argv[1]) / ("weights" + std::to_string(number++));
    std::ofstream(path, std::ios::binary) << seed;
  }
  return 0;
}
