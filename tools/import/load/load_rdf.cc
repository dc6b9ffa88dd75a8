#include <filesystem>

#include "tools/import/load/loaders.h"
#include "tools/import/load/parse.h"

namespace vecc::tools {

Result<TypedGraph> load_rdf(const std::string& path) {
  std::string file = path;
  if (is_folder(path)) {
    VECC_TRY(const std::string name,
             find_one_file(path, {".nt", ".nt.gz", ".nt.zst"}, "triples of RDF"));
    file = join_path(path, name);
  }
  const std::string folder = std::filesystem::path(file).parent_path().string();
  constexpr std::string_view kExpected = "a header and an instance a line";
  VECC_TRY(const TextFile triples, read_text_file(file, "a triple a line"));
  VECC_TRY(const auto train, read_if_there(join_path(folder, "trainingSet.tsv"), kExpected));
  VECC_TRY(const auto test, read_if_there(join_path(folder, "testSet.tsv"), kExpected));
  return parse_rdf({name_of_data(path), triples.text(), text_of(train), text_of(test)});
}

}  // namespace vecc::tools
