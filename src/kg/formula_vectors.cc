#include "src/kg/formula_vectors.h"

#include "vecc/error.h"

namespace vecc::kg {

TileKind tile_kind_of(PairKind kind) {
  switch (kind) {
    case PairKind::Product: return TileKind::Product;
    case PairKind::L1: return TileKind::L1;
    case PairKind::SquaredL2: return TileKind::SquaredL2;
    case PairKind::L2: return TileKind::L2;
    case PairKind::Other: break;
  }
  VECC_CHECK(false, "a score that is no sum over dimensions");
}

template <class T>
FormulaVectors<T>::FormulaVectors(const ScoreCode& code, const T* shared) : code_(&code) {
  for (const ScoreParameter& parameter : code.shared()) {
    shared_.push_back(shared + parameter.begin);
  }
}

template <class T>
ScoreOperands FormulaVectors<T>::operands() const {
  ScoreOperands operands;
  operands.shared = shared_;
  return operands;
}

template <class T>
void FormulaVectors<T>::make_queries(Side asked, const T* entity_rows, const std::uint32_t* anchors,
                                     const T* relation_rows, const std::uint32_t* relations,
                                     std::uint32_t count, T* out) const {
  ScoreOperands operands = this->operands();
  operands[ScoreArray::OwnRow] = {entity_rows, anchors};
  operands[ScoreArray::RelationRow] = {relation_rows, relations};
  operands[ScoreArray::Made] = {out};
  side(asked).make_query.run(operands, 0, count);
}

template <class T>
void FormulaVectors<T>::make_answers(Side asked, const T* entity_rows, const std::uint32_t* rows,
                                     std::uint32_t count, T* out) const {
  ScoreOperands operands = this->operands();
  operands[ScoreArray::OwnRow] = {entity_rows, rows};
  operands[ScoreArray::Made] = {out};
  side(asked).make_answer.run(operands, 0, count);
}

template <class T>
void FormulaVectors<T>::score(Side asked, const T* query, const T* answers, std::uint32_t count,
                              T* out) const {
  ScoreOperands operands = this->operands();
  operands[ScoreArray::Query] = {query};
  operands[ScoreArray::Answer] = {answers};
  operands[ScoreArray::Score] = {out};
  side(asked).score.run(operands, 0, 1, count);
}

template class FormulaVectors<float>;
template class FormulaVectors<double>;

}  // namespace vecc::kg
