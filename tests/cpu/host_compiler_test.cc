// Which compiler is found, and what happens without one or with a bad one.
#include "backends/cpu/host_compiler.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "tests/cpu/code_fixture.h"

namespace vecc::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HostCompiler : public CodeTest {
 protected:
  /// An executable script.
  std::string script(const std::string& name, const std::string& text) {
    const std::string path = folder_.path(name);
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    ::chmod(path.c_str(), 0700);
    return path;
  }
  /// The error of loading a unit.
  std::string load_error() {
    const Loaded loaded = load({part(1)});
    return loaded ? "no error" : loaded.error().text();
  }
};

TEST_F(HostCompiler, is_found_in_the_path) {
  const auto compiler = cpu::find_host_compiler();
  ASSERT_TRUE(compiler.has_value()) << compiler.error().text();
  EXPECT_TRUE(compiler->path.starts_with("/"));
  const auto version = cpu::compiler_version(compiler->path);
  ASSERT_TRUE(version.has_value()) << version.error().text();
  EXPECT_THAT(*version, Not(HasSubstr("\n")));
}

TEST_F(HostCompiler, that_is_not_there_is_an_error_with_the_way_out) {
  const ScopedVariable path("PATH", "");
  const auto compiler = cpu::find_host_compiler();
  ASSERT_FALSE(compiler.has_value());
  EXPECT_EQ(compiler.error().list().front().code, ErrorCode::CompilerAbsent);
  EXPECT_EQ(compiler.error().exit_code(), ExitCode::Device);
  EXPECT_EQ(compiler.error().text(),
            "cpu: error: no c++, g++ or clang++ in PATH, and VECC_CXX is not set; install a C++ "
            "compiler (Debian, Ubuntu: apt install g++), name one with VECC_CXX, or use "
            "--backend=torch or --backend=interpreter [E065]");
}

TEST_F(HostCompiler, is_not_taken_from_a_folder_of_the_path_that_is_relative) {
  script("c++", "exit 0");
  const ScopedVariable path("PATH", ".:");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_FALSE(cpu::find_host_compiler().has_value());
  std::filesystem::current_path(before);
}

TEST_F(HostCompiler, may_be_named) {
  const std::string named = script("my-compiler", "exec c++ \"$@\"");
  const ScopedVariable variable("VECC_CXX", named.c_str());
  const auto compiler = cpu::find_host_compiler();
  ASSERT_TRUE(compiler.has_value()) << compiler.error().text();
  EXPECT_EQ(compiler->path, named);
  EXPECT_EQ(load_answer(3), 3);
}

TEST_F(HostCompiler, that_is_named_must_be_there) {
  const ScopedVariable variable("VECC_CXX", "/nowhere/g++");
  EXPECT_THAT(load_error(), HasSubstr("VECC_CXX is /nowhere/g++, which is no executable file"));
}

TEST_F(HostCompiler, that_is_a_script_is_known_by_the_version_that_it_prints) {
  const auto identity_of = [&](const char* version) {
    const std::string path = script("wrapper", std::string("cat ") + folder_.path("version"));
    std::ofstream(folder_.path("version")) << version << "\nmore\n";
    const ScopedVariable variable("VECC_CXX", path.c_str());
    const auto compiler = cpu::find_host_compiler();
    return compiler ? compiler->identity : compiler.error().text();
  };
  EXPECT_THAT(identity_of("g++ 12"), AllOf(HasSubstr("g++ 12"), Not(HasSubstr("more"))));
  EXPECT_THAT(identity_of("g++ 13"), HasSubstr("g++ 13"));
}

TEST_F(HostCompiler, of_another_path_compiles_again) {
  EXPECT_EQ(load_answer(3), 3);
  const std::string other = script("other", "exec c++ \"$@\"");
  const ScopedVariable variable("VECC_CXX", other.c_str());
  EXPECT_EQ(load_answer(3), 3);
  EXPECT_EQ(counts_.compiled, 1u);
}

TEST_F(HostCompiler, takes_more_flags_and_compiles_again_for_them) {
  const cpu::CodePart sum{
      "extern \"C\" __attribute__((visibility(\"default\"))) int answer() { return A + B; }\n"};
  const auto load_sum = [&] {
    const Loaded loaded = load({sum});
    return loaded ? answer_of(*loaded->front(), "answer") : -1;
  };
  EXPECT_THAT(load({sum}).error().text(), HasSubstr("A"));
  const ScopedVariable variable("VECC_CXXFLAGS", " -DA=3  -DB=4 ");
  EXPECT_EQ(load_sum(), 7);
  EXPECT_EQ(counts_.compiled, 1u);
  const ScopedVariable other("VECC_CXXFLAGS", "-DA=3 -DB=5");
  EXPECT_EQ(load_sum(), 8);
}

TEST_F(HostCompiler, that_fails_is_an_error_with_its_words) {
  const std::string named = script("broken", "echo out of order >&2; exit 3");
  // As a plain compiler would be: its version is not asked for.
  const ScopedVariable variable("VECC_CXX",
                                script("v", "test \"$1\" = --version || exec " + named).c_str());
  EXPECT_THAT(load_error(), AllOf(HasSubstr("exit code 3"), HasSubstr("out of order")));
}

TEST_F(HostCompiler, that_prints_without_end_is_cut) {
  const ScopedVariable variable(
      "VECC_CXX", script("loud",
                         "test \"$1\" = --version && exit\nhead -c 300000 /dev/zero | "
                         "tr '\\0' x\nexit 1")
                      .c_str());
  EXPECT_LT(load_error().size(), 10'000u);
}

TEST_F(HostCompiler, that_makes_no_file_is_an_error) {
  const ScopedVariable variable("VECC_CXX", script("idle", "exit 0").c_str());
  EXPECT_THAT(load_error(), AllOf(HasSubstr("/idle: error: unit 0: ended well, but has made no "
                                            "library: is it a C++ compiler? Name another one with "
                                            "VECC_CXX"),
                                  Not(HasSubstr(".so"))));
}

TEST_F(HostCompiler, that_is_killed_is_an_error) {
  const ScopedVariable variable(
      "VECC_CXX", script("killed", "test \"$1\" = --version && exit\nkill -INT $$").c_str());
  EXPECT_THAT(load_error(), HasSubstr("ended by signal 2"));
}

TEST_F(HostCompiler, that_does_not_end_is_ended) {
  const ScopedVariable variable(
      "VECC_CXX", script("endless", "test \"$1\" = --version && exit\nexec sleep 100").c_str());
  options_.compile.timeout = 0.2;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(load_error(), HasSubstr("not compiled after 0.2"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace vecc::test
