// vecc on the cpu backend where there is no compiler, or one that fails.
#include <gmock/gmock.h>

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
  EXPECT_THAT(named.err, HasSubstr("[E065]"));
}

TEST(CpuBackend, that_has_no_compiler_is_passed_over_by_auto) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const Finished result = run_with(folder, "VECC_CXX=/nonexistent/c++", {graph});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("(next choice: cpu: VECC_CXX is /nonexistent/c++"));
  const Finished expected = run_vecc({graph, "--backend=reference"});
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'),
            std::count(expected.out.begin(), expected.out.end(), '\n'));
}

TEST(CpuBackend, whose_compiler_fails_says_so) {
  const std::string folder = test_folder();
  const Finished result =
      run_with(folder, "VECC_CXX=/bin/false", {write_small_graph(folder), "--backend=cpu"});
  EXPECT_EQ(result.code, 5);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("/bin/false: error: "));
  EXPECT_THAT(result.err, HasSubstr("[E066]"));
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
