// Prints the libtorch that was loaded; fails if it is not the one whose headers were compiled.
#include <ATen/Version.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <cstdio>
#include <string>

int main() {
  const std::string config = at::show_config();  // holds `TORCH_VERSION=2.11.0,`
  const std::string key = "TORCH_VERSION=";
  const std::size_t at = config.find(key);
  const std::string loaded =
      at == std::string::npos
          ? "of unknown version"
          : config.substr(at + key.size(), config.find(',', at) - at - key.size());
  // libc10 is the one that gets mixed up: its own symbol says where it came from.
  Dl_info where{};
  using TorchCheckFail = void (*)(const char*, const char*, std::uint32_t, const char*);
  const void* symbol =
      reinterpret_cast<const void*>(static_cast<TorchCheckFail>(&c10::detail::torchCheckFail));
  const char* path = dladdr(symbol, &where) != 0 ? where.dli_fname : "?";
  std::printf("%s, with %s\n", loaded.c_str(), path);
  const std::string compiled = TORCH_VERSION;  // 2.11.0, also where the wheel says 2.11.0+cu130
  return loaded == compiled.substr(0, compiled.find('+')) ? 0 : 1;
}
