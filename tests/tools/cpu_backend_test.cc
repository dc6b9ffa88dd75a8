// vecc on the cpu backend where there is no compiler, or one that fails.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "process.h"
#include "sample_graphs.h"

namespace vecc::test {
namespace {

using ::testing::HasSubstr;

// With an empty code cache.
Finished run_with(const std::string& folder, const std::string& compiler,
                  std::vector<std::string> arguments) {
  Command command;
  command.tool = "vecc";
  command.arguments = std::move(arguments);
  command.arguments.push_back("--device=cpu");
  command.environment = {compiler, "VECC_CACHE_DIR=" + folder + "/cache"};
  return run(command);
}

TEST(CpuBackend, that_has_no_compiler_is_5) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const Finished named = run_with(folder, "VECC_CXX=/nonexistent/c++", {graph, "--backend=cpu"});
  EXPECT_EQ(named.code, 5);
  EXPECT_EQ(named.out, "");
  EXPECT_THAT(named.err, HasSubstr("VECC_CXX is /nonexistent/c++, which is no executable file"));
  EXPECT_THAT(named.err, HasSubstr("[E066]"));
}

TEST(CpuBackend, that_has_no_compiler_interprets_its_kernels_and_says_so_once) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const Finished result = run_with(folder, "PATH=/nonexistent", {graph, "--dtype=f64"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("backend cpu (first choice)"));
  EXPECT_THAT(result.err, HasSubstr("cpu on cpu, kernels interpreted"));
  EXPECT_EQ(result.out, run_vecc({graph, "--backend=reference"}).out);
  const std::string command = "apt install g++";
  const std::size_t said = result.err.find(command);
  ASSERT_NE(said, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(command, said + 1), std::string::npos) << result.err;
}

// A user that names a compiler wants that one, and no other backend.
TEST(CpuBackend, whose_named_compiler_is_none_is_not_passed_over_by_auto) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  for (const auto& [name, problem] :
       {std::pair("/nonexistent/c++", "which is no executable file"),
        std::pair("/bin/false", "which is no compiler (--version: exit code 1)")}) {
    for (const char* backend : {"--backend=auto", "--backend=cpu"}) {
      const Finished result =
          run_with(folder, std::string("VECC_CXX=") + name, {graph, "--quiet", backend});
      EXPECT_EQ(result.code, 5);
      EXPECT_EQ(result.out, "");
      EXPECT_EQ(result.err, std::string("cpu: error: VECC_CXX is ") + name + ", " + problem +
                                "; name another C++ compiler, or unset VECC_CXX [E066]\n");
    }
  }
}

TEST(CpuBackend, whose_compiler_makes_nothing_blames_it_by_name) {
  const std::string folder = test_folder();
  const Finished result =
      run_with(folder, "VECC_CXX=/bin/true", {write_small_graph(folder), "--quiet", "-O0"});
  EXPECT_EQ(result.code, 5);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("/bin/true: error: unit 0: ended well, but has made no "
                                    "library: is it a C++ compiler? Name another one with "
                                    "VECC_CXX"));
  EXPECT_THAT(result.err, HasSubstr("[E066]"));
}

// Whether a process is there and does something (a zombie does not).
bool is_running(const std::string& pid) {
  const std::string status = read_text("/proc/" + pid + "/stat");
  const std::size_t name_end = status.rfind(") ");
  return name_end != std::string::npos && status.substr(name_end + 2, 1) != "Z";
}

// A compiler that starts another program, writes, and then has vecc interrupted while it waits.
TEST(CpuBackend, that_is_interrupted_ends_compilers_and_removes_their_folder) {
  for (const auto& [signal, code] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    const std::string folder = test_folder();
    const std::string graph = write_small_graph(folder);
    const std::string compiler = folder + "/compiler";
    std::filesystem::create_directory(folder + "/tmp");
    write_text(compiler,
               "#!/bin/sh\ntest \"$1\" = --version && exec echo compiler 1\n"
               "mkdir -p parts/of && echo x > parts/of/it && echo y > rest.s\n"
               "sleep 100 & echo $! $$ > " +
                   folder +
                   "/pids\n"
                   "test -e " +
                   folder + "/once || { : > " + folder +
                   "/once; "
                   "kill -" +
                   signal + " $PPID; }\nwait\n");
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
    Command command;
    command.tool = "vecc";
    command.arguments = {graph, "--backend=cpu", "-O0"};
    command.environment = {"VECC_CXX=" + compiler, "VECC_CACHE_DIR=" + folder + "/cache",
                           "TMPDIR=" + folder + "/tmp"};
    const Finished result = run(command);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr("interrupted"));
    EXPECT_THAT(list_folder(folder + "/tmp"), ::testing::IsEmpty());
    std::istringstream pids(read_text(folder + "/pids"));
    for (std::string pid; pids >> pid;) {
      for (int i = 0; i < 500 && is_running(pid); ++i) ::usleep(10'000);
      EXPECT_FALSE(is_running(pid)) << pid;
    }
  }
}

TEST(CpuBackend, is_what_auto_takes_on_a_cpu) {
  const std::string folder = test_folder();
  const Finished result = run_vecc({write_small_graph(folder), "--device=cpu"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("backend cpu (first choice)"));
}

TEST(CpuBackend, computes_what_the_reference_computes) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const Finished cpu = run_vecc({graph, "--backend=cpu", "--dtype=f64"});
  EXPECT_EQ(cpu.code, 0) << cpu.err;
  EXPECT_EQ(cpu.out, run_vecc({graph, "--backend=reference"}).out);
}

}  // namespace
}  // namespace vecc::test
