#include "tools/import/load/text_file.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "src/graph_io/byte_source.h"
#include "src/graph_io/decompress.h"
#include "src/support/whole_file.h"
#include "tools/import/load/line_reader.h"
#include "vecc/escape.h"
#include "vecc/graph_io.h"

namespace vecc::tools {
namespace fs = std::filesystem;
namespace {

Result<std::string> read_all(graph_io::ByteSource& source, bool is_regular) {
  constexpr std::size_t kFirstBlock = std::size_t{1} << 20;
  const std::uint64_t limit = ImportLimits{}.max_input_bytes;
  std::string bytes;
  std::size_t size = 0;
  while (true) {
    if (size == bytes.size()) bytes.resize(std::max(kFirstBlock, 2 * size));
    VECC_TRY(const std::size_t got, source.read(bytes.data() + size, bytes.size() - size));
    if (got == 0) break;
    size += got;
    if (!is_regular && size > kMaxPipeBytes) {
      return Errors(ErrorCode::LimitBytes, "", pipe_limit_text());
    }
    if (size > limit) {
      return Errors(ErrorCode::LimitBytes, "",
                    "has more than " + std::to_string(limit) + " bytes of text");
    }
  }
  bytes.resize(size);
  return bytes;
}

Result<std::string> read_bytes(const std::string& path) {
  VECC_TRY(std::unique_ptr<graph_io::ByteSource> file, graph_io::open_file(path));
  VECC_TRY(std::unique_ptr<graph_io::ByteSource> source,
           graph_io::open_compressed(std::move(file)));
  std::error_code unknown;
  return read_all(*source, fs::is_regular_file(path, unknown));
}

}  // namespace

Result<TextFile> read_text_file(const std::string& path, std::string_view expected) {
  Result<std::string> bytes = read_bytes(path);
  if (!bytes) return bytes.error().in(escape_path(path));
  if (without_ends(*bytes).empty()) {
    return Errors(ErrorCode::FileEmpty, escape_path(path),
                  "is empty, expected " + std::string(expected));
  }
  return TextFile{escape_path(fs::path(path).filename().string()), std::move(*bytes)};
}

Result<std::optional<TextFile>> read_if_there(const std::string& path, std::string_view expected) {
  if (!is_file(path)) return std::optional<TextFile>();
  VECC_TRY(TextFile file, read_text_file(path, expected));
  return std::optional<TextFile>(std::move(file));
}

std::optional<Text> text_of(const std::optional<TextFile>& file) {
  return file ? std::optional<Text>(file->text()) : std::nullopt;
}

bool is_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_directory(status);
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::string join_path(const std::string& folder, std::string_view name) {
  return (fs::path(folder) / name).string();
}

Result<std::vector<std::string>> list_files(const std::string& folder, std::string_view ending) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.ends_with(ending) && is_file(entry->path().string())) names.push_back(std::move(name));
  }
  if (error) {
    return Errors(ErrorCode::FileUnreadable, escape_path(folder),
                  "cannot be read as a folder: " + error.message());
  }
  std::ranges::sort(names);
  return names;
}

Result<std::string> find_one_file(const std::string& folder,
                                  const std::vector<std::string_view>& endings,
                                  std::string_view expected) {
  std::vector<std::string> found;
  std::string patterns;
  for (const std::string_view ending : endings) {
    VECC_TRY(const std::vector<std::string> names, list_files(folder, ending));
    found.insert(found.end(), names.begin(), names.end());
    patterns += (patterns.empty() ? "*" : " or *") + std::string(ending);
  }
  if (found.size() == 1) return found.front();
  const std::string count = found.empty() ? "no file " + patterns
                                          : std::to_string(found.size()) + " files " + patterns +
                                                " (\"" + escape_terminal(found[0]) + "\", \"" +
                                                escape_terminal(found[1]) + "\"" +
                                                (found.size() > 2 ? ", ...)" : ")");
  return Errors(ErrorCode::FileUnreadable, escape_path(folder),
                "has " + count + ", expected one, with " + std::string(expected));
}

std::string name_of_data(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  const fs::path last = (error ? fs::path(path) : whole).filename();
  const std::string name = last.string();
  return is_folder(path) ? name : name.substr(0, std::max<std::size_t>(name.find('.', 1), 1));
}

std::string escape_path(std::string_view path) {
  return escape_terminal(path, 4096);
}

}  // namespace vecc::tools
