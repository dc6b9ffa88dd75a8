#include <array>

#include "tools/import/load/loaders.h"
#include "tools/import/load/parse.h"

namespace vecc::tools {
namespace {

constexpr std::string_view kTriple = "a triple a line";
constexpr std::array<std::string_view, 12> kEndings{".txt",     ".tsv",     ".csv",     ".nt",
                                                    ".txt.gz",  ".tsv.gz",  ".csv.gz",  ".nt.gz",
                                                    ".txt.zst", ".tsv.zst", ".csv.zst", ".nt.zst"};
constexpr std::array<std::string_view, 3> kParts{"train", "valid", "test"};

// One part of a folder, in a file of one ending; all parts have one format.
struct Part {
  std::optional<TextFile> file;
  TripleFormat format = TripleFormat::Auto;
};

Result<Part> read_part(const std::string& folder, std::string_view name) {
  Part part;
  for (const std::string_view ending : kEndings) {
    VECC_TRY(auto file,
             read_if_there(join_path(folder, std::string(name) + std::string(ending)), kTriple));
    if (!file) continue;
    if (part.file) {
      return Errors(ErrorCode::FileUnreadable, escape_path(folder),
                    "has " + part.file->name + " and " + file->name + ", expected one of them");
    }
    part.file = std::move(file);
    part.format = format_of_name(part.file->name);
  }
  return part;
}

Result<TypedGraph> load_folder(const std::string& path, TripleTexts texts, TripleLayout layout) {
  VECC_TRY(const Part train, read_part(path, kParts[0]));
  VECC_TRY(const Part valid, read_part(path, kParts[1]));
  VECC_TRY(const Part test, read_part(path, kParts[2]));
  const Part* first = nullptr;
  for (const Part* part : {&train, &valid, &test}) {
    if (!part->file) continue;
    if (first == nullptr) first = part;
    if (layout.format != TripleFormat::Auto || part->format == first->format) continue;
    return Errors(ErrorCode::BadTable, escape_path(path),
                  first->file->name + " and " + part->file->name +
                      " have two formats by their names; --format says which one it is");
  }
  if (first == nullptr) {
    return Errors(
        ErrorCode::FileUnreadable, escape_path(path),
        "has none of train.txt, valid.txt and test.txt (or .tsv, .csv, .nt, with .gz or .zst)");
  }
  if (layout.format == TripleFormat::Auto) layout.format = first->format;
  texts.train = text_of(train.file);
  texts.valid = text_of(valid.file);
  texts.test = text_of(test.file);
  return parse_triples(texts, layout);
}

}  // namespace

std::vector<std::string> triple_files(const std::string& path) {
  if (!is_folder(path)) return {path};
  std::vector<std::string> files;
  for (const std::string_view part : kParts) {
    for (const std::string_view ending : kEndings) {
      files.push_back(join_path(path, std::string(part) + std::string(ending)));
    }
  }
  return files;
}

Result<TypedGraph> load_triples(const std::string& path, const TripleLayout& layout) {
  TripleTexts texts;
  texts.name = name_of_data(path);
  std::optional<TextFile> types;
  if (!layout.types.empty()) {
    VECC_TRY(types, read_text_file(layout.types, "an entity and its type a line"));
    texts.types = text_of(types);
    texts.types_format = format_of_name(layout.types);
  }
  if (is_folder(path)) return load_folder(path, texts, layout);
  VECC_TRY(const TextFile whole, read_text_file(path, kTriple));
  texts.whole = whole.text();
  TripleLayout by_name = layout;
  if (layout.format == TripleFormat::Auto) by_name.format = format_of_name(path);
  return parse_triples(texts, by_name);
}

}  // namespace vecc::tools
