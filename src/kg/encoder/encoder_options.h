// Layers over the triples of a knowledge graph that make what a score reads of an entity.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "vecc/error.h"

namespace vecc::kg {

/// The formulas are those of docs/architectures.md, "Typed graphs".
enum class EncoderKind : std::uint8_t {
  None,  ///< a score reads learned rows of entities themselves
  Rgcn,  ///< Schlichtkrull et al. 2018
  Rgat,  ///< Busbridge et al. 2019
  Hgt,   ///< Hu et al. 2020, of one type of nodes
};
/// none, rgcn, rgat, hgt; empty after the last.
[[nodiscard]] std::string_view text_of(EncoderKind kind);

struct EncoderOptions {
  EncoderKind kind = EncoderKind::None;
  std::uint32_t layers = 2;
  /// Numbers of an entity's learned row, then of the result of each layer but the last, whose are
  /// those that the score reads: one number a layer. Empty: all are as many as the score reads.
  std::vector<std::uint32_t> widths;
  /// rgcn: matrices are sums of so many, W_r = sum of a_rb V_b; 0: each relation has its own.
  std::uint32_t bases = 0;
  std::uint32_t heads = 1;  ///< rgat, hgt: divides the width of each layer's result
  /// rgcn, rgat: a layer's result has W_0 x beside its messages. hgt: where a layer's widths are
  /// equal, a gate mixes x into its result.
  bool self_loops = true;
  /// With which probability a step leaves a triple's message edges out.
  double edge_dropout = 0;
  /// A step leaves the message edges of its positives out: no message says what is asked.
  bool leaves_scored_out = false;
  /// By relation, which of them is its inverse, if each triple also stands the other way round
  /// (reciprocal relations); then triples are the message edges. Empty: beside each triple's edge
  /// stands a reversed one, whose type is the relation's number behind all relations.
  std::vector<std::uint32_t> inverse;

  /// Whether steps leave edges out.
  [[nodiscard]] bool has_mask() const { return edge_dropout > 0 || leaves_scored_out; }
};

/// The widths of layer 0 (learned rows), 1, ..., the last: `width` numbers, those that the score
/// reads of an entity.
[[nodiscard]] std::vector<std::uint32_t> layer_widths(const EncoderOptions& options,
                                                      std::uint32_t width);

/// What an encoder stands between.
struct EncoderSize {
  std::uint64_t entities = 0;
  std::uint64_t relations = 0;
  std::uint64_t width = 0;  ///< numbers of an entity that the score reads
};

/// Errors: Usage (options that the encoder does
/// not have, or that do not divide a width), LimitShape (an entity's row or a matrix of more than
/// 2^28 numbers, a table of more
/// than 2^40), LimitRows (a table of more rows than 32 bits number).
[[nodiscard]] Result<void> check_encoder_options(const EncoderOptions& options,
                                                 const EncoderSize& size);

}  // namespace vecc::kg
