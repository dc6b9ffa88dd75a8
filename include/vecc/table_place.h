// Where the tables of a Program (facts, parameters, states) are while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/program.h"

namespace vecc {

enum class TablePlace : std::uint8_t {
  Device,  ///< the GPU's memory
  Host,    ///< the host's; for a GPU pinned and mapped: kernels read the rows that they need
  File,    ///< a mapped file, of the cpu backend: the system drops its pages and reads them again
};
/// device, host, file.
[[nodiscard]] std::string_view text_of(TablePlace place);
[[nodiscard]] std::optional<TablePlace> parse_table_place(std::string_view text);

/// What is asked for; without any of it all tables are on the device if they fit, those of the cpu
/// backend in memory.
struct PlaceOptions {
  struct Wish {
    std::string table;  ///< a parameter's or a state's name; a fact's groups, without any %12
    TablePlace place = TablePlace::Device;
  };
  std::uint64_t device_bytes = 0;  ///< of the GPU's memory at most; 0: what is free
  std::vector<Wish> wishes;
  std::string folder;  ///< of files; empty: `tables` in the cache folder
};

/// Whether there is a table of each wish. `of_steps`: a state of a training may be one that the
/// Program, a forward pass, has not (`adam.m/w`, by the parameter). Error: Usage, with the names.
[[nodiscard]] Result<void> check_places(const PlaceOptions& places, const Program& program,
                                        bool of_steps);

}  // namespace vecc
