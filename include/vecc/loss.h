// Losses as ops of a Program: errors, their sum, and the gradients that reverse mode starts from.
// Formulas, and where NeuraLogic differs: docs/training.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "vecc/backend.h"
#include "vecc/differentiate.h"
#include "vecc/error.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc {

enum class Loss : std::uint8_t {
  SquaredDiff,         ///< mean over the elements of (o - t)^2
  AbsoluteDiff,        ///< mean over the elements of |o - t|
  CrossEntropy,        ///< of probabilities; a scalar: of the class t > 0.5
  SoftEntropy,         ///< cross-entropy of logits
  BinaryCrossEntropy,  ///< the sum over the elements of the scalar SoftEntropy: one class each
  MarginRanking,       ///< max(0, margin - (positive - negative)) of pairs of samples
};
/// squared_diff, absolute_diff, crossentropy, softentropy, binary_crossentropy, margin_ranking;
/// none for other text.
[[nodiscard]] std::optional<Loss> parse_loss(std::string_view text);
[[nodiscard]] std::string_view text_of(Loss loss);

/// How the errors of samples (of pairs) become one number.
enum class Reduction : std::uint8_t {
  Sum,   ///< NeuraLogic's of scalars
  Mean,  ///< over those whose weight is not 0
  /// NeuraLogic's and PyTorch's: SquaredDiff and AbsoluteDiff are the sum over a sample's elements,
  /// not their mean.
  ElementSum,
  ElementMean,  ///< the same divided by the number of elements of all targets together
};
[[nodiscard]] std::optional<Reduction> parse_reduction(std::string_view text);
[[nodiscard]] std::string_view text_of(Reduction reduction);

struct LossOptions {
  Loss loss = Loss::SquaredDiff;
  Reduction reduction = Reduction::Mean;
  double margin = 1;  ///< MarginRanking
  /// NeuraLogic's own gradients also where they are not those of the error.
  bool neuralogic_gradients = false;
};

/// Samples of a Program, by their numbers in it.
struct RankedPair {
  std::uint32_t positive = 0;
  std::uint32_t negative = 0;
  bool operator==(const RankedPair&) const = default;
};

/// What a loss compares outputs with.
struct LossSamples {
  /// In sample order, each as long as its output, row-major, one after another. None for a ranking.
  std::vector<double> targets;
  /// What the error of each sample counts, of each pair for a ranking; 0 leaves it out.
  std::vector<double> weights;
  std::vector<RankedPair> pairs;  ///< MarginRanking
  double divisor = 1;             ///< what the reduction divided all weights by
};

/// Which samples of a graph a Program has, and which of them count.
struct SampleChoice {
  /// By sample of the Program: the graph's; empty: all, in order.
  std::span<const std::uint32_t> samples = {};
  /// Others weigh 0. A sample without a split counts as one for training.
  std::optional<Split> split = std::nullopt;
};

/// Targets, weights and pairs of a graph's samples. A sample weighs what the graph says, a pair the
/// product of its two samples; with Reduction::Mean, all are divided by the number of those that
/// are not 0, with ElementSum multiplied by what the loss's mean divides by, with ElementMean both
/// that and divided by the number of all targets' elements. Left out, too: a sample without a
/// target; in a ranking, one without a role. A ranking pairs every positive of a group with every
/// negative of it. Errors: Usage (another number of samples than the Program's), BadSample (a
/// target of another size than its output, NaN targets; up to 20), LimitRows (too many pairs).
[[nodiscard]] Result<LossSamples> loss_samples(const NeuronGraph& graph, const Program& program,
                                               const SampleChoice& choice,
                                               const LossOptions& options);

struct LossOps {
  std::vector<Seed> seeds;              ///< one an `output` op: where reverse mode starts
  std::vector<ValueId> outputs;         ///< those
  std::vector<ValueId> errors;          ///< by output: a scalar a row; a ranking: one, by pair
  std::vector<ParameterIndex> targets;  ///< by output; none for a ranking
  std::vector<ParameterIndex> weights;  ///< as `errors`: a scalar a row
  ValueId total = 0;                    ///< the sum of weight * error: one scalar
};

/// Targets and weights: what is an executable's own where the rest is shared.
[[nodiscard]] std::vector<ParameterIndex> own_parameters(const LossOps& ops);

/// Appends the loss of all `output` ops. A loss of logits reads the values before an output's own
/// sigmoid or softmax (logit_function()), so that no exponential overflows and no logarithm of 0 is
/// taken. Targets and weights become parameters "target/K" and
/// "sample_weight/K" of output K ("pair_weight" for a ranking), because a run may set others; they
/// are never learned. A ranking without pairs is 0, and so are its gradients. Errors: Usage (no
/// output; samples that do not fit the Program; a ranking of outputs with more than one element),
/// DuplicateName, LimitRows.
[[nodiscard]] Result<LossOps> append_loss(Program& program, LossSamples samples,
                                          const LossOptions& options);

/// The parameters' values for other targets and weights of the same samples (the same pairs).
[[nodiscard]] std::vector<ParameterValues> loss_values(const Program& program, const LossOps& ops,
                                                       const LossSamples& samples);

/// What a Program's outputs went through last.
enum class OutputFunction : std::uint8_t {
  Raw,  ///< none of the others: linear, tanh, relu
  Sigmoid,
  Softmax,
  Sparsemax,
  Mixed,  ///< several of these
};
/// raw, sigmoid, softmax, sparsemax, mixed
[[nodiscard]] std::string_view text_of(OutputFunction function);
[[nodiscard]] OutputFunction output_function(const Program& program);

/// The function that a loss of logits has in itself for outputs of a shape: Sigmoid or Softmax.
/// None for a loss that takes outputs as they are.
[[nodiscard]] std::optional<OutputFunction> logit_function(Loss loss, Shape output);
/// The value without this function in the end, appended where it is not there. None: it does not
/// end with it.
[[nodiscard]] std::optional<ValueId> before_function(Program& program, ValueId value,
                                                     OutputFunction function);
/// Whether outputs are logits to this loss: it takes such, and they are raw.
[[nodiscard]] bool outputs_are_logits(const Program& program, Loss loss);

}  // namespace vecc
