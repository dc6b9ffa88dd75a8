#include "place_checks.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "vecc/escape.h"

namespace vecc::tools {
namespace {

// What each backend that places tables has; empty: it places none.
std::string_view places_of(std::string_view backend) {
  if (backend == "cuda") return "device or host";
  if (backend == "cpu") return "host or file";
  return {};
}

// A table that is asked for in two places.
std::string check_one_place(const std::vector<PlaceOptions::Wish>& wishes) {
  std::map<std::string_view, TablePlace> places;
  for (const PlaceOptions::Wish& wish : wishes) {
    const TablePlace first = places.try_emplace(wish.table, wish.place).first->second;
    if (first == wish.place) continue;
    return "--place: \"" + escape_terminal(wish.table, 200) + "\" has two places, " +
           std::string(text_of(first)) + " and " + std::string(text_of(wish.place)) +
           ", expected one for each table";
  }
  return {};
}

bool has_place(std::string_view backend, TablePlace place) {
  return place == TablePlace::Host || (place == TablePlace::Device) == (backend == "cuda");
}

}  // namespace

std::string check_place_options(const Options& o) {
  if (o.places.device_bytes != 0 && o.backend != "cuda") return "--gpu-memory needs --backend=cuda";
  const std::string_view there = places_of(o.backend);
  for (const PlaceOptions::Wish& wish : o.places.wishes) {
    const std::string place(text_of(wish.place));
    if (there.empty()) {
      const bool is_cuda = wish.place == TablePlace::Device;
      return "--place=TABLE=" + place + " needs --backend=" + (is_cuda ? "cuda" : "cpu") +
             (wish.place == TablePlace::Host ? " or cuda" : "");
    }
    if (has_place(o.backend, wish.place)) continue;
    return "--place=TABLE=" + place + " is not of --backend=" + o.backend +
           ", where a table may be in " + std::string(there);
  }
  const auto& wishes = o.places.wishes;
  if (std::string problem = check_one_place(wishes); !problem.empty()) return problem;
  const bool has_files =
      std::ranges::find(wishes, TablePlace::File, &PlaceOptions::Wish::place) != wishes.end();
  if (o.places.folder.empty() || has_files || o.host_memory > 0) return {};
  return "--place-folder needs --place=TABLE=file or --host-memory";
}

}  // namespace vecc::tools
