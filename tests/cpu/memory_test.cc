// What a Program takes is what bytes() says.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "backends/cpu/cpu_backend.h"
#include "tests/graph_io/temporary_folder.h"
#include "tests/support/sanitized.h"
#include "vecc/graph_io.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

// Of malloc's heap what is in use; what is mapped, by malloc or beside it, has no name.
std::uint64_t allocated_bytes() {
  std::uint64_t bytes = ::mallinfo2().uordblks;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string range, access, offset, device, inode, name;
    words >> range >> access >> offset >> device >> inode >> name;
    if (access != "rw-p" || !name.empty()) continue;
    const std::size_t dash = range.find('-');
    bytes += std::stoull(range.substr(dash + 1), nullptr, 16) - std::stoull(range, nullptr, 16);
  }
  return bytes;
}

// The molecules, so many times side by side.
Program large_program(DType dtype, std::uint32_t copies) {
  const std::string source = std::getenv("VECC_SOURCE_DIR");
  const auto graph = read_graph(source + "/datasets/mutagenesis.pb");
  EXPECT_TRUE(graph) << graph.error().text();
  const TemporaryFolder folder;
  const std::string path = folder.path("copies.pb");
  EXPECT_TRUE(write_graph(*graph, path, Compression::None, copies));
  VectorizeOptions options;
  options.dtype = dtype;
  return vectorize(*read_graph(path), options)->program;
}

std::unique_ptr<Executable> run_once(DType dtype, const ExecutionOptions& options) {
  auto made = cpu_backend().compile(large_program(dtype, 5), options);
  EXPECT_TRUE(made) << made.error().text();
  EXPECT_TRUE((*made)->run());
  return std::move(*made);
}

void expect_as_printed(DType dtype, bool gradients) {
  ExecutionOptions options;
  options.gradients = gradients;
  options.threads = 2;  // stacks of more would not stay with the library when their threads end
  run_once(dtype, options);  // the code stays, and what libraries keep
  const std::uint64_t before = allocated_bytes();
  const auto executable = run_once(dtype, options);
  const auto grown = static_cast<double>(allocated_bytes() - before);
  EXPECT_NEAR(grown / static_cast<double>(executable->bytes()), 1, 0.05);
}

TEST(CpuMemory, IsAsPrinted) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer allocates by itself";
  expect_as_printed(DType::F32, false);
  expect_as_printed(DType::F64, true);
}

}  // namespace
}  // namespace vecc::test
