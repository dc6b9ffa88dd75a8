#include "tools/import/models/models.h"

namespace vecc::tools {

TransformationSpec transformation_of(ModelOutput output) {
  TransformationSpec spec;
  switch (output) {
    case ModelOutput::Auto:
    case ModelOutput::Identity: break;
    case ModelOutput::Sigmoid: spec.id = Transformation::Sigmoid; break;
    case ModelOutput::Softmax: spec.id = Transformation::Softmax; break;
  }
  return spec;
}

}  // namespace vecc::tools
