// Templates in files, with their imports.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ground/language/parse.h"
#include "tools/ground/language/parse_template.h"
#include "tools/ground/language/source.h"
#include "tools/import/load/line_reader.h"
#include "tools/import/load/load_errors.h"

namespace vecc::tools::language {
namespace {

// One source of all files: NeuraLogic puts an imported file's lines where its import stands.
class Imports {
 public:
  Imports(const Limits& limits, LoadErrors& errors) : limits_(limits), errors_(errors) {}

  // False: not to be read any further. `place` is that of the import.
  bool add(const std::string& path, const Place& place);

  [[nodiscard]] Source source() const { return {files_, bytes_, segments_}; }

 private:
  void add_lines(const std::string& path, std::uint32_t file, std::string_view bytes);
  bool check(const std::string& path, const Place& place);

  const Limits& limits_;
  LoadErrors& errors_;
  std::vector<std::string> files_;
  std::string bytes_;
  std::vector<Segment> segments_;
  std::vector<std::string> open_;  // canonical paths, from the template to the file being read
};

bool Imports::check(const std::string& path, const Place& place) {
  if (files_.size() == limits_.max_files) {
    errors_.add(ErrorCode::LimitBytes, place,
                [&] { return "more than " + count_of(limits_.max_files, "file"); });
    return false;
  }
  std::error_code ignored;
  const std::string real = std::filesystem::weakly_canonical(path, ignored).string();
  if (std::ranges::find(open_, real) != open_.end()) {
    errors_.add(ErrorCode::Cycle, place,
                [&] { return "\"" + escape_path(path) + "\" imports itself"; });
    return false;
  }
  open_.push_back(real);
  return true;
}

bool Imports::add(const std::string& path, const Place& place) {
  if (!check(path, place)) return false;
  const Result<TextFile> read = read_text_file(path, "rules and facts");
  if (read) {
    const auto file = static_cast<std::uint32_t>(files_.size());
    files_.push_back(read->name);
    add_lines(path, file, read->bytes);
  } else {
    // The place says what names it, the message what is wrong with it.
    const Errors& why = read.error();
    for (const Diagnostic& d : why.list()) {
      if (place.line == 0) {
        errors_.add(Errors(d.code, d.place, d.message));
      } else {
        errors_.add(d.code, place, [&] { return d.place + ": " + d.message; });
      }
    }
  }
  open_.pop_back();
  return read.has_value();
}

void Imports::add_lines(const std::string& path, std::uint32_t file, std::string_view bytes) {
  const Source whole = source_of(files_[file], bytes);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  LineReader lines(whole.bytes);
  std::uint32_t column = whole.segments.front().column;
  bool begins = true;
  while (lines.next()) {
    const auto number = static_cast<std::uint32_t>(lines.number());
    if (!lines.line().starts_with(kImport)) {
      if (begins) segments_.push_back({bytes_.size(), file, number, column});
      begins = false;
      column = 1;
      bytes_.append(lines.line()).push_back('\n');
      continue;
    }
    begins = true;
    std::string names(lines.line().substr(kImport.size()));
    std::erase(names, ' ');
    FieldReader fields(names, ',');
    while (fields.next()) {
      const std::string name(trim(fields.field()));
      const bool absolute = name.starts_with('/') || folder.empty();
      add(absolute ? name : join_path(folder, name), {files_[file], number, 1});
    }
  }
}

}  // namespace

Result<Template> read_template(const std::string& path, const Limits& limits) {
  LoadErrors errors;
  Imports imports(limits, errors);
  imports.add(path, {});
  if (!errors.empty()) return errors.errors();
  Source source = imports.source();
  if (source.segments.empty()) source.segments.emplace_back();
  Template result = parse_template(source, limits, errors);
  if (!errors.empty()) return errors.errors();
  return result;
}

}  // namespace vecc::tools::language
