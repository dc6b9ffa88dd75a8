// The torch backend as the rest of vecc sees it: loads its shared library when it is first asked
// for more than its name.
#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <system_error>

#include "backends/torch/torch_backend.h"
#include "backends/torch/torch_module.h"
#include "vecc/escape.h"

namespace vecc::libtorch {
namespace {

namespace fs = std::filesystem;

Errors absent(const std::string& message) {
  return Errors(ErrorCode::BackendAbsent, "torch", message);
}

// The file that holds this code: the program, or a shared library that another program loaded (the
// Python package).
fs::path own_file() {
  static const char kHere = 0;
  Dl_info info{};
  link_map* map = nullptr;
  const bool found = ::dladdr1(&kHere, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
  std::error_code error;
  // The program itself has no name there.
  if (!found || map == nullptr || *map->l_name == '\0') {
    return fs::read_symlink("/proc/self/exe", error);
  }
  return fs::absolute(map->l_name, error);
}

// Beside that file, or in lib/ beside a program's bin/.
Result<fs::path> find_module() {
  std::error_code error;
  const fs::path folder = own_file().parent_path();
  const fs::path beside = folder / kTorchModuleFile;
  const fs::path in_lib = folder.parent_path() / "lib" / kTorchModuleFile;
  for (const fs::path& path : {beside, in_lib}) {
    if (fs::exists(path, error)) return path;
  }
  return absent(escape_terminal(beside.string()) + " is not there; build the target vecc_torch");
}

Result<const Backend*> load_module() {
  VECC_TRY(const fs::path path, find_module());
  void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    const char* reason = ::dlerror();
    return absent(escape_terminal(reason != nullptr ? reason : path.string()) +
                  "; is libtorch still where vecc was built with it? Else configure again");
  }
  const auto entry = reinterpret_cast<TorchModuleEntry>(::dlsym(module, kTorchModuleEntry));
  const Backend* const backend = entry != nullptr ? entry(torch_module_build().c_str()) : nullptr;
  if (backend == nullptr) {
    return absent(escape_terminal(path.string()) +
                  " is of another build of vecc; build the target vecc_torch");
  }
  return backend;
}

class TorchLoader final : public Backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "torch"; }

  [[nodiscard]] Result<void> available(const Device& device) const override {
    VECC_TRY(const Backend* const torch, loaded());
    return torch->available(device);
  }
  [[nodiscard]] std::vector<std::string> unsupported(const Program& program) const override {
    const auto& torch = loaded();
    if (!torch) return {torch.error().list().front().message};
    return (*torch)->unsupported(program);
  }
  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const override {
    VECC_TRY(const Backend* const torch, loaded());
    return torch->compile(program, options);
  }

 private:
  // Once, whatever came of it.
  static const Result<const Backend*>& loaded() {
    static const Result<const Backend*> torch = load_module();
    return torch;
  }
};

}  // namespace

const Backend& torch_backend() {
  static const TorchLoader backend;
  return backend;
}

}  // namespace vecc::libtorch
