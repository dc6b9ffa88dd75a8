// The cases of vecc-bench peers by their lines, as tools/bench/pyg/cases.py reads them too.
#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "ground_graph.h"
#include "peers_bench.h"

namespace vecc::tools {
namespace {

struct PeerSet {
  std::string_view name;
  std::string_view import;  // vecc-import's command
  // In --data; of the source tree where it begins with datasets/; empty: it is drawn at random.
  std::string_view folder;
  bool small_graphs;
};
constexpr std::array kSets{
    PeerSet{"MUTAG", "tu", "tu_MUTAG", true},
    PeerSet{"ENZYMES", "tu", "tu_ENZYMES", true},
    PeerSet{"PROTEINS", "tu", "tu_PROTEINS", true},
    PeerSet{"NCI1", "tu", "tu_NCI1", true},
    PeerSet{"DD", "tu", "tu_DD", true},
    PeerSet{"REDDIT-BINARY", "tu", "tu_REDDIT-BINARY", true},
    PeerSet{"molecules", "tu", "datasets/molecules", true},
    PeerSet{"mutagenesis", "sql", "rel_mutagenesis188", true},
    PeerSet{"FB15k-237", "kg", "kg_FB15k-237", false},
    PeerSet{"WN18", "kg", "kg_WN18", false},
    PeerSet{"AIFB", "rdf", "rdf_AIFB", false},
    PeerSet{"MUTAG-RDF", "rdf", "rdf_MUTAG", false},
    PeerSet{"ACM", "hgb", "hgb_ACM", false},
    PeerSet{"synth", "synth", "", false},
};

}  // namespace

std::vector<std::string> default_peer_cases(bool on_gpu) {
  if (on_gpu) {
    return {"MUTAG gcn --dim=10",
            "ENZYMES gcn --dim=10",
            "PROTEINS gcn --dim=10",
            "MUTAG sage --dim=10",
            "ENZYMES sage --dim=10",
            "PROTEINS sage --dim=10",
            "NCI1 gin --dim=10",
            "DD gin --dim=64",
            "REDDIT-BINARY sage --dim=64",
            "mutagenesis simple",
            "mutagenesis dims",
            "FB15k-237 rgcn --dims=64,64",
            "FB15k-237 rgat --dims=64,64 --attention=shared",
            "FB15k-237 hgt --dims=64,64",
            "FB15k-237 transr --dim=512 --negatives=0 --first=4096",
            "FB15k-237 rescal --dim=512 --negatives=0 --first=4096"};
  }
  return {"MUTAG gcn --dim=10", "ENZYMES gcn --dim=10", "PROTEINS gcn --dim=10",
          "NCI1 gin --dim=10",  "DD gin --dim=64",      "REDDIT-BINARY sage --dim=64",
          "mutagenesis simple", "mutagenesis dims",     "FB15k-237 rgcn --dims=64,64"};
}

bool PeerCase::is_typed() const {
  constexpr std::array kTyped{"rgcn", "rgat", "hgt"};
  return std::ranges::find(kTyped, model) != kTyped.end();
}

bool PeerCase::is_score() const {
  return (import == "kg" || is_random()) && !is_typed() && model != "reach";
}

Result<PeerCase> parse_peer_case(const std::string& line, const std::string& data) {
  PeerCase result;
  result.line = line;
  std::istringstream words(line);
  words >> result.set >> result.model;
  for (std::string word; words >> word;) result.options.push_back(word);
  const auto* set = std::ranges::find(kSets, result.set, &PeerSet::name);
  if (set == kSets.end() || result.model.empty()) {
    std::string known;
    for (const PeerSet& each : kSets) known += " " + std::string(each.name);
    return Errors(ErrorCode::Usage, "--case", "\"" + line + "\" is no SET MODEL; sets:" + known);
  }
  result.small_graphs = set->small_graphs;
  if (result.set == "mutagenesis" && result.model == "simple") {  // shipped as a graph
    result.source = source_file("datasets/mutagenesis.pb");
    return result;
  }
  result.import = set->import;
  if (set->folder.empty()) return result;
  const bool shipped = set->folder.starts_with("datasets/");
  result.source =
      shipped ? source_file(std::string(set->folder)) : data + "/" + std::string(set->folder);
  return result;
}

}  // namespace vecc::tools
