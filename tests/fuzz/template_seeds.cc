// Seeds of template_fuzz: template_seeds FOLDER. The cases of tests/ground, and marks in odd
// places.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#ifndef VECC_SOURCE_DIR
#error "where tests/ground/cases is"
#endif

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const fs::path folder = arguments[1];
  fs::create_directories(folder);
  for (const auto& entry :
       fs::directory_iterator(fs::path(VECC_SOURCE_DIR) / "tests/ground/cases")) {
    const std::string rules = read_file(entry.path() / "template.txt");
    const std::string name = entry.path().filename().string();
    write_file(folder / name, rules + '\x1e' + read_file(entry.path() / "examples.txt"));
    const std::string queries = read_file(entry.path() / "queries.txt");
    if (!queries.empty()) write_file(folder / (name + "-queries"), rules + '\x1e' + queries);
  }
  write_file(folder / "marks",
             "$w [value=[1,2]]\n[a=$b, c={2}] *@p/2 <[[1,2] [3,4]]>\nq :- ^relu a.");
  write_file(folder / "functions",
             "s(X, Y) :- ^slice(0:2, 0:) a(X), b(Y, \"Ox \\\" 1\"). [aggregation=softmax(Y), "
             "combination=elproduct(sum($0, relu($1)), concat[axis=0]($0, $1)), "
             "duplicate_grounding=true]\ns/2 [transformation=reshape(2x3)]\n"
             "h :- a(X). [activation=leakyrelu(0.2), aggregation=concat(axis=0)]\x1e"
             "a(x).");
}
