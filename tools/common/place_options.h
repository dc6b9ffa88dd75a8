// --gpu-memory, --place and --place-folder.
#pragma once

#include "vecc/table_place.h"

namespace CLI {
class App;
}  // namespace CLI

namespace vecc::tools {

/// `places` must outlive the parse.
void add_place_options(CLI::App& app, PlaceOptions& places);

}  // namespace vecc::tools
