#include "src/plan/slow_function.h"

#include "vecc/error.h"

namespace vecc {

bool is_slow(Transformation transformation) {
  switch (transformation) {
    case Transformation::Sigmoid:
    case Transformation::Tanh:
    case Transformation::Lukasiewicz:
    case Transformation::Exp:
    case Transformation::Log:
    case Transformation::Gelu: return true;
    case Transformation::Identity:
    case Transformation::Signum:
    case Transformation::Relu:
    case Transformation::LeakyRelu:
    case Transformation::Sqrt:
    case Transformation::Inverse:
    case Transformation::Reverse:
    case Transformation::Abs:
    case Transformation::Square:
    case Transformation::Transp:
    case Transformation::Norm:
    case Transformation::Softmax:
    case Transformation::Sparsemax:
    case Transformation::LogSoftmax:
    case Transformation::Slice:
    case Transformation::Reshape:
    case Transformation::AtIndex:
    case Transformation::Broadcast: return false;
  }
  fail_check("known transformation", __FILE__, __LINE__, std::string(info(transformation).text));
}

}  // namespace vecc
