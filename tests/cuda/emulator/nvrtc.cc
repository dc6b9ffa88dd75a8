// NVRTC's calls that vecc makes: the host's compiler makes a shared library of a kernel's text
// behind device_words.h.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace {

struct Program {
  std::string text;
  std::string code;
  std::string log;
};

constexpr int kArchitectures[] = {70, 90};

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
  }
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string own_path() {
  Dl_info info{};
  return ::dladdr(reinterpret_cast<const void*>(&own_path), &info) != 0 ? info.dli_fname : "";
}

// Arguments are read where they are: a kernel of known parameters, whatever its arguments' size.
std::string host_text(std::string text) {
  const std::string constant = "const __grid_constant__ vecc_kernel::";
  const std::size_t at = text.find(constant);
  const std::size_t name = at + constant.size();
  const std::string arguments =
      at == std::string::npos ? "Bound" : text.substr(name, text.find(' ', name) - name);
  replace_all(text, constant + arguments + " a", "const vecc_kernel::" + arguments + "& a");
  return std::string("#include \"" VECC_DEVICE_WORDS "\"\n") + text +
         "extern \"C\" __attribute__((visibility(\"default\"))) const unsigned vecc_argument_bytes "
         "= "
         "sizeof(vecc_kernel::" +
         arguments + ");\n";
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 0;   // no real one's code is taken for this one's
  *minor = 10;  // another number where the emulator's own words change
  return 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(kArchitectures));
  return 0;
}
int nvrtcGetSupportedArchs(int* architectures) {
  std::copy(std::begin(kArchitectures), std::end(kArchitectures), architectures);
  return 0;
}
int nvrtcCreateProgram(Program** program, const char* text, const char*, int, const char* const*,
                       const char* const*) {
  *program = new Program{text, {}, {}};
  return 0;
}
int nvrtcCompileProgram(Program* program, int, const char* const*) {
  char folder[] = "/tmp/vecc-emulator-XXXXXX";
  if (::mkdtemp(folder) == nullptr) return 1;
  const std::string base = std::string(folder) + "/kernel";
  std::ofstream(base + ".cc", std::ios::binary) << host_text(program->text);
  const std::string command =
      "c++ -std=c++20 -O1 -w -pipe -fPIC -fvisibility=hidden -fno-exceptions -fno-rtti "
      "-fno-asynchronous-unwind-tables -fno-stack-protector -shared -nostdlib -ffp-contract=off "
      "-o " +
      base + ".so " + base + ".cc '" + own_path() + "' -lm -lc -lgcc 2> " + base + ".log";
  const bool compiled = std::system(command.c_str()) == 0;
  program->log = read_file(base + ".log");
  const std::string library = compiled ? read_file(base + ".so") : "";
  const std::uint64_t size = library.size();
  program->code.assign(reinterpret_cast<const char*>(&size), sizeof size);
  program->code += library;
  for (const char* ending : {".cc", ".so", ".log"}) ::unlink((base + ending).c_str());
  ::rmdir(folder);
  return compiled ? 0 : 1;
}
int nvrtcGetProgramLogSize(Program* program, std::size_t* size) {
  *size = program->log.size() + 1;
  return 0;
}
int nvrtcGetProgramLog(Program* program, char* text) {
  std::memcpy(text, program->log.c_str(), program->log.size() + 1);
  return 0;
}
int nvrtcGetCUBINSize(Program* program, std::size_t* size) {
  *size = program->code.size();
  return 0;
}
int nvrtcGetCUBIN(Program* program, char* bytes) {
  std::memcpy(bytes, program->code.data(), program->code.size());
  return 0;
}
int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}
}
