#include "tools/import/load/loaders.h"
#include "tools/import/load/parse.h"

namespace vecc::tools {

Result<TypedGraph> load_hgb(const std::string& directory) {
  constexpr std::string_view kLabels = "a labelled node a line";
  const auto path = [&](std::string_view name) { return join_path(directory, name); };
  if (!is_file(path("node.dat")) && is_file(path("node.dat.xz"))) {
    return Errors(ErrorCode::FileUnreadable, escape_path(path("node.dat")),
                  "is not there, but node.dat.xz is: unpack it (xz -dk node.dat.xz)");
  }
  VECC_TRY(const TextFile nodes, read_text_file(path("node.dat"), "a node a line"));
  VECC_TRY(const TextFile links, read_text_file(path("link.dat"), "a link a line"));
  VECC_TRY(const auto train, read_if_there(path("label.dat"), kLabels));
  VECC_TRY(const auto test, read_if_there(path("label.dat.test"), kLabels));
  VECC_TRY(const auto info, read_if_there(path("info.dat"), "JSON"));
  return parse_hgb({name_of_data(directory), nodes.text(), links.text(), text_of(train),
                    text_of(test), text_of(info)});
}

}  // namespace vecc::tools
