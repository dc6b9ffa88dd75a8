// What the commands that measure embeddings of triples have in common.
#pragma once

#include <cstdint>
#include <string>

#include "src/kg/train/triple_trainer.h"

namespace vecc::tools {

/// FB15k-237's.
inline constexpr std::uint32_t kKgEntities = 14541;
inline constexpr std::uint32_t kKgRelations = 237;

/// `options` of one of --models. Error: Usage.
[[nodiscard]] Result<kg::TripleTrainOptions> options_of_model(const kg::TripleTrainOptions& options,
                                                              const std::string& model);

}  // namespace vecc::tools
