#include "src/function/differentiate.h"

namespace vecc {

bool derivative_reads_argument(const TransformationSpec& spec) {
  switch (spec.id) {
    case Transformation::LeakyRelu: return !(spec.slope >= 0);  // else y > 0 only where x > 0
    case Transformation::Lukasiewicz:
    case Transformation::Log:
    case Transformation::Gelu:
    case Transformation::Abs:
    case Transformation::Square:
    case Transformation::Norm: return true;
    case Transformation::Identity:
    case Transformation::Sigmoid:
    case Transformation::Tanh:
    case Transformation::Signum:
    case Transformation::Relu:
    case Transformation::Exp:
    case Transformation::Sqrt:
    case Transformation::Inverse:
    case Transformation::Reverse:
    case Transformation::Transp:
    case Transformation::Softmax:
    case Transformation::Sparsemax:
    case Transformation::LogSoftmax:
    case Transformation::Slice:
    case Transformation::Reshape:
    case Transformation::AtIndex:
    case Transformation::Broadcast: return false;
  }
  fail_check("known transformation", __FILE__, __LINE__, std::string(info(spec.id).text));
}

bool derivative_reads_result(const TransformationSpec& spec) {
  switch (spec.id) {
    case Transformation::LeakyRelu: return spec.slope >= 0;
    case Transformation::Sigmoid:
    case Transformation::Tanh:
    case Transformation::Relu:
    case Transformation::Exp:
    case Transformation::Sqrt:
    case Transformation::Inverse:
    case Transformation::Norm:
    case Transformation::Softmax:
    case Transformation::Sparsemax:
    case Transformation::LogSoftmax: return true;
    case Transformation::Identity:
    case Transformation::Signum:
    case Transformation::Lukasiewicz:
    case Transformation::Log:
    case Transformation::Reverse:
    case Transformation::Transp:
    case Transformation::Slice:
    case Transformation::Reshape:
    case Transformation::AtIndex:
    case Transformation::Gelu:
    case Transformation::Abs:
    case Transformation::Square:
    case Transformation::Broadcast: return false;
  }
  fail_check("known transformation", __FILE__, __LINE__, std::string(info(spec.id).text));
}

bool derivative_reads_elements(Combination combination) {
  switch (combination) {
    case Combination::Max:
    case Combination::Min:
    case Combination::Product:
    case Combination::ElProduct:
    case Combination::CosSim:
    case Combination::FunctionGraph: return true;
    case Combination::Sum:
    case Combination::Avg:
    case Combination::Count:
    case Combination::Concat:
    case Combination::Softmax:
    case Combination::Sparsemax:
    case Combination::CrossSum: return false;
  }
  fail_check("known combination", __FILE__, __LINE__, std::string(info(combination).text));
}

bool derivative_reads_result(Combination combination) {
  switch (combination) {
    case Combination::Softmax:
    case Combination::Sparsemax:
    case Combination::CosSim: return true;
    case Combination::Sum:
    case Combination::Avg:
    case Combination::Max:
    case Combination::Min:
    case Combination::Count:
    case Combination::Concat:
    case Combination::Product:
    case Combination::ElProduct:
    case Combination::CrossSum:
    case Combination::FunctionGraph: return false;
  }
  fail_check("known combination", __FILE__, __LINE__, std::string(info(combination).text));
}

}  // namespace vecc
