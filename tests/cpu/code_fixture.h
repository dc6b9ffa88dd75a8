// Tests that load code: an empty cache of their own, and nothing of the user's.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/cpu/load_code.h"
#include "tests/graph_io/temporary_folder.h"

namespace vecc::test {

/// Sets a variable (null: unsets it) until it goes.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = {old};
    set(value);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() { set(old_.empty() ? nullptr : old_.front().c_str()); }

 private:
  void set(const char* value) const {
    value != nullptr ? ::setenv(name_, value, 1) : ::unsetenv(name_);
  }

  const char* name_;
  std::vector<std::string> old_;  // none or one
};

class CodeTest : public ::testing::Test {
 protected:
  using Loaded = Result<std::vector<std::shared_ptr<const cpu::LoadedUnit>>>;

  CodeTest() { std::filesystem::create_directory(folder_.path("temporary")); }

  /// A part whose function `answer_NUMBER` returns the number.
  static cpu::CodePart part(int number) {
    const std::string text = std::to_string(number);
    return {"extern \"C\" __attribute__((visibility(\"default\"))) int answer_" + text +
            "() { return " + text + "; }\n"};
  }
  static int answer_of(const cpu::LoadedUnit& unit, const std::string& name) {
    const auto function = reinterpret_cast<int (*)()>(unit.symbol(name.c_str()));
    return function != nullptr ? function() : -1;
  }
  static int answer_of(const cpu::LoadedUnit& unit, int number) {
    return answer_of(unit, "answer_" + std::to_string(number));
  }

  Loaded load(const std::vector<cpu::CodePart>& parts) {
    options_.warn = [this](const std::string& text) { warnings_.push_back(text); };
    counts_ = {};
    return cpu::load_code(common_, parts, options_, &counts_);
  }
  /// load() of one part, which is let go of at once; its answer.
  int load_answer(int number) {
    const Loaded loaded = load({part(number)});
    EXPECT_TRUE(loaded.has_value()) << loaded.error().text();
    return loaded ? answer_of(*loaded->front(), number) : -1;
  }

  [[nodiscard]] std::string cache() const { return folder_.path("cache/vecc/code"); }
  static std::vector<std::string> files_in(const std::string& folder) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      files.push_back(entry.path());
    }
    return files;
  }

  TemporaryFolder folder_;
  ScopedVariable xdg_{"XDG_CACHE_HOME", folder_.path("cache").c_str()};
  ScopedVariable own_{"VECC_CACHE_DIR", nullptr};
  ScopedVariable compiler_{"VECC_CXX", nullptr};
  ScopedVariable flags_{"VECC_CXXFLAGS", nullptr};
  ScopedVariable temporary_{"TMPDIR", folder_.path("temporary").c_str()};
  std::string common_;  // stands before the parts of each unit
  cpu::LoadOptions options_;
  cpu::CodeCounts counts_;
  std::vector<std::string> warnings_;
};

}  // namespace vecc::test
