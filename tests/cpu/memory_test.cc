// What a Program takes is what bytes() says.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "backends/cpu/cpu_backend.h"
#include "src/plan/host_memory.h"
#include "src/plan/plan_tables.h"
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

std::unique_ptr<Executable> run_once(DType dtype, const ExecutionOptions& options,
                                     std::uint32_t copies) {
  auto made = cpu_backend().compile(large_program(dtype, copies), options);
  EXPECT_TRUE(made) << made.error().text();
  EXPECT_TRUE((*made)->run());
  return std::move(*made);
}

struct Grown {
  double bytes = 0;    // that are allocated once the Program has run
  double printed = 0;  // that the executable says
};

Grown grown_by(DType dtype, const ExecutionOptions& options, std::uint32_t copies = 5) {
  run_once(dtype, options, copies);  // the code stays, and what libraries keep
  const std::uint64_t before = allocated_bytes();
  const auto executable = run_once(dtype, options, copies);
  return {.bytes = static_cast<double>(allocated_bytes() - before),
          .printed = static_cast<double>(executable->bytes())};
}

void expect_as_printed(DType dtype, bool gradients) {
  ExecutionOptions options;
  options.gradients = gradients;
  options.threads = 2;  // stacks of more would not stay with the library when their threads end
  const Grown grown = grown_by(dtype, options);
  EXPECT_NEAR(grown.bytes / grown.printed, 1, 0.05);
}

TEST(CpuMemory, IsAsPrinted) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer allocates by itself";
  expect_as_printed(DType::F32, false);
  expect_as_printed(DType::F64, true);
}

void expect_known_before(DType dtype, bool gradients) {
  const Program program = large_program(dtype, 2);
  HostMemory memory;
  ExecutionOptions options;
  options.gradients = gradients;
  options.threads = 2;  // interpreters have some memory of each
  options.check_plan = [&](const PlannedProgram& planned) -> Result<void> {
    memory = host_memory(planned.program, planned.plan, &program);
    return {};
  };
  const auto executable = cpu_backend().compile(program, options);
  ASSERT_TRUE(executable) << executable.error().text();
  EXPECT_GT(memory.values, 0u);
  EXPECT_GT(memory.constants, 0u);
  EXPECT_GT(memory.read, 0u);
  EXPECT_GT(memory.narrow, 0u);
  const std::uint64_t known =
      memory.values + memory.constants + memory.read + memory.narrow + memory.parameters;
  if ((*executable)->device_name() == "cpu") {
    EXPECT_EQ(known, (*executable)->bytes());
  } else {  // interpreters have some memory of their own, which no Plan knows
    EXPECT_LT(known, (*executable)->bytes());
    EXPECT_GT(known + (1 << 20), (*executable)->bytes());
  }
  // Gathers of the backward pass, and orders, are arrays that the Program has not.
  EXPECT_LE(memory.own, memory.read);
  ASSERT_TRUE((*executable)->run());
  std::uint64_t outputs = 0;
  const auto of_run = (*executable)->outputs();
  for (const auto& output : *of_run) {
    outputs += sizeof(output) + bytes_of_piece(output.value.capacity() * sizeof(double));
  }
  EXPECT_EQ(memory.outputs, outputs);
}

TEST(CpuMemory, IsKnownBeforeItIsTaken) {
  expect_known_before(DType::F32, false);
  expect_known_before(DType::F64, false);
  expect_known_before(DType::F32, true);
}

TEST(CpuMemory, OfTablesInFilesIsNone) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer allocates by itself";
  const TemporaryFolder folder;
  // Tables of megabytes: malloc keeps some hundred KB for its threads, how many differs by libc.
  constexpr std::uint32_t kCopies = 20;
  std::uint64_t in_files = 0;
  ExecutionOptions options;
  options.gradients = true;
  options.threads = 2;
  const Grown in_memory = grown_by(DType::F64, options, kCopies);
  options.places.folder = folder.path(".");
  options.check_plan = [&](const PlannedProgram& planned) -> Result<void> {
    for (PlacedTable& table : *planned.tables) table.place = TablePlace::File;
    in_files = bytes_at(*planned.tables, TablePlace::File);
    const HostMemory memory = host_memory(planned.program, planned.plan);
    EXPECT_EQ(in_files, memory.constants + memory.parameters + memory.states);
    return {};
  };
  const Grown in_file = grown_by(DType::F64, options, kCopies);
  EXPECT_GT(static_cast<double>(in_files), in_file.printed / 50);
  EXPECT_NEAR((in_memory.bytes - in_file.bytes) / static_cast<double>(in_files), 1, 0.25);
}

TEST(CpuMemory, IsNotTakenWhereThePlanIsRefused) {
  const Program program = large_program(DType::F32, 1);
  ExecutionOptions options;
  options.check_plan = [](const PlannedProgram&) -> Result<void> {
    return Errors(ErrorCode::OutOfMemory, "here", "no");
  };
  const auto executable = cpu_backend().compile(program, options);
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().text(), "here: error: no [E063]");
}

}  // namespace
}  // namespace vecc::test
