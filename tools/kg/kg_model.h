// A trained model of a knowledge graph by names, and triples of a data set by its numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/kg/embeddings.h"
#include "src/kg/triple.h"
#include "tools/import/load/name_table.h"
#include "tools/import/load/triple_layout.h"
#include "vecc/error.h"
#include "vecc/neuron_graph.h"

namespace vecc::tools {

/// A --model that is a formula with a name.
inline constexpr const char* kTucker = "tucker";

struct KgModelOptions {
  std::string weights;
  std::string model;      ///< "transe"; empty: the weights say it
  std::uint32_t p = 0;    ///< 0: the weights say it, else 1
  std::string entities;   ///< a file of names, a line an entity; empty: the weights have them
  std::string relations;  ///< the same of relations
  std::uint64_t max_bytes = WeightLimits().max_bytes;
};

struct KgModel {
  kg::Embeddings embeddings;
  NameTable entities;
  NameTable relations;
};

/// Errors: those of read_weights() and read_embeddings(); Usage (no such model; the weights say
/// none and no option does; they have no names and no file gives them); WeightsDiffer (they say
/// another model or p); of files of names FileUnreadable, FileEmpty, BadTable (other than a name a
/// row), DuplicateName.
[[nodiscard]] Result<KgModel> load_kg_model(const KgModelOptions& options);

struct KgTriples {
  std::vector<kg::Triple> triples;
  std::vector<Split> split;  ///< by triple, or empty: no split
};

/// The triples of a folder or file (load_triples()) by the model's numbers, repeated ones as often
/// as they are there. Errors: those of load_triples(); WeightsDiffer for names that the model does
/// not know.
[[nodiscard]] Result<KgTriples> load_kg_triples(const KgModel& model, const std::string& path,
                                                TripleLayout layout = {});

/// A name's number. Error: Usage, with the nearest name; `place` says where it stands.
[[nodiscard]] Result<std::uint32_t> find_entity(const KgModel& model, std::string_view name,
                                                const std::string& place);
[[nodiscard]] Result<std::uint32_t> find_relation(const KgModel& model, std::string_view name,
                                                  const std::string& place);

/// By relation: the number of NAME^-1, of NAME^-1 that of NAME, or kg::kNoInverse.
[[nodiscard]] std::vector<std::uint32_t> inverse_relations(const NameTable& relations);

/// inverse_relations(), to ask for heads by; empty where no relation that is `asked` for heads has
/// one. Error: BadSample (some have one and some have none; `place` says who asks).
[[nodiscard]] Result<std::vector<std::uint32_t>> choose_inverse(
    const NameTable& relations, std::span<const std::uint32_t> asked, const std::string& place);

}  // namespace vecc::tools
