// The files of a data set as bytes, before any of them is parsed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"

namespace vecc::tools {

/// What a parser reads: bytes, and the name that stands for them in errors ("MUTAG_A.txt";
/// escaped).
struct Text {
  std::string name;
  std::string_view bytes;
};

/// A file's bytes, decompressed where they are gzip or zstd.
struct TextFile {
  std::string name;  ///< without its folder; escaped
  std::string bytes;

  [[nodiscard]] Text text() const { return {name, bytes}; }
};

/// Errors, with the path as place: FileUnreadable, FileEmpty (`expected` says what should be there:
/// "an edge a line"), FileTruncated, BadCompression, LimitBytes (64 GiB, after decompression).
[[nodiscard]] Result<TextFile> read_text_file(const std::string& path, std::string_view expected);

/// The same for a file that a data set may lack.
[[nodiscard]] Result<std::optional<TextFile>> read_if_there(const std::string& path,
                                                            std::string_view expected);
[[nodiscard]] std::optional<Text> text_of(const std::optional<TextFile>& file);

/// Whether there is something at `path` that is not a folder.
[[nodiscard]] bool is_file(const std::string& path);
/// Whether `path` is a folder.
[[nodiscard]] bool is_folder(const std::string& path);
/// `folder/name`.
[[nodiscard]] std::string join_path(const std::string& folder, std::string_view name);
/// Names of the files in a folder that end with `ending`, ascending. Error FileUnreadable, with the
/// path as place: there is no such folder, or it may not be read.
[[nodiscard]] Result<std::vector<std::string>> list_files(const std::string& folder,
                                                          std::string_view ending);
/// The one file in `folder` that ends with one of `endings`; `expected` says what it holds. Error
/// FileUnreadable: there is none, or there are several.
[[nodiscard]] Result<std::string> find_one_file(const std::string& folder,
                                                const std::vector<std::string_view>& endings,
                                                std::string_view expected);
/// What a data set is called: the folder's own name, or a file's up to its first dot.
[[nodiscard]] std::string name_of_data(const std::string& path);
/// A path as errors show it.
[[nodiscard]] std::string escape_path(std::string_view path);

}  // namespace vecc::tools
