#include "ground_graph.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "src/support/child_process.h"
#include "src/support/temporary_folder.h"
#include "tools/common/interrupt.h"
#include "vecc/graph_io.h"
#include "vecc/vectorize.h"

namespace vecc::tools {

namespace fs = std::filesystem;

Result<std::string> sibling(const std::string& name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path path = self.parent_path() / name;
  if (!error && fs::exists(path, error)) return path.string();
  return Errors(ErrorCode::FileUnreadable, path.string(), "not there: build it first");
}

std::string source_file(const std::string& path) {
  const char* source = std::getenv("VECC_SOURCE_DIR");
  return std::string(source != nullptr ? source : VECC_BENCH_SOURCE_DIR) + "/" + path;
}

Result<NeuronGraph> ground_set(const std::string& data, const std::string& model,
                               std::uint32_t dim) {
  VECC_TRY(const std::string import, sibling("vecc-import"));
  const DeferInterrupt defer;  // the folder must go first
  VECC_TRY(const TemporaryFolder folder,
           TemporaryFolder::create(fs::temp_directory_path().string(), "vecc-bench"));
  const std::string path = folder.path() + "/graph.pb";
  VECC_TRY_VOID(
      run_child({.file = import,
                 .arguments = {"tu", data, "--model=" + model, fmt::format("--dim={}", dim),
                               "--init=glorot", "--seed=1", "--quiet", "-o", path}}));
  return read_graph(path);
}

Result<Program> ground_graph(const std::string& data, const std::string& model, std::uint32_t dim) {
  VECC_TRY(const NeuronGraph graph, ground_set(data, model, dim));
  VECC_TRY(Vectorized vectorized, vectorize(graph));
  return std::move(vectorized.program);
}

Result<Program> vectorize_file(const std::string& path) {
  VECC_TRY(const NeuronGraph graph, read_graph(path));
  VECC_TRY(Vectorized vectorized, vectorize(graph));
  return std::move(vectorized.program);
}

std::string set_name(const std::string& data) {
  const fs::path path = fs::path(data).lexically_normal();
  return path.has_filename() ? path.filename() : path.parent_path().filename();
}

}  // namespace vecc::tools
