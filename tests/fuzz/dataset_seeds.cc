// Writes small data sets for dataset_fuzz: dataset_seeds FOLDER. Together they have every file and
// every kind of field that the loaders read.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

using namespace std::string_view_literals;

namespace {

// The first byte is the loader's number in dataset_fuzz.
constexpr std::string_view kSeeds[] = {
    "\x00"
    "1, 2\n2,1\r\n3, 3\n\x1e"
    "1\n1\n2\n\x1e"
    "1\n-1\n\x1e"
    "0\n7\n0\n\x1e"
    "5\n5\n6\n\x1e"
    " 1.5, -2e3\n0,1\n3,4\n"sv,
    "\x01"
    "a\tr\tb\r\nb\ts\tc\na\tr\tb\n\n"sv,
    "\x02"
    "a\tr\tb\n\x1e"
    "\xC3\xA9\tr\ta\n\x1e"
    "b\tr\tb\n"sv,
    "\x03"
    "# comment\n<http://x/a> <http://x/r> _:b0 .\n_:b0 <http://x/r> \"t\\u00E9\\n\"@en-GB .\n"
    "_:b0 <http://x/s> \"7\"^^<http://x/int> . # end\n\x1e"
    "id\tperson\tlabel_x\n1\thttp://x/a\tyes\n\x1e"
    "person\tlabel_x\n_:b0\tno\n"sv,
    "\x04"
    "0\tOn\t0\t1,0.5\n2\tAnn\t1\n1\t\t0\t0,-2\n\x1e"
    "0\t2\t1\t1.0\n2\t0\t0\t1\n\x1e"
    "0\tOn\t0\t2\n\x1e"
    "1\t\t0\t1,2\n\x1e"
    "{\"node.dat\": {\"node type\": {\"0\": \"paper\"}}, \"link.dat\": {\"link type\": {\"0\": "
    "{\"meaning\": \"by\"}}}, \"label.dat\": {\"node type\": {\"0\": {\"1\": \"logic\"}}}}"sv,
    "\x05"
    "h,t,r\n\"a, \"\"b\"\"\",c,r\r\nc,\"x\ny\",s,more\n\x1e"
    "entity,type\nc,t\n"sv,
    "\x06"
    "h t r\n  a b\tr \nb a s more\n\x1e"
    "entity type\na t\nb u\n"sv,
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: dataset_seeds FOLDER\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  int number = 0;
  for (const std::string_view seed : kSeeds) {
    const auto path = std::filesystem::path(argv[1]) / ("dataset" + std::to_string(number++));
    std::ofstream(path, std::ios::binary) << seed;
  }
  return 0;
}
