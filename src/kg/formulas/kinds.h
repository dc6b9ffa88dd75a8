// Kinds of scores, losses and optimizers, for the host and for kernels.
//
// The files of this folder are what a training computes of a number, once: the CPU's code includes
// them, and the text of the GPU's kernels begins with them (formulas_text()). So they are C++17,
// include nothing of their own but each other, and name nothing of the standard library that
// numbers.h does not name for both.
#pragma once

namespace vecc::kg {

enum class ScoreModel : unsigned char {
  TransE,    ///< -norm_p(h + r - t), p = 1 or 2 (Bordes et al. 2013)
  TransH,    ///< -|h' + r - t'|^2, x' = x - (w.x) / (w.w) w (Wang et al. 2014)
  TransR,    ///< -|M h + r - M t|^2 (Lin et al. 2015)
  TransF,    ///< (h + r) . t + h . (t - r) (Feng et al. 2016)
  Rescal,    ///< h . M t (Nickel et al. 2011)
  DistMult,  ///< sum of h_k r_k t_k (Yang et al. 2015)
  ComplEx,   ///< real part of the sum of h_k r_k conj(t_k) (Trouillon et al. 2016)
  RotatE,    ///< -sum |h_k r_k / |r_k| - t_k| of complex numbers (Sun et al. 2019)
  Formula,   ///< what a user writes (score_formula/score_formula.h)
};

/// What a score is of a query q and an entity e; a NaN among the scores of many becomes -infinity.
enum class TileKind : unsigned char {
  Projection,  ///< q . e, no score: NaN stays
  Product,     ///< q . e + bias
  L1,          ///< -sum |q - e|
  SquaredL2,   ///< -sum (q - e)^2
  L2,          ///< -sqrt(sum (q - e)^2)
  ComplexL1,   ///< -sum |q - e| of complex numbers: real parts first, then as many imaginary ones
};

enum class TripleLoss : unsigned char {
  Margin,    ///< sum of w_j max(0, margin - s + s_j) (Bordes et al. 2013)
  Logistic,  ///< softplus(-(margin + s)) + sum of w_j softplus(margin + s_j) (Trouillon et al.
             ///< 2016; with a margin, Sun et al. 2019)
  Softmax,   ///< -log(exp s / (exp s + sum of exp s_j)) (Joulin et al. 2017)
};

/// How a row moves by its gradient. Of adam and lazy-adam a row that moves moves in the same way.
enum class RowOptimizer : unsigned char { Sgd, Adagrad, Adam };

/// Which side of a triple is asked for.
enum class Side : unsigned char { Head, Tail };

/// What random numbers are drawn for.
enum class DrawStream : unsigned char {
  Order,            ///< of an epoch's triples
  Sides,            ///< which side of a triple is replaced
  Negatives,        ///< by what
  EntityDropout,    ///< which numbers of entities a step leaves out
  RelationDropout,  ///< of relations
  Answers,          ///< k-vs-all: which answer stands for a query's
  MessageEdges,     ///< which edges an encoder leaves out
};

}  // namespace vecc::kg
