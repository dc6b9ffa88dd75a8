#include "src/function/differentiate.h"

namespace vecc {

bool derivative_reads_argument(const TransformationSpec& spec) {
  switch (info(spec.id).derivative) {
    case FunctionDerivative::Argument:
    case FunctionDerivative::Both: return true;
    case FunctionDerivative::BySlope: return !(spec.slope >= 0);  // else y > 0 only where x > 0
    case FunctionDerivative::Result:
    case FunctionDerivative::Nothing:
    case FunctionDerivative::Zero: return false;
  }
  fail_check("known derivative", __FILE__, __LINE__, std::string(info(spec.id).text));
}

bool derivative_reads_result(const TransformationSpec& spec) {
  switch (info(spec.id).derivative) {
    case FunctionDerivative::Result:
    case FunctionDerivative::Both: return true;
    case FunctionDerivative::BySlope: return spec.slope >= 0;
    case FunctionDerivative::Argument:
    case FunctionDerivative::Nothing:
    case FunctionDerivative::Zero: return false;
  }
  fail_check("known derivative", __FILE__, __LINE__, std::string(info(spec.id).text));
}

bool derivative_reads_elements(Combination combination) {
  const FunctionDerivative reads = info(combination).derivative;
  return reads == FunctionDerivative::Argument || reads == FunctionDerivative::Both;
}

bool derivative_reads_result(Combination combination) {
  const FunctionDerivative reads = info(combination).derivative;
  return reads == FunctionDerivative::Result || reads == FunctionDerivative::Both;
}

}  // namespace vecc
