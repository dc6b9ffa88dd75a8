#include "backends/cuda/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "backends/native/compiler_text.h"
#include "src/kernel/compile_flags.h"
#include "vecc/escape.h"

namespace vecc::cuda {
namespace {

using nvrtcResult = int;
struct nvrtcProgramOf;
using nvrtcProgram = nvrtcProgramOf*;

struct Nvrtc {
#define VECC_NVRTC_CALL(name, symbol, parameters) nvrtcResult(*name) parameters = nullptr;
#include "backends/cuda/nvrtc_calls.def"
#undef VECC_NVRTC_CALL
  DeviceCompiler compiler;
};

constexpr int kNewestVersion = 14;
constexpr int kOldestVersion = 12;
constexpr std::size_t kMaxLog = 4096;

bool is_named() {
  const char* const own = std::getenv("VECC_NVRTC");
  return own != nullptr && *own != '\0';
}

std::vector<std::string> library_paths() {
  std::vector<std::string> paths;
  if (is_named()) return {std::getenv("VECC_NVRTC")};
  std::vector<std::string> folders{""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const folder = std::getenv(variable);
    if (folder == nullptr || *folder == '\0') continue;
    folders.push_back(std::string(folder) + "/lib64/");
  }
  folders.emplace_back("/usr/local/cuda/lib64/");
  for (const std::string& folder : folders) {
    for (int version = kNewestVersion; version >= kOldestVersion; --version) {
      paths.push_back(folder + "libnvrtc.so." + std::to_string(version));
    }
  }
  return paths;
}

bool load_calls(void* library, Nvrtc& nvrtc) {
#define VECC_NVRTC_CALL(name, symbol, parameters)                                 \
  nvrtc.name = reinterpret_cast<decltype(nvrtc.name)>(::dlsym(library, #symbol)); \
  if (nvrtc.name == nullptr) return false;
#include "backends/cuda/nvrtc_calls.def"
#undef VECC_NVRTC_CALL
  int count = 0;
  if (nvrtc.version(&nvrtc.compiler.major, &nvrtc.compiler.minor) != 0 ||
      nvrtc.architecture_count(&count) != 0 || count <= 0) {
    return false;
  }
  nvrtc.compiler.architectures.resize(static_cast<std::size_t>(count));
  return nvrtc.architectures(nvrtc.compiler.architectures.data()) == 0;
}

Result<Nvrtc> load_nvrtc() {
  std::string tried;
  for (const std::string& path : library_paths()) {
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    Nvrtc nvrtc;
    nvrtc.compiler.path = path;
    if (library != nullptr && load_calls(library, nvrtc)) return nvrtc;
    tried += (tried.empty() ? "" : ", ") + escape_terminal(path, 4096);
  }
  if (is_named()) {  // no other one takes its place
    return Errors(ErrorCode::CompilerFailed, "cuda",
                  "VECC_NVRTC is " + tried +
                      ", which is no NVRTC of CUDA 12 or newer; name another one, or unset it");
  }
  return Errors(ErrorCode::CompilerAbsent, "cuda",
                "no NVRTC (NVIDIA's run-time compiler) of CUDA 12 or newer: install the CUDA "
                "toolkit, or `pip install nvidia-cuda-nvrtc` and set VECC_NVRTC to its "
                "libnvrtc.so; tried " +
                    tried);
}

Result<const Nvrtc*> find_nvrtc() {
  static const Result<Nvrtc> nvrtc = load_nvrtc();
  if (!nvrtc) return nvrtc.error();
  return &*nvrtc;
}

// The compiler's words, each line escaped and indented.
std::string log_of(const Nvrtc& nvrtc, nvrtcProgram program) {
  std::size_t size = 0;
  if (nvrtc.log_size(program, &size) != 0 || size <= 1) return {};
  std::string log(size, '\0');
  if (nvrtc.log(program, log.data()) != 0) return {};
  log.resize(std::min(size - 1, kMaxLog));
  return native::indented_lines(log);
}

}  // namespace

Result<DeviceCompiler> find_device_compiler() {
  VECC_TRY(const Nvrtc* nvrtc, find_nvrtc());
  return nvrtc->compiler;
}

std::vector<std::string> device_flags() {
  const auto common = cuda_kernel_flags();
  std::vector<std::string> flags(common.begin(), common.end());
  flags.insert(flags.end(), {"--std=c++17", "--device-as-default-execution-space"});
  return flags;
}

std::string architecture_name(int architecture) {
  return "sm_" + std::to_string(architecture) + (architecture == 90 ? "a" : "");
}

Result<std::string> compile_for_device(const std::string& text, int architecture) {
  VECC_TRY(const Nvrtc* nvrtc, find_nvrtc());
  const auto fail = [&](const std::string& what) {
    return Errors(ErrorCode::CompilerFailed, escape_terminal(nvrtc->compiler.path, 4096), what);
  };
  nvrtcProgram program = nullptr;
  if (nvrtc->create(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0) {
    return fail("no program could be made");
  }
  std::vector<std::string> flags = device_flags();
  flags.push_back("--gpu-architecture=" + architecture_name(architecture));
  std::vector<const char*> list;
  for (const std::string& flag : flags) list.push_back(flag.c_str());
  std::string cubin;
  std::size_t size = 0;
  const bool compiled = nvrtc->compile(program, static_cast<int>(list.size()), list.data()) == 0 &&
                        nvrtc->cubin_size(program, &size) == 0;
  if (compiled) cubin.resize(size);
  const bool read = compiled && nvrtc->cubin(program, cubin.data()) == 0;
  const std::string log = read ? "" : log_of(*nvrtc, program);
  (void)nvrtc->destroy(&program);
  if (!read) return fail("a kernel does not compile" + log);
  return cubin;
}

}  // namespace vecc::cuda
