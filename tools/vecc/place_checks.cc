#include "place_checks.h"

#include <algorithm>
#include <string_view>

namespace vecc::tools {
namespace {

// What each backend that places tables has; empty: it places none.
std::string_view places_of(std::string_view backend) {
  if (backend == "cuda") return "device or host";
  if (backend == "cpu") return "host or file";
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
  const bool has_files =
      std::ranges::find(wishes, TablePlace::File, &PlaceOptions::Wish::place) != wishes.end();
  if (o.places.folder.empty() || has_files || o.host_memory > 0) return {};
  return "--place-folder needs --place=TABLE=file or --host-memory";
}

}  // namespace vecc::tools
