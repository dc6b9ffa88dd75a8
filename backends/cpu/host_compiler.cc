#include "backends/cpu/host_compiler.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "src/kernel/compile_flags.h"
#include "src/support/child_process.h"
#include "vecc/escape.h"

namespace vecc::cpu {
namespace {

namespace fs = std::filesystem;

// Beside the kernels' own: what makes a small library fast. No option changes results.
constexpr const char* kLibraryFlags[] = {
    "-xc++",
    "-std=c++17",
    "-fPIC",
    "-fno-plt",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-asynchronous-unwind-tables",
    "-fno-stack-protector",
    "-w",
    "-pipe",
    "-shared",
    "-nostdlib",  // no start files and no libstdc++: 28 ms a link become 14
    "-s",
    // One segment of code and one of data: 40 units load in 1.4 ms instead of 2.4.
    "-Wl,--hash-style=gnu,--build-id=none,--as-needed,-z,noseparate-code,-z,norelro,-z,now",
};
constexpr const char* kLinkFlags[] = {"-lm", "-lc"};

std::vector<std::string> fixed_compile_flags() {
  std::vector<std::string> flags(std::begin(kLibraryFlags), std::end(kLibraryFlags));
  const auto add = [&flags](std::span<const char* const> more) {
    flags.insert(flags.end(), more.begin(), more.end());
  };
  add(kernel_flags());
#if defined(__aarch64__)
  add(arm_kernel_flags());
#else
  add(x86_kernel_flags());
#endif
  return flags;
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

bool is_executable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// Folders of PATH that are not absolute are passed over: no compiler from wherever we stand.
std::optional<std::string> find_in_path(const std::string& name) {
  const std::string folders = variable("PATH").value_or("");
  for (std::size_t begin = 0; begin < folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const fs::path folder = folders.substr(begin, end - begin);
    if (folder.is_absolute() && is_executable(folder / name)) return folder / name;
    begin = end + 1;
  }
  return std::nullopt;
}

Errors absent(const std::string& what) {
  return Errors(ErrorCode::CompilerAbsent, "cpu",
                what +
                    "; install a C++ compiler (Debian, Ubuntu: apt install g++), name one with "
                    "VECC_CXX, or use --backend=torch or --backend=interpreter");
}

// What the user named: nothing takes its place.
Errors useless(const std::string& path, const std::string& problem) {
  return Errors(ErrorCode::CompilerFailed, "cpu",
                "VECC_CXX is " + escape_terminal(path, 4096) + ", " + problem +
                    "; name another C++ compiler, or unset VECC_CXX");
}

Result<std::string> find_path() {
  if (const auto named = variable("VECC_CXX")) {
    if (named->find('/') == std::string::npos) {
      if (const auto found = find_in_path(*named)) return *found;
    } else if (is_executable(*named)) {
      return fs::absolute(*named).string();
    }
    return useless(*named, "which is no executable file");
  }
  for (const char* name : {"c++", "g++", "clang++"}) {
    if (const auto found = find_in_path(name)) return *found;
  }
  return absent("no c++, g++ or clang++ in PATH, and VECC_CXX is not set");
}

// A compiler's own executable, and nothing that runs another one.
bool is_compiler_itself(const fs::path& file) {
  const std::string name = file.filename();
  bool has_name = false;
  for (const char* part : {"g++", "gcc", "clang"}) {
    has_name = has_name || name.find(part) != std::string::npos;
  }
  char magic[4] = {};
  std::ifstream(file, std::ios::binary).read(magic, sizeof magic);
  return has_name && std::string_view(magic, sizeof magic) ==
                         "\x7f"
                         "ELF";
}

}  // namespace

Result<HostCompiler> find_host_compiler() {
  VECC_TRY(std::string path, find_path());
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return absent(escape_terminal(path) + " went away");
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  std::string identity = path + " " + file.string() + " " + std::to_string(status.st_size) + " " +
                         std::to_string(status.st_mtim.tv_sec) + "." +
                         std::to_string(status.st_mtim.tv_nsec);
  if (!is_compiler_itself(file)) {
    const auto version = compiler_version(path);
    if (!version) {
      const std::string problem = version.error().list().front().message;
      if (variable("VECC_CXX")) return useless(path, "which is no compiler (" + problem + ")");
      return absent(escape_terminal(path, 4096) + " is no compiler (" + problem + ")");
    }
    identity += " " + *version;
  }
  return HostCompiler{std::move(path), std::move(identity)};
}

Result<std::string> compiler_version(const std::string& path) {
  const auto text = run_child({.file = path, .arguments = {"--version"}, .max_text = 4096});
  if (!text) {
    return Errors(ErrorCode::CompilerFailed, escape_terminal(path, 4096),
                  "--version: " + text.error().list().front().message);
  }
  return text->substr(0, text->find('\n'));
}

std::vector<std::string> compile_flags() {
  std::vector<std::string> flags = fixed_compile_flags();
  std::istringstream more(variable("VECC_CXXFLAGS").value_or(""));
  for (std::string flag; more >> flag;) flags.push_back(flag);
  return flags;
}
std::span<const char* const> link_flags() {
  return kLinkFlags;
}

}  // namespace vecc::cpu
