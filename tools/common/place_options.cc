#include "tools/common/place_options.h"

#include <CLI/CLI.hpp>
#include <limits>
#include <string>
#include <vector>

#include "tools/common/number_options.h"

namespace vecc::tools {
namespace {

// `TABLE=device|host|file`; a table's name may have a "=".
PlaceOptions::Wish parse_wish(const std::string& text) {
  const std::size_t at = text.rfind('=');
  if (at != std::string::npos && at > 0) {
    if (const auto place = parse_table_place(text.substr(at + 1)))
      return {text.substr(0, at), *place};
  }
  throw CLI::ValidationError("--place", "found \"" + text +
                                            "\", expected TABLE=device, TABLE=host or TABLE=file, "
                                            "where TABLE is a weight's name");
}

}  // namespace

void add_place_options(CLI::App& app, PlaceOptions& places) {
  add_size(app, "--gpu-memory", places.device_bytes, {1, std::numeric_limits<std::uint64_t>::max()},
           "The GPU's memory to use at most (8G). Tables of weights, facts and moments that do not "
           "fit are in the host's memory, pinned, where kernels read the rows that they need. "
           "Needs --backend=cuda")
      ->default_str("what is free");
  app.add_option_function<std::vector<std::string>>(
         "--place",
         [&places](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) places.wishes.push_back(parse_wish(text));
         },
         "Where a table is: TABLE is a weight's or a state's name, or a fact's groups. Again for "
         "each table. --backend=cuda has device and host; --backend=cpu has host, the machine's "
         "memory, and file: pages of a mapped file, which the system drops where memory is short "
         "(docs/cpu.md)")
      ->type_name("TABLE=device|host|file")
      ->allow_extra_args(false);
  app.add_option("--place-folder", places.folder,
                 "Where files of tables are, without names there; default: the folder of caches. "
                 "With --place=TABLE=file or --host-memory")
      ->type_name("DIR");
}

}  // namespace vecc::tools
