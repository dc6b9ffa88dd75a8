#include "tools/import/load/loaders.h"
#include "tools/import/load/parse.h"

namespace vecc::tools {

Result<TypedGraph> load_triples(const std::string& path) {
  constexpr std::string_view kExpected = "a triple a line";
  const std::string name = name_of_data(path);
  if (!is_folder(path)) {
    VECC_TRY(const TextFile whole, read_text_file(path, kExpected));
    return parse_triples({name, whole.text(), {}, {}, {}});
  }
  VECC_TRY(const auto train, read_if_there(join_path(path, "train.txt"), kExpected));
  VECC_TRY(const auto valid, read_if_there(join_path(path, "valid.txt"), kExpected));
  VECC_TRY(const auto test, read_if_there(join_path(path, "test.txt"), kExpected));
  if (!train && !valid && !test) {
    return Errors(ErrorCode::FileUnreadable, escape_path(path),
                  "has none of train.txt, valid.txt and test.txt");
  }
  return parse_triples({name, {}, text_of(train), text_of(valid), text_of(test)});
}

}  // namespace vecc::tools
